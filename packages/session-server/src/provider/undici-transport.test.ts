import { getEventListeners, once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { TransportRequest } from '@pay-checkout/partner-api';
import { afterEach, describe, expect, it } from 'vitest';
import { LocalServer } from '../testing/local-server.js';
import { UndiciTransport } from './undici-transport.js';

const BODY = '{"name":"Ōsaka 🧀"}';

const open: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

function transport(): UndiciTransport {
  const made = new UndiciTransport();
  open.push(() => {
    made.close();
  });
  return made;
}

function requestOf(url: string, change: Partial<TransportRequest> = {}): TransportRequest {
  return {
    method: 'POST',
    url: new URL('/create-session?a=1', url),
    headers: { 'Content-Type': 'application/json' },
    body: new TextEncoder().encode(BODY),
    signal: new AbortController().signal,
    maxResponseBytes: 1_000,
    ...change,
  };
}

/** A server of bare TCP, for answers that no HTTP server would give. */
async function startTcp(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

async function startHttp(handler: Parameters<typeof LocalServer.start>[0]): Promise<LocalServer> {
  const server = await LocalServer.start(handler);
  open.push(() => server.close());
  return server;
}

describe('the way to the provider', () => {
  it('carries path, query, headers and body, and brings status, headers and body back', async () => {
    const server = await startHttp((request, response) => {
      response.writeHead(201, { 'X-Request-Id': 'r-1' });
      response.end(JSON.stringify({ url: request.url, type: request.headers['content-type'] }));
    });
    const answer = await transport().send(requestOf(server.url));
    expect(answer).toMatchObject({ status: 201, headers: { 'x-request-id': 'r-1' } });
    expect(JSON.parse(Buffer.from(answer.body).toString())).toEqual({
      url: '/create-session?a=1',
      type: 'application/json',
    });
  });

  it('uses connections again', async () => {
    const ports = new Set<number | undefined>();
    const server = await startHttp((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    const way = transport();
    for (let count = 0; count < 10; count += 1) await way.send(requestOf(server.url));
    // The one that an answer has just come on may not be free yet.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('undoes what the provider compressed', async () => {
    const server = await startHttp((_, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(BODY));
    });
    const { body } = await transport().send(requestOf(server.url));
    expect(Buffer.from(body).toString()).toBe(BODY);
  });

  it('follows no redirect', async () => {
    const server = await startHttp((_, response) => {
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect((await transport().send(requestOf(server.url))).status).toBe(307);
  });

  it('says that nothing was sent where nobody listens', async () => {
    const server = await LocalServer.start(() => undefined);
    const { url } = server;
    await server.close();
    await expect(transport().send(requestOf(url))).rejects.toMatchObject({
      problem: 'connection',
      sent: false,
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it('says that a header which cannot be sent was not', async () => {
    const request = requestOf('http://127.0.0.1:9', { headers: { 'X-Odd': 'a\nb' } });
    await expect(transport().send(request)).rejects.toMatchObject({ sent: false });
  });

  it.each([
    ['connection', 'without a word', ''],
    ['cut_off', 'in the body', 'HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{'],
    ['malformed', 'after something else than HTTP', 'HELLO\r\n\r\n'],
  ])('tells %s from the rest: hung up %s', async (problem, _, answer) => {
    const url = await startTcp((socket) => {
      socket.once('data', () => socket.end(answer));
    });
    await expect(transport().send(requestOf(url))).rejects.toMatchObject({ problem, sent: true });
  });

  it('gives up an answer that is too large, and its connection', async () => {
    const hungUp = Promise.withResolvers<void>();
    const server = await startHttp((_, response) => {
      response.on('close', hungUp.resolve);
      response.write('x'.repeat(2_000));
    });
    await expect(transport().send(requestOf(server.url))).rejects.toMatchObject({
      problem: 'too_large',
      head: { status: 200 },
    });
    await hungUp.promise;
  });

  it('ends at once with its signal, wherever it is, and leaves no listener', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const hungUp = Promise.withResolvers<void>();
    const server = await startHttp((_, response) => {
      response.on('close', hungUp.resolve);
      controller.abort();
    });
    const way = transport();
    const aborted = { problem: 'aborted' };
    await expect(way.send(requestOf(server.url, { signal }))).rejects.toMatchObject({
      ...aborted,
      sent: true,
    });
    await hungUp.promise;
    await expect(way.send(requestOf(server.url, { signal }))).rejects.toMatchObject({
      ...aborted,
      sent: false,
    });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('sends nothing when its signal ends before there is a connection', async () => {
    const seen: string[] = [];
    const server = await startHttp((request, response) => {
      seen.push(request.url ?? '');
      response.end('{}');
    });
    const way = transport();
    const controller = new AbortController();
    const { signal } = controller;
    const first = way.send(requestOf(server.url, { url: new URL('/first', server.url), signal }));
    controller.abort();
    await expect(first).rejects.toMatchObject({ problem: 'aborted', sent: false });
    // Sent one after the other: the connection that was being made for the first is there by then.
    for (let count = 0; count < 3; count += 1) {
      await way.send(requestOf(server.url, { url: new URL('/next', server.url) }));
    }
    expect(seen).toEqual(['/next', '/next', '/next']);
  });

  it('leaves no listener after an answer', async () => {
    const { signal } = new AbortController();
    const server = await startHttp((_, response) => response.end('{}'));
    await transport().send(requestOf(server.url, { signal }));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
