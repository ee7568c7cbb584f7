/** One HTTP request, ready to go. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST';
  readonly url: Readonly<URL>;
  /** Without `Content-Length` and `Accept-Encoding`: those are the transport's. Holds the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
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
  /** Ends what is running. */
  close?(): void;
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

/** Finds a header that cannot be sent while nothing was. */
export function checkHeaders(headers: TransportRequest['headers']): void {
  try {
    new Headers(headers);
  } catch (cause) {
    throw new TransportError('connection', { sent: false, cause });
  }
}
