import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';

import { ManualClock } from '../testing/manual-clock.js';
import {
  answerJson,
  clientOf,
  failureOf,
  findDeadUrl,
  startServer,
  startTcpServer,
} from '../testing/test-server.js';
import { FetchTransport } from './transport.js';
import { UndiciTransport } from './undici-transport.js';

const SESSION = { merchant_id: 1001, order_id: 7 };
const ANSWER =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"session_id":"s-1"}';

describe('the outcome of a session that could not be created', () => {
  it('is not_sent when nothing listens, after one safe repetition', async () => {
    const error = await failureOf(clientOf(await findDeadUrl()).checkoutSessions.create(SESSION));
    expect(error).toMatchObject({
      name: 'ConnectionError',
      outcome: 'not_sent',
      attempt: 2,
      operation: 'checkoutSessions.create',
    });
    expect((error as Error).message).toContain('(ECONNREFUSED)');
  });

  it('is unknown when a fetch of your own does not say what it knows', async () => {
    const transport = new FetchTransport({ fetch: () => Promise.reject(new Error('odd')) });
    const client = clientOf('https://h.example', { transport });
    expect(await failureOf(client.checkoutSessions.create(SESSION))).toMatchObject({
      outcome: 'unknown',
    });
  });

  it('is not_sent when the name is not found', async () => {
    const client = clientOf('http://nowhere.invalid', { maxRetries: 0 });
    expect(await failureOf(client.checkoutSessions.create(SESSION))).toMatchObject({
      name: 'ConnectionError',
      outcome: 'not_sent',
      attempt: 1,
    });
  });

  it('is not_sent when the other side does not speak TLS', async () => {
    await using server = await startTcpServer((socket) =>
      socket.once('data', () => socket.end('no\n')),
    );
    const client = clientOf(server.url.replace('http:', 'https:'), { maxRetries: 0 });
    expect(await failureOf(client.checkoutSessions.create(SESSION))).toMatchObject({
      name: 'ConnectionError',
      outcome: 'not_sent',
    });
  });

  it('is not_sent when the time is over during the TLS handshake', async () => {
    await using server = await startTcpServer(() => undefined);
    const client = clientOf(server.url.replace('http:', 'https:'), { timeoutSeconds: 0.05 });
    expect(await failureOf(client.checkoutSessions.create(SESSION))).toMatchObject({
      name: 'TimeoutError',
      outcome: 'not_sent',
    });
  });

  it('is not_sent when the signal was aborted before', async () => {
    await using server = await startServer((response) =>
      answerJson(response, { session_id: 's-1' }),
    );
    const signal = AbortSignal.abort(new Error('changed my mind'));
    expect(
      await failureOf(clientOf(server.url).checkoutSessions.create(SESSION, { signal })),
    ).toMatchObject({
      name: 'CallAbortedError',
      outcome: 'not_sent',
      cause: { message: 'changed my mind' },
    });
    expect(server.requests).toHaveLength(0);
  });

  it.each([400, 401, 409, 429])(
    'is refused for %i, and the request is not repeated',
    async (status) => {
      await using server = await startServer((response) => answerJson(response, {}, status));
      const error = await failureOf(clientOf(server.url).checkoutSessions.create(SESSION));
      expect(error).toMatchObject({ outcome: 'refused', status, attempt: 1 });
      expect(server.requests).toHaveLength(1);
    },
  );

  it('is refused when the status arrived and the body of the refusal was cut off', async () => {
    await using server = await startServer((response) => {
      response.writeHead(401, { 'Content-Length': 50 });
      response.write('half', () => response.destroy());
    });
    expect(await failureOf(clientOf(server.url).checkoutSessions.create(SESSION))).toMatchObject({
      name: 'AuthenticationError',
      outcome: 'refused',
    });
  });

  it('is refused when the status arrived and the body of the refusal stalls', async () => {
    await using server = await startServer((response) => {
      response.writeHead(403, { 'Content-Length': 50 }).write('half');
    });
    const client = clientOf(server.url, { timeoutSeconds: 2 });
    expect(await failureOf(client.checkoutSessions.create(SESSION))).toMatchObject({
      name: 'PermissionError',
      outcome: 'refused',
    });
  });

  it.each([500, 502, 503, 504])(
    'is unknown for %i, and the request is not repeated',
    async (status) => {
      await using server = await startServer((response) => {
        response.writeHead(status, { 'Retry-After': '0' }).end();
      });
      const error = await failureOf(clientOf(server.url).checkoutSessions.create(SESSION));
      expect(error).toMatchObject({ name: 'ServerError', outcome: 'unknown', attempt: 1 });
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each([
    ['as soon as it is connected', 0],
    ['after the status line', 17],
    ['in the headers', 40],
    ['before the body', ANSWER.length - 20],
    ['before the last byte', ANSWER.length - 1],
  ])(
    'is unknown when the connection is reset %s, and the request is not repeated',
    async (_, bytes) => {
      let connections = 0;
      await using server = await startTcpServer((socket) => {
        connections += 1;
        socket.once('data', () => {
          if (bytes === 0) socket.resetAndDestroy();
          else socket.write(ANSWER.slice(0, bytes), () => socket.resetAndDestroy());
        });
      });
      const error = await failureOf(clientOf(server.url).checkoutSessions.create(SESSION));
      expect(error).toMatchObject({ outcome: 'unknown', attempt: 1 });
      expect(connections).toBe(1);
    },
  );

  it('is unknown when a kept connection is reset, although it was alive before', async () => {
    await using server = await startServer((response, _, number) => {
      if (number <= 3) answerJson(response, { session_id: 's-1' });
      else response.destroy();
    });
    const client = clientOf(server.url);
    for (let count = 0; count < 3; count += 1) await client.checkoutSessions.create(SESSION);
    expect(await failureOf(client.checkoutSessions.create(SESSION))).toMatchObject({
      name: 'ConnectionError',
      outcome: 'unknown',
    });
    const ports = server.requests.map(({ remotePort }) => remotePort);
    expect(ports).toHaveLength(4);
    expect(ports.slice(0, 3)).toContain(ports[3]);
  });

  it.each([
    ['no answer comes', false],
    ['the body stalls after the headers', true],
  ])('is unknown when the time is over and %s', async (_, headers) => {
    const clock = new ManualClock();
    await using server = await startServer((response) => {
      if (headers) response.writeHead(200, { 'Content-Length': 20 }).write('{"session');
      clock.advance(30_000);
    });
    const client = clientOf(server.url, { clock });
    expect(await failureOf(client.checkoutSessions.create(SESSION))).toMatchObject({
      name: 'TimeoutError',
      outcome: 'unknown',
      attempt: 1,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('is unknown when the caller aborts while the answer is awaited', async () => {
    const controller = new AbortController();
    await using server = await startServer(() => controller.abort());
    const { signal } = controller;
    expect(
      await failureOf(clientOf(server.url).checkoutSessions.create(SESSION, { signal })),
    ).toMatchObject({
      name: 'CallAbortedError',
      outcome: 'unknown',
    });
  });

  it.each([
    ['a web page', '<html>'],
    ['no session_id', '{"id":"s-1"}'],
    ['an empty session_id', '{"session_id":""}'],
    ['a session_id that is no text', '{"session_id":12}'],
  ])('is unknown when the answer is %s', async (_, body) => {
    await using server = await startServer((response) => response.end(body));
    expect(await failureOf(clientOf(server.url).checkoutSessions.create(SESSION))).toMatchObject({
      name: 'InvalidResponseError',
      outcome: 'unknown',
      attempt: 1,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('is unknown when a transport fails without saying what it knows', async () => {
    const transport = {
      send: () => {
        throw new Error('odd');
      },
    };
    const client = clientOf('https://h.example', { transport });
    expect(await failureOf(client.checkoutSessions.create(SESSION))).toMatchObject({
      name: 'ConnectionError',
      outcome: 'unknown',
      attempt: 1,
    });
  });
});

describe('over TLS', () => {
  // Pre-shared keys: TLS without a certificate to keep in the tests.
  const psk = Buffer.from('0123456789abcdef');
  const ciphers = 'PSK+HIGH';

  it('a session is created, and a reset after the handshake has an unknown outcome', async () => {
    let answers = true;
    const versions: string[] = [];
    // It would rather speak HTTP/2, whose failures say less.
    const server = createSecureServer(
      { ciphers, maxVersion: 'TLSv1.2', pskCallback: () => psk, allowHTTP1: true },
      (request, reply) => {
        const response = reply as unknown as ServerResponse;
        versions.push(request.httpVersion);
        request.resume();
        if (answers) answerJson(response, { session_id: 's-1' });
        else response.destroy();
      },
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const transport = new UndiciTransport({
      connect: {
        ciphers,
        maxVersion: 'TLSv1.2',
        pskCallback: () => ({ psk, identity: 'test' }),
        checkServerIdentity: () => undefined,
      },
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = clientOf(url, { transport });
    expect(await client.checkoutSessions.create(SESSION)).toEqual({ session_id: 's-1' });
    answers = false;
    expect(await failureOf(client.checkoutSessions.create(SESSION))).toMatchObject({
      name: 'ConnectionError',
      outcome: 'unknown',
      attempt: 1,
    });
    expect(versions).toEqual(['1.1', '1.1']);
    client.close();
    server.close();
    await once(server, 'close');
  });
});
