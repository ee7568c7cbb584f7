import type { Agent as HttpAgent, ClientRequest } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';

import { http, loadHttps } from './node-http.js';
import { readProxyOptions, type ProxyEnv } from './proxy.js';
import {
  ACCEPTED_ENCODINGS,
  joinHeaders,
  TransportError,
  type Transport,
  type TransportHead,
  type TransportProblem,
  type TransportReply,
  type TransportRequest,
} from './transport.js';

/**
 * An idle connection is dropped before servers usually drop it (5 s in Node): a request written to
 * a connection that is just being closed has an unknown outcome.
 */
const IDLE_MILLISECONDS = 4_000;

/** Options of {@link NodeTransport}. */
export interface NodeTransportOptions {
  /** For `http:` addresses. Default: keep-alive, idle connections dropped after 4 s. */
  readonly httpAgent?: HttpAgent;
  /** For `https:` addresses: the place for a private certificate authority. Default as above. */
  readonly httpsAgent?: HttpsAgent;
  /**
   * Proxies to use, for example `process.env`. Default: what Node was told with
   * `NODE_USE_ENV_PROXY=1`. Agents of your own decide for themselves.
   */
  readonly proxyEnv?: ProxyEnv;
}

/** The default transport: `node:http` and `node:https` with keep-alive. */
export class NodeTransport implements Transport {
  readonly #httpAgent: HttpAgent;
  readonly #makeHttpsAgent: () => HttpsAgent;
  #httpsAgent: HttpsAgent | undefined;

  constructor(options: NodeTransportOptions = {}) {
    const proxies = readProxyOptions(options.proxyEnv);
    const settings = { keepAlive: true, timeout: IDLE_MILLISECONDS, ...proxies };
    this.#httpAgent = options.httpAgent ?? new http.Agent(settings);
    this.#httpsAgent = options.httpsAgent;
    this.#makeHttpsAgent = () => new (loadHttps().Agent)(settings);
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    const { head, chunks } = await this.#exchange(request);
    const body = Buffer.concat(chunks);
    if (head.headers['content-encoding'] === undefined) return { ...head, body };
    // Loaded with the first answer that needs it.
    const { decompress } = await import('./decompress.js');
    return { ...head, body: await decompress(head, body, request.maxResponseBytes) };
  }

  close(): void {
    this.#httpAgent.destroy();
    this.#httpsAgent?.destroy();
  }

  #exchange(request: TransportRequest): Promise<{ head: TransportHead; chunks: Buffer[] }> {
    const { signal, maxResponseBytes } = request;
    return new Promise((resolve, reject) => {
      let sent = false;
      let head: TransportHead | undefined;
      let outgoing: ClientRequest | undefined;

      const fail = (problem: TransportProblem, cause?: unknown): void => {
        signal.removeEventListener('abort', onAbort);
        reject(new TransportError(problem, { sent, head, cause }));
        outgoing?.destroy();
      };
      const onAbort = (): void => fail('aborted');
      if (signal.aborted) return fail('aborted');
      signal.addEventListener('abort', onAbort, { once: true });

      try {
        outgoing = this.#open(request);
      } catch (cause) {
        return fail('connection', cause);
      }
      outgoing.on('socket', (socket) => {
        onFirstByte(socket, request.url.protocol === 'https:', () => (sent = true));
      });
      outgoing.on('error', (cause: NodeJS.ErrnoException) => {
        if (cause.code?.startsWith('HPE_') === true) return fail('malformed', cause);
        return fail(head === undefined ? 'connection' : 'cut_off', cause);
      });
      // Nobody asked for another protocol; without a listener there would be no answer at all.
      outgoing.on('upgrade', ({ headers, statusCode = 0 }, socket) => {
        socket.destroy();
        head = { status: statusCode, headers: joinHeaders(headers) };
        fail('malformed');
      });
      outgoing.on('response', (incoming) => {
        const arrived = {
          status: incoming.statusCode ?? 0,
          headers: joinHeaders(incoming.headers),
        };
        head = arrived;
        const chunks: Buffer[] = [];
        let bytes = 0;
        incoming.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxResponseBytes) return fail('too_large');
          chunks.push(chunk);
        });
        incoming.on('error', (cause) => fail('cut_off', cause));
        incoming.on('end', () => {
          signal.removeEventListener('abort', onAbort);
          resolve({ head: arrived, chunks });
        });
      });
      outgoing.end(request.body);
    });
  }

  #open({ url, method, headers, body }: TransportRequest): ClientRequest {
    const secure = url.protocol === 'https:';
    // As `http.request(url)` reads an address, which costs more than all the rest of this.
    const options = {
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method,
      headers: {
        ...headers,
        'Accept-Encoding': ACCEPTED_ENCODINGS,
        // Always ours, in bytes: Node sends the body of a GET unframed without it.
        ...(body === undefined ? {} : { 'Content-Length': body.byteLength }),
      },
    };
    if (!secure) return http.request({ ...options, agent: this.#httpAgent });
    this.#httpsAgent ??= this.#makeHttpsAgent();
    return loadHttps().request({ ...options, agent: this.#httpsAgent });
  }
}

/** Calls back when bytes of the request may leave: once connected, and over TLS once trusted. */
function onFirstByte(socket: Socket, secure: boolean, callback: () => void): void {
  if (!socket.connecting) callback();
  else socket.once(secure ? 'secureConnect' : 'connect', callback);
}
