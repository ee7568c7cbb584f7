import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';

import {
  answerJson,
  clientOf,
  failureOf,
  findDeadUrl,
  startServer,
  startTcpServer,
} from '../testing/test-server.js';
import { FetchTransport } from './fetch-transport.js';
import { NodeTransport } from './node-transport.js';
import type { TransportRequest } from './transport.js';

const hasIpv6 = Object.values(networkInterfaces()).some((found) =>
  found?.some(({ address }) => address === '::1'),
);
const BODY = '{"name":"Ōsaka 🧀"}';

function requestOf(url: string, change: Partial<TransportRequest> = {}): TransportRequest {
  return {
    method: 'GET',
    url: new URL(url),
    headers: { 'Content-Type': 'application/json' },
    body: new TextEncoder().encode(BODY),
    signal: new AbortController().signal,
    maxResponseBytes: 1_000,
    ...change,
  };
}

describe('NodeTransport', () => {
  it('frames the body of a GET by its length in bytes, again on the same connection', async () => {
    await using server = await startServer((response) => answerJson(response, {}));
    const transport = new NodeTransport();
    await transport.send(requestOf(server.url));
    await transport.send(requestOf(server.url));
    for (const { method, headers, body } of server.requests) {
      expect({ method, body }).toEqual({ method: 'GET', body: BODY });
      expect(headers['content-length']).toBe(String(Buffer.byteLength(BODY)));
      expect(headers['transfer-encoding']).toBeUndefined();
    }
    expect(new Set(server.requests.map(({ remotePort }) => remotePort)).size).toBe(1);
  });

  it('leaves no listener on the signal after an answer, a failure and an abort', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const transport = new NodeTransport();
    await using server = await startServer((response, _, number) => {
      if (number === 1) answerJson(response, {});
      else controller.abort();
    });
    await transport.send(requestOf(server.url, { signal }));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await failureOf(transport.send(requestOf(await findDeadUrl(), { signal })));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(await failureOf(transport.send(requestOf(server.url, { signal })))).toMatchObject({
      problem: 'aborted',
      sent: true,
    });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('gives an answer up at once that changes the protocol', async () => {
    await using server = await startTcpServer((socket) => {
      socket.once('data', () =>
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
        ),
      );
    });
    const error = await failureOf(new NodeTransport().send(requestOf(server.url)));
    expect(error).toMatchObject({ problem: 'malformed', sent: true, head: { status: 101 } });
  });

  it.skipIf(!hasIpv6)('reaches an address of IPv6', async () => {
    const server = createServer((_, response) => response.end('{}'));
    server.listen(0, '::1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const transport = new NodeTransport();
    expect((await transport.send(requestOf(`http://[::1]:${port}`))).status).toBe(200);
    transport.close();
    server.close();
  });

  it('tells a header that cannot be sent as not sent', async () => {
    const request = requestOf('http://127.0.0.1:9', { headers: { 'X-Odd': 'a\nb' } });
    expect(await failureOf(new NodeTransport().send(request))).toMatchObject({ sent: false });
  });
});

describe('FetchTransport', () => {
  it('refuses a body with GET before anything is sent', async () => {
    await using server = await startServer((response) => answerJson(response, {}));
    expect(await failureOf(new FetchTransport().send(requestOf(server.url)))).toMatchObject({
      problem: 'unsupported',
      sent: false,
    });
    expect(server.requests).toHaveLength(0);
  });

  it('carries both operations', async () => {
    await using server = await startServer((response) =>
      answerJson(response, { session_id: 's-1' }),
    );
    const client = clientOf(server.url, { transport: new FetchTransport() });
    await client.checkoutSessions.create({ merchant_id: 1, order_id: 2 });
    expect(server.requests[0]).toMatchObject({
      body: '{"merchant_id":1,"order_id":2}',
      headers: { api_key: 'test-key', 'content-length': '30' },
    });
  });
});
