import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

import {
  TransportError,
  type TransportHead,
  type TransportProblem,
  type TransportReply,
  type TransportRequest,
} from './transport.js';

/** Sends a GET with a body by `node:http`, through the agent of the process and its proxies. */
export function sendGetWithBody(request: TransportRequest): Promise<TransportReply> {
  const { url, method, headers, body, signal, maxResponseBytes } = request;
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
        'Accept-Encoding': 'identity',
        // In bytes: Node sends the body of a GET unframed without it.
        'Content-Length': body?.byteLength ?? 0,
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
      const chunks: Buffer[] = [];
      let bytes = 0;
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes <= maxResponseBytes) return;
        fail('too_large');
        outgoing.destroy();
      });
      incoming.on('error', (cause) => fail('cut_off', cause));
      incoming.on('end', () => {
        if (arrived.headers['content-encoding'] === undefined) {
          resolve({ ...arrived, body: Buffer.concat(chunks) });
        } else fail('encoding');
      });
    });
    outgoing.end(body);
  });
}

function readHead({ statusCode = 0, headers }: IncomingMessage): TransportHead {
  const joined = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { status: statusCode, headers: Object.fromEntries(joined) as Record<string, string> };
}
