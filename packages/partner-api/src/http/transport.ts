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
  | 'connection'
  | 'aborted'
  | 'cut_off'
  | 'too_large'
  | 'encoding'
  | 'malformed'
  | 'unsupported';

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

/**
 * Sends by `fetch`: the default where there is no Node, and for a `fetch` of your own. It cannot say
 * whether a failed request was sent, so the outcome of such a failure is `unknown`.
 */
export class FetchTransport implements Transport {
  readonly #fetch: typeof fetch;
  readonly #closing = new AbortController();

  constructor(options: { readonly fetch?: typeof fetch } = {}) {
    this.#fetch = options.fetch ?? fetch;
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    const { url, method, headers, body, maxResponseBytes } = request;
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    if (signal.aborted) throw new TransportError('aborted', { sent: false });
    checkHeaders(headers);
    if (method === 'GET' && body !== undefined) {
      throw new TransportError('unsupported', { sent: false });
    }
    const policy = { redirect: 'manual', cache: 'no-store', credentials: 'omit' } as const;
    const init = { method, headers, signal, ...policy, ...(body === undefined ? {} : { body }) };
    let head: TransportHead | undefined;
    try {
      const response = await this.#fetch.call(undefined, url, init);
      // Browsers hide the status of a redirect that is not followed.
      const status = response.type === 'opaqueredirect' ? 302 : response.status;
      head = { status, headers: Object.fromEntries(response.headers) };
      return { ...head, body: await readBody(response, head, maxResponseBytes) };
    } catch (cause) {
      if (cause instanceof TransportError) throw cause;
      const problem = head === undefined ? 'connection' : 'cut_off';
      throw new TransportError(signal.aborted ? 'aborted' : problem, {
        sent: true,
        head,
        cause: signal.aborted ? undefined : ((cause as Error).cause ?? cause),
      });
    }
  }

  close(): void {
    this.#closing.abort(new Error('the client was closed'));
  }
}

async function readBody(
  response: Response,
  head: TransportHead,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  // Its chunks are bytes, which its type does not say everywhere.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    length += chunk.length;
    if (length > maxBytes) throw new TransportError('too_large', { sent: true, head });
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
