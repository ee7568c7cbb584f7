import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';

import { PartnerClient, type PartnerClientOptions } from '../client.js';

/** A request as a test server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly remotePort: number;
}

/** A real server on a free port; stop it with `await using`. */
export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: SeenRequest[];
}

type Answer = (response: ServerResponse, request: SeenRequest, number: number) => void;

/** An HTTP server that answers each request, counted from 1, after its body has arrived. */
export async function startServer(answer: Answer): Promise<TestServer> {
  const requests: SeenRequest[] = [];
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const seen: SeenRequest = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        remotePort: request.socket.remotePort ?? 0,
      };
      requests.push(seen);
      answer(response, seen, requests.length);
    });
  });
  await listen(server);
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A bare TCP server, for answers that no HTTP server would give. */
export async function startTcpServer(onSocket: (socket: Socket) => void): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    onSocket(socket);
  });
  await listen(server);
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    requests: [],
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An address where nothing listens. */
export async function findDeadUrl(): Promise<string> {
  const server = await startTcpServer(() => undefined);
  await server[Symbol.asyncDispose]();
  return server.url;
}

export function answerJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

/** A page of spec 4.1 with the given rows. */
export function pageOf(...transactions: object[]): object {
  return { data: { transactions, timezone: 'UTC' }, pagination: { hasMore: false } };
}

/** A client whose pauses are none, so that no test waits. */
export function clientOf(
  baseUrl: string,
  options: Partial<PartnerClientOptions> = {},
): PartnerClient {
  return new PartnerClient({ apiKey: 'test-key', baseUrl, random: () => 0, ...options });
}

/** The error that a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('the promise was fulfilled');
}

async function listen(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
