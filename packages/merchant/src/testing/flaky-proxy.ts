/** A network between a client and the session server that fails as it is asked to, then forwards. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

/** A status or JSON that is answered instead, a connection that is cut, or an answer that never comes. */
export type Fault = number | object | 'cut' | 'hang';

export interface FlakyProxy {
  readonly url: string;
  /** What happens to the next requests; what comes after them is forwarded. */
  readonly faults: Fault[];
  /** `Retry-After` of the next statuses. Then `0`. */
  readonly pauses: string[];
  /** Method and path of each request. */
  readonly requests: string[];
  close(): Promise<void>;
}

export async function startFlakyProxy(target: () => string): Promise<FlakyProxy> {
  const faults: Fault[] = [];
  const pauses: string[] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const fault = faults.shift();
    if (fault === 'hang') return;
    if (fault === 'cut') {
      request.socket.destroy();
      return;
    }
    if (typeof fault === 'object') {
      response.end(JSON.stringify(fault));
      return;
    }
    if (fault !== undefined) {
      const headers = { 'retry-after': pauses.shift() ?? '0', location: 'http://evil.example/' };
      response.writeHead(fault, headers).end('no');
      return;
    }
    void forwardTo(target)(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    pauses,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Sends each request on, with its body and headers, and answers with the answer. */
export function forwardTo(target: () => string) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '', headers } = request;
    const { host: _, connection: __, ...kept } = headers;
    const answer = await fetch(`${target()}${url}`, {
      method,
      headers: kept as Record<string, string>,
      ...(method !== 'GET' && { body: await readText(request) }),
      redirect: 'manual',
    });
    const type = answer.headers.get('content-type') ?? 'text/plain';
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
  };
}
