/** One HTTP request, ready to go. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST';
  /** One object for all requests of an operation. */
  readonly url: Readonly<URL>;
  /** Without `Content-Length` and `Accept-Encoding`: those are the transport's. Holds the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Aborted when the time is over or the caller gave up; the transport then settles at once. */
  readonly signal: AbortSignal;
  /** A larger answer is given up, compressed or not. */
  readonly maxResponseBytes: number;
}

/** Status and headers (names in lower case) of an answer. */
export interface TransportHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A whole answer, its body decompressed. */
export interface TransportReply extends TransportHead {
  readonly body: Uint8Array;
}

/**
 * What carries requests; one method. It does not follow redirects, does not retry, and fails with
 * a {@link TransportError}. Any other error counts as "may have been sent".
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportReply>;
  /** Closes idle connections. */
  close?(): void;
}

/** What `decompress` can undo, for `Accept-Encoding`. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/** The headers of a {@link TransportHead}: those that came several times are joined. */
export function joinHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return joined;
}

/** What went wrong on the way. */
export type TransportProblem =
  'connection' | 'aborted' | 'cut_off' | 'too_large' | 'encoding' | 'malformed' | 'unsupported';

/** Why a transport has no whole answer, and what is known about the request. */
export class TransportError extends Error {
  static {
    this.prototype.name = 'TransportError';
  }
  readonly problem: TransportProblem;
  /** `false` only when it is certain that no byte of the request left. */
  readonly sent: boolean;
  /** Present when status and headers had arrived. */
  readonly head: TransportHead | undefined;

  constructor(
    problem: TransportProblem,
    details: { sent: boolean; head?: TransportHead | undefined; cause?: unknown },
  ) {
    super(problem, { cause: details.cause });
    this.problem = problem;
    this.sent = details.sent;
    this.head = details.head;
  }
}
