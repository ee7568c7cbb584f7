import type { AsyncLocalStorage } from 'node:async_hooks';

import {
  checkHeaders,
  type Transport,
  TransportError,
  type TransportHead,
  type TransportProblem,
  type TransportReply,
  type TransportRequest,
} from './transport.js';

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
