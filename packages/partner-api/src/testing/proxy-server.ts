import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy of a test. */
export interface Proxy extends AsyncDisposable {
  readonly url: string;
  /** What it was asked for, tunnels included. */
  readonly asked: string[];
}

/** Starts a forward proxy that passes plain requests on and refuses every tunnel. */
export async function startProxy(): Promise<Proxy> {
  const asked: string[] = [];
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`);
    const { method, headers } = incoming;
    const onward = forward(incoming.url ?? '', { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  server.on('connect', ({ url }, socket) => {
    asked.push(`CONNECT ${url ?? ''}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
