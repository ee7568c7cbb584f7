import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

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
 * Sends by `node:http`, through the agent of the process and its proxies: for servers, since a call
 * takes a third of the processor time that one by `fetch` takes.
 */
export class NodeHttpTransport implements Transport {
  readonly #closing = new AbortController();

  async send(request: TransportRequest): Promise<TransportReply> {
    checkHeaders(request.headers);
    const { url, method, headers, body, maxResponseBytes } = request;
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    return new Promise((resolve, reject) => {
      let sent = false;
      let head: TransportHead | undefined;
      const fail = (problem: TransportProblem, cause?: unknown): void => {
        reject(new TransportError(signal.aborted ? 'aborted' : problem, { sent, head, cause }));
      };
      const secure = url.protocol === 'https:';
      const outgoing = (secure ? requestHttps : requestHttp)(url, {
        method,
        signal,
        headers: {
          ...headers,
          'Accept-Encoding': 'gzip',
          // In bytes: Node sends the body of a GET unframed without it.
          ...(body === undefined ? {} : { 'Content-Length': body.byteLength }),
        },
      });
      outgoing.on('socket', (socket) => {
        if (!socket.connecting) sent = true;
        else socket.once(secure ? 'secureConnect' : 'connect', () => (sent = true));
      });
      outgoing.on('error', (cause: NodeJS.ErrnoException) => {
        if (cause.code?.startsWith('HPE_') === true) fail('malformed', cause);
        else fail(head === undefined ? 'connection' : 'cut_off', cause);
      });
      // Without a listener there would be no answer at all to a change of the protocol.
      outgoing.on('upgrade', (incoming, socket) => {
        socket.destroy();
        head = readHead(incoming);
        fail('malformed');
      });
      outgoing.on('response', (incoming) => {
        const arrived = readHead(incoming);
        head = arrived;
        const encoding = arrived.headers['content-encoding'];
        if (encoding !== undefined && encoding !== 'gzip') {
          fail('encoding');
          outgoing.destroy();
          return;
        }
        const decoded =
          encoding === 'gzip' ? pipeline(incoming, createGunzip(), () => undefined) : incoming;
        const chunks: Buffer[] = [];
        let bytes = 0;
        decoded.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes <= maxResponseBytes) return;
          fail('too_large');
          outgoing.destroy();
        });
        decoded.on('error', (cause: NodeJS.ErrnoException) => {
          fail(cause.code?.startsWith('Z_') === true ? 'encoding' : 'cut_off', cause);
        });
        decoded.on('end', () => {
          resolve({ ...arrived, body: Buffer.concat(chunks) });
        });
      });
      outgoing.end(body);
    });
  }

  close(): void {
    this.#closing.abort(new Error('the client was closed'));
  }
}

function readHead({ statusCode = 0, headers }: IncomingMessage): TransportHead {
  const joined = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { status: statusCode, headers: Object.fromEntries(joined) as Record<string, string> };
}
