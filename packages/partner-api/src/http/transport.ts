import type { AsyncLocalStorage } from 'node:async_hooks';

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

/**
 * The default transport: `fetch`, and `node:http` for a GET with a body, which `fetch` forbids.
 *
 * In Node it knows whether a failed request was sent; elsewhere such a failure has the outcome
 * `unknown`.
 */
export class FetchTransport implements Transport {
  readonly #fetch: typeof fetch;
  readonly #closing = new AbortController();

  constructor(options: { readonly fetch?: typeof fetch } = {}) {
    this.#fetch = options.fetch ?? fetch;
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    if (signal.aborted) throw new TransportError('aborted', { sent: false });
    checkHeaders(request.headers);
    if (request.method !== 'GET' || request.body === undefined) {
      return this.#send({ ...request, signal });
    }
    if (!isNode()) throw new TransportError('unsupported', { sent: false });
    const { NodeHttpTransport } = await import('./node-http-transport.js');
    return new NodeHttpTransport().send({ ...request, signal });
  }

  close(): void {
    this.#closing.abort(new Error('the client was closed'));
  }

  async #send({
    url,
    signal,
    maxResponseBytes,
    ...request
  }: TransportRequest): Promise<TransportReply> {
    const init: RequestInit = {
      ...request,
      signal,
      redirect: 'manual',
      cache: 'no-store',
      credentials: 'omit',
    };
    const progress: Progress = {};
    let head: TransportHead | undefined;
    try {
      const run = (): Promise<Response> => this.#fetch.call(undefined, url, init);
      const response = await (sending === undefined ? run() : sending.run(progress, run));
      // Browsers hide the status of a redirect that is not followed.
      const status = response.type === 'opaqueredirect' ? 302 : response.status;
      head = { status, headers: Object.fromEntries(response.headers) };
      return { ...head, body: await readBody(response, head, maxResponseBytes) };
    } catch (cause) {
      if (cause instanceof TransportError) throw cause;
      const problem = signal.aborted ? 'aborted' : problemOf(cause, head);
      throw new TransportError(problem, {
        sent: head !== undefined || progress.sent !== false,
        head,
        cause: signal.aborted ? undefined : ((cause as Error).cause ?? cause),
      });
    }
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

function problemOf(error: unknown, head: TransportHead | undefined): TransportProblem {
  const { name, code } = ((error as Error).cause ?? error) as { name?: string; code?: unknown };
  if (name === 'HTTPParserError') return 'malformed';
  if (head === undefined) return 'connection';
  // A stream that was cut off has another code.
  const isOdd = code === 'Z_DATA_ERROR' || String(code).startsWith('ERR_BROTLI');
  return isOdd ? 'encoding' : 'cut_off';
}

async function readBody(
  response: Response,
  head: TransportHead,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Its chunks are bytes, which its type does not say everywhere.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw new TransportError('too_large', { sent: true, head });
    chunks.push(chunk);
  }
  const body = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body;
}

function isNode(): boolean {
  return typeof process !== 'undefined' && process.versions?.node !== undefined;
}

/** What is known of a request: `undefined` where the platform says nothing of it. */
interface Progress {
  sent?: boolean;
}

const sending = watchRequests();

/**
 * The `fetch` of Node publishes each request, and when it is written to a connection that stands
 * (https://undici.nodejs.org/#/docs/api/DiagnosticsChannel). CONNECT opens a tunnel through a proxy.
 */
function watchRequests(): AsyncLocalStorage<Progress> | undefined {
  if (!isNode()) return undefined;
  const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks');
  const { subscribe } = process.getBuiltinModule('node:diagnostics_channel');
  const running = new AsyncLocalStorage<Progress>();
  const byRequest = new WeakMap<object, Progress>();
  subscribe('undici:request:create', (message) => {
    const { request } = message as { request: { method: string } };
    const progress = running.getStore();
    if (progress === undefined || request.method === 'CONNECT') return;
    progress.sent ??= false;
    byRequest.set(request, progress);
  });
  subscribe('undici:client:sendHeaders', (message) => {
    const progress = byRequest.get((message as { request: object }).request);
    if (progress !== undefined) progress.sent = true;
  });
  return running;
}
