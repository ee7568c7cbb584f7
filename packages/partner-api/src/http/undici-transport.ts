import type { Dispatcher } from 'undici';

import {
  checkHeaders,
  type Transport,
  TransportError,
  type TransportHead,
  type TransportProblem,
  type TransportReply,
  type TransportRequest,
} from './transport.js';

/** A connection attempt that outlives its call is given up after this time. */
const CONNECT_TIMEOUT_MILLISECONDS = 30_000;

/**
 * The default transport on Node: undici, through the proxies of the environment where Node is set to
 * use them. A GET may have a body, and of each failure it is known whether the request was sent.
 */
export class UndiciTransport implements Transport {
  readonly #connect: object;
  readonly #running = new Set<() => void>();
  #agent: Promise<Dispatcher> | undefined;

  /** @param options - `connect` is that of undici's `Agent`, such as `{ ca }`. */
  constructor(options: { readonly connect?: object } = {}) {
    this.#connect = { timeout: CONNECT_TIMEOUT_MILLISECONDS, ...options.connect };
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    const { signal, headers, maxResponseBytes } = request;
    checkHeaders(headers);
    const agent = await (this.#agent ??= loadAgent(this.#connect));
    if (signal.aborted) throw new TransportError('aborted', { sent: false });
    const { promise, resolve, reject } = Promise.withResolvers<TransportReply>();
    let started: Dispatcher.DispatchController | undefined;
    let head: TransportHead | undefined;
    let bytes = 0;
    const chunks: Uint8Array[] = [];
    const fail = (problem: TransportProblem, cause?: unknown): void => {
      reject(new TransportError(problem, { sent: started !== undefined, head, cause }));
      started?.abort(new Error(problem));
    };
    const abort = (): void => fail('aborted');
    signal.addEventListener('abort', abort, { once: true });
    this.#running.add(abort);
    try {
      agent.dispatch(optionsOf(request), {
        onRequestStart: (controller) => {
          // There was no connection when it was given up.
          if (signal.aborted) controller.abort(new Error('aborted'));
          else started = controller;
        },
        onResponseStart: (_, status, incoming) => {
          const joined = Object.entries(incoming).map(([name, value]) => [name, String(value)]);
          head = { status, headers: Object.fromEntries(joined) as Record<string, string> };
        },
        onResponseData: (_, chunk) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes > maxResponseBytes) fail('too_large');
        },
        onResponseEnd: () => resolve({ ...(head as TransportHead), body: Buffer.concat(chunks) }),
        onResponseError: (_, error) => fail(problemOf(error, head), error),
      });
      const reply = await promise;
      return { ...reply, body: await decompress(reply, maxResponseBytes) };
    } finally {
      signal.removeEventListener('abort', abort);
      this.#running.delete(abort);
    }
  }

  close(): void {
    for (const abort of this.#running) abort();
    void this.#agent?.then((agent) => agent.destroy());
    this.#agent = undefined;
  }
}

async function loadAgent(connect: object): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import('undici');
  // Only of HTTP/1.1 it is certain that a request was not sent before it starts.
  const options = { connect, allowH2: false };
  return process.env['NODE_USE_ENV_PROXY'] === '1'
    ? new EnvHttpProxyAgent({ ...options, proxyTunnel: true })
    : new Agent(options);
}

function optionsOf({ url, method, headers, body }: TransportRequest): Dispatcher.DispatchOptions {
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: { ...headers, 'Accept-Encoding': 'gzip, deflate, br' },
    ...(body === undefined ? {} : { body }),
    // The time of an attempt is limited by its signal.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Otherwise a connection is not used again after a GET with a body.
    reset: false,
  };
}

function problemOf({ name }: Error, head: TransportHead | undefined): TransportProblem {
  if (name === 'HTTPParserError') return 'malformed';
  return head === undefined ? 'connection' : 'cut_off';
}

/** The body of an answer as it was before it was compressed, if it was. */
async function decompress(reply: TransportReply, maxOutputLength: number): Promise<Uint8Array> {
  const { body } = reply;
  const encoding = reply.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity' || body.length === 0) return body;
  const { gunzip, inflate, inflateRaw, brotliDecompress } = await import('node:zlib');
  // By `deflate` some mean the raw stream, which has no header.
  const deflate = (body[0] ?? 0) % 16 === 8 ? inflate : inflateRaw;
  const undo = new Map<string, typeof gunzip>([
    ['gzip', gunzip],
    ['deflate', deflate],
    ['br', brotliDecompress],
  ]).get(encoding);
  const failure = (problem: TransportProblem, cause?: unknown): TransportError =>
    new TransportError(problem, { sent: true, head: reply, cause });
  if (undo === undefined) throw failure('encoding');
  return new Promise((resolve, reject) => {
    undo(body, { maxOutputLength }, (error: NodeJS.ErrnoException | null, whole) => {
      if (error === null) return resolve(whole);
      const problem = error.code === 'Z_BUF_ERROR' ? 'cut_off' : 'encoding';
      return reject(failure(error.code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : problem, error));
    });
  });
}
