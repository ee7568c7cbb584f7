import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  answerJson,
  failureOf,
  findDeadUrl,
  startServer,
  startTcpServer,
} from '../testing/test-server.js';
import { FetchTransport, type TransportRequest } from './transport.js';
import { UndiciTransport } from './undici-transport.js';

const hasIpv6 = Object.values(networkInterfaces()).some((found) =>
  found?.some(({ address }) => address === '::1'),
);
const BODY = '{"name":"Ōsaka 🧀"}';

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

describe.each([
  ['POST', 'undici', UndiciTransport, false],
  // `fetch` forbids it.
  ['GET', 'undici', UndiciTransport, false],
  // What `fetch` does not say counts as sent.
  ['POST', 'fetch', FetchTransport, true],
] as const)('a %s with a body, by %s', (method, _, AnyTransport, sentIfUnknown) => {
  const shared = new AnyTransport();
  const send = (url: string, change: Partial<TransportRequest> = {}) =>
    shared.send(requestOf(url, { method, ...change }));

  it('carries path, query, headers and body, and brings status, headers and body back', async () => {
    await using server = await startServer((response) => {
      response.writeHead(201, { 'X-Request-Id': 'r-1' }).end('{"ok":true}');
    });
    const answer = await send(server.url);
    expect(answer).toMatchObject({ status: 201, headers: { 'x-request-id': 'r-1' } });
    expect(Buffer.from(answer.body).toString()).toBe('{"ok":true}');
    const [request] = server.requests;
    expect(request).toMatchObject({ method, url: '/create-session?a=1', body: BODY });
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.headers['content-length']).toBe(String(Buffer.byteLength(BODY)));
    expect(request?.headers['transfer-encoding']).toBeUndefined();
  });

  it('uses connections again', async () => {
    await using server = await startServer((response) => answerJson(response, {}));
    for (let count = 0; count < 10; count += 1) await send(server.url);
    const ports = new Set(server.requests.map(({ remotePort }) => remotePort));
    // The one that an answer has just come on may not be free yet.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('follows no redirect', async () => {
    await using server = await startServer((response) => {
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect((await send(server.url)).status).toBe(307);
  });

  it('is not sent where nothing listens', async () => {
    expect(await failureOf(send(await findDeadUrl()))).toMatchObject({
      problem: 'connection',
      sent: sentIfUnknown,
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it('is not sent with a header that cannot be sent', async () => {
    await using server = await startServer((response) => answerJson(response, {}));
    const error = await failureOf(send(server.url, { headers: { 'X-Odd': 'a\nb' } }));
    expect(error).toMatchObject({ sent: false });
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    ['connection', 'without an answer', ''],
    ['cut_off', 'in the body', 'HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{'],
    ['malformed', 'after something that is not HTTP', 'HELLO\r\n\r\n'],
  ])('fails with %s when the connection ends %s', async (problem, _, answer) => {
    await using server = await startTcpServer((socket) => {
      socket.once('data', () => socket.end(answer));
    });
    const expected = problem === 'malformed' && sentIfUnknown ? 'connection' : problem;
    expect(await failureOf(send(server.url))).toMatchObject({ problem: expected, sent: true });
  });

  it('gives up an answer that is too large, and its connection', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await startServer((response) => {
      response.on('close', closed.resolve);
      response.write('x'.repeat(2_000));
    });
    expect(await failureOf(send(server.url))).toMatchObject({
      problem: 'too_large',
      head: { status: 200 },
    });
    await closed.promise;
  });

  it('gives up an answer that changes the protocol', async () => {
    await using server = await startTcpServer((socket) => {
      socket.once('data', () =>
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
        ),
      );
    });
    expect(await failureOf(send(server.url))).toMatchObject({ sent: true });
  });

  it('ends at once with its signal, and with its connection', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const closed = Promise.withResolvers<void>();
    await using server = await startServer((response) => {
      response.on('close', closed.resolve);
      controller.abort();
    });
    const aborted = { problem: 'aborted' };
    expect(await failureOf(send(server.url, { signal }))).toMatchObject({ ...aborted, sent: true });
    await closed.promise;
    expect(await failureOf(send(server.url, { signal }))).toMatchObject({
      ...aborted,
      sent: false,
    });
  });

  it('is not sent when its signal ends before there is a connection', async () => {
    await using server = await startServer((response) => answerJson(response, {}));
    const controller = new AbortController();
    const { signal } = controller;
    const first = send(server.url, { url: new URL('/first', server.url), signal });
    controller.abort();
    expect(await failureOf(first)).toMatchObject({ problem: 'aborted', sent: sentIfUnknown });
    // Sent one after the other: a connection made for the first one would be there by then.
    for (let count = 0; count < 3; count += 1) {
      await send(server.url, { url: new URL('/next', server.url) });
    }
    expect(server.requests.map(({ url }) => url)).toEqual(['/next', '/next', '/next']);
  });

  it('leaves no listener on a signal after an answer', async () => {
    const { signal } = new AbortController();
    await using server = await startServer((response) => answerJson(response, {}));
    await send(server.url, { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('ends when the transport is closed', async () => {
    const transport = new AnyTransport();
    await using server = await startServer(() => transport.close());
    const error = await failureOf(transport.send(requestOf(server.url, { method })));
    expect(error).toMatchObject({ problem: 'aborted', sent: true });
  });

  it.skipIf(!hasIpv6)('reaches an address of IPv6', async () => {
    const server = createServer((_, response) => response.end('{}'));
    server.listen(0, '::1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect((await send(`http://[::1]:${port}`)).status).toBe(200);
    server.closeAllConnections();
    server.close();
  });
});

describe.each([
  ['undici', UndiciTransport, 'encoding'],
  ['fetch', FetchTransport, 'cut_off'],
] as const)('a compressed answer, by %s', (_, AnyTransport, problem) => {
  it('is decompressed', async () => {
    await using server = await startServer((response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(BODY));
    });
    const { body } = await new AnyTransport().send(requestOf(server.url));
    expect(Buffer.from(body).toString()).toBe(BODY);
    expect(server.requests[0]?.headers['accept-encoding']).toMatch(/\bgzip\b/);
  });

  it('is given up when it is too large in full', async () => {
    await using server = await startServer((response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('x'.repeat(100_000)));
    });
    const error = await failureOf(new AnyTransport().send(requestOf(server.url)));
    expect(error).toMatchObject({ problem: 'too_large', sent: true });
  });

  it('that holds something else is an error of its own', async () => {
    await using server = await startServer((response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(BODY);
    });
    const error = await failureOf(new AnyTransport().send(requestOf(server.url)));
    expect(error).toMatchObject({ problem, sent: true });
  });
});

it('what is given up while its connection is made is never sent', async () => {
  await using server = await startServer((response) => answerJson(response, {}));
  const { port } = new URL(server.url);
  const controller = new AbortController();
  const lookup: LookupFunction = (_host, _options, callback) => {
    controller.abort();
    callback(null, [{ address: '127.0.0.1', family: 4 }]);
  };
  const transport = new UndiciTransport({ connect: { lookup } });
  const url = (path: string): URL => new URL(path, `http://provider.example:${port}`);
  const first = transport.send(
    requestOf(server.url, { url: url('/first'), signal: controller.signal }),
  );
  expect(await failureOf(first)).toMatchObject({ problem: 'aborted', sent: false });
  for (let count = 0; count < 3; count += 1) {
    await transport.send(requestOf(server.url, { url: url('/next') }));
  }
  expect(server.requests.map((request) => request.url)).toEqual(['/next', '/next', '/next']);
  transport.close();
});

it('an encoding that was not asked for is an error of its own', async () => {
  await using server = await startServer((response) => {
    response.writeHead(200, { 'Content-Encoding': 'compress' }).end(BODY);
  });
  const error = await failureOf(new UndiciTransport().send(requestOf(server.url)));
  expect(error).toMatchObject({ problem: 'encoding', sent: true });
});
