import { inspect } from 'node:util';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

import {
  answerJson,
  clientOf,
  failureOf,
  pageOf,
  startServer,
  startTcpServer,
} from '../testing/test-server.js';

const PAGE = Buffer.from(JSON.stringify(pageOf({ id: 't1', merchantName: 'Käse & 🧀 Ōsaka' })));

describe('answers', () => {
  const clientFor = (url: string, options: { maxResponseBytes?: number } = {}) =>
    clientOf(url, { maxRetries: 0, ...options });

  it('are whole when a multibyte letter is split across chunks', async () => {
    await using server = await startServer((response) => {
      const cut = PAGE.indexOf(Buffer.from('🧀')) + 2;
      response.write(PAGE.subarray(0, cut), () =>
        setImmediate(() => response.end(PAGE.subarray(cut))),
      );
    });
    const page = await clientFor(server.url).transactions.list();
    expect(page.data.transactions[0]?.merchantName).toBe('Käse & 🧀 Ōsaka');
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('are read when compressed with %s', async (encoding, compress) => {
    await using server = await startServer((response) => {
      response.writeHead(200, { 'Content-Encoding': encoding }).end(compress(PAGE));
    });
    const page = await clientFor(server.url).transactions.list();
    expect(page.data.transactions[0]?.id).toBe('t1');
    expect(server.requests[0]?.headers['accept-encoding']).toContain('gzip');
  });

  it('are read when deflate means the raw stream', async () => {
    await using server = await startServer((response) => {
      response.writeHead(200, { 'Content-Encoding': 'deflate' }).end(deflateRawSync(PAGE));
    });
    expect((await clientFor(server.url).transactions.list()).data.timezone).toBe('UTC');
  });

  it('of a provider that sends the key back show it in no error', async () => {
    await using server = await startServer((response, { headers }, number) => {
      const key = String(headers['api_key']);
      const location = `https://${key}.example/${key}`;
      response.writeHead(number === 1 ? 400 : 302, { 'x-request-id': `r-${key}`, location }).end();
    });
    const { transactions } = clientFor(server.url);
    for (const name of ['RequestRefusedError', 'RedirectError']) {
      const error = await failureOf(transactions.list());
      expect(error).toMatchObject({ name, requestId: 'r-[secret]' });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('test-key');
    }
  });

  it('that are larger than the limit are given up', async () => {
    await using server = await startServer((response) => response.end(' '.repeat(5_000)));
    const error = await failureOf(
      clientFor(server.url, { maxResponseBytes: 4_999 }).transactions.list(),
    );
    expect(error).toMatchObject({
      name: 'InvalidResponseError',
      problem: 'too_large',
      status: 200,
    });
  });

  it('that grow beyond the limit when decompressed are given up', async () => {
    await using server = await startServer((response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(' '.repeat(1_000_000)));
    });
    const error = await failureOf(
      clientFor(server.url, { maxResponseBytes: 9_000 }).transactions.list(),
    );
    expect(error).toMatchObject({ name: 'InvalidResponseError', problem: 'too_large' });
  });

  it.each([
    ['a web page', 200, { 'Content-Type': 'text/html' }, '<!doctype html>', 'html'],
    ['a web page without a type', 200, {}, '\n<html>', 'html'],
    ['half a JSON text', 200, { 'Content-Type': 'application/json' }, '{"data":', 'not_json'],
    ['bytes that are not UTF-8', 200, {}, Buffer.from([0x7b, 0xff, 0x7d]), 'encoding'],
    ['nothing with status 200', 200, {}, '', 'empty'],
    ['nothing with status 204', 204, {}, '', 'empty'],
    ['a list', 200, {}, '[]', 'shape'],
    ['null', 200, {}, 'null', 'shape'],
  ] as const)('that are %s are reported as such', async (_, status, headers, body, problem) => {
    await using server = await startServer((response) =>
      response.writeHead(status, headers).end(body),
    );
    const error = await failureOf(clientFor(server.url).transactions.list());
    expect(error).toMatchObject({
      name: 'InvalidResponseError',
      problem,
      status,
      outcome: 'unknown',
    });
  });

  it('may begin with a byte order mark', async () => {
    await using server = await startServer((response) => response.end(`\uFEFF${PAGE.toString()}`));
    expect((await clientFor(server.url).transactions.list()).pagination?.hasMore).toBe(false);
  });

  it.each([
    ['plain', {}, PAGE],
    ['compressed', { 'Content-Encoding': 'gzip' }, gzipSync(PAGE)],
  ])('that are cut off are reported as such (%s)', async (_, headers, body) => {
    await using server = await startServer((response) => {
      response.writeHead(200, { ...headers, 'Content-Length': body.length });
      response.write(body.subarray(0, 30), () => response.destroy());
    });
    const error = await failureOf(clientFor(server.url).transactions.list());
    expect(error).toMatchObject({ name: 'InvalidResponseError', problem: 'cut_off', status: 200 });
  });

  it.each([
    [400, 'RequestRefusedError', 'refused'],
    [401, 'AuthenticationError', 'refused'],
    [403, 'PermissionError', 'refused'],
    [404, 'NotFoundError', 'refused'],
    [409, 'ConflictError', 'refused'],
    [422, 'RequestRefusedError', 'refused'],
    [429, 'RateLimitError', 'refused'],
    [500, 'ServerError', 'unknown'],
    [503, 'ServerError', 'unknown'],
  ])('of status %i are a %s with outcome %s', async (status, name, outcome) => {
    await using server = await startServer((response) => {
      response.writeHead(status, { 'X-Request-Id': 'req-1', 'Retry-After': '7' }).end('why');
    });
    const error = await failureOf(clientFor(server.url).transactions.list());
    expect(error).toMatchObject({
      name,
      outcome,
      status,
      operation: 'transactions.list',
      attempt: 1,
      requestId: 'req-1',
      retryAfterSeconds: 7,
    });
    expect((error as { rawBody(): string }).rawBody()).toBe('why');
    expect(JSON.stringify(error)).not.toContain('why');
  });

  it.each([
    [301, 'unknown'],
    [302, 'unknown'],
    [303, 'unknown'],
    [307, 'refused'],
    [308, 'refused'],
  ])(
    'that redirect (%i) are not followed, and the key goes to no other host',
    async (status, outcome) => {
      await using other = await startServer((response) => answerJson(response, pageOf()));
      await using server = await startServer((response) => {
        response.writeHead(status, { Location: `${other.url}/login?token=t0` }).end();
      });
      const error = await failureOf(clientFor(server.url).transactions.list());
      expect(error).toMatchObject({ name: 'RedirectError', status, outcome });
      expect((error as Error).message).toContain(`another origin, ${other.url}.`);
      expect((error as Error).message).not.toContain('t0');
      expect(other.requests).toHaveLength(0);
      expect(server.requests).toHaveLength(1);
    },
  );

  it('that are not HTTP are an error with an unknown outcome', async () => {
    await using server = await startTcpServer((socket) => {
      socket.once('data', () => socket.end('220 mail.example ready\r\n'));
    });
    expect(await failureOf(clientFor(server.url).transactions.list())).toMatchObject({
      name: 'InvalidResponseError',
      outcome: 'unknown',
    });
  });
});
