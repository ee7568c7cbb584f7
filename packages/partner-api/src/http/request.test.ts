import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';

import { ManualClock } from '../testing/manual-clock.js';
import {
  answerJson,
  clientOf,
  failureOf,
  findDeadUrl,
  pageOf,
  startServer,
  startTcpServer,
} from '../testing/test-server.js';
import { type Clock, systemClock } from './retry.js';

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('a read', () => {
  it.each([408, 425, 429, 500, 502, 503, 504])('is repeated after %i', async (status) => {
    await using server = await startServer((response, _, number) => {
      answerJson(response, pageOf(), number < 3 ? status : 200);
    });
    await clientOf(server.url).transactions.list();
    expect(server.requests).toHaveLength(3);
    expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
  });

  it.each([400, 401, 403, 404, 409, 422, 501])('is not repeated after %i', async (status) => {
    await using server = await startServer((response) => answerJson(response, {}, status));
    expect(await failureOf(clientOf(server.url).transactions.list())).toMatchObject({ attempt: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it('is repeated after a reset and after an answer that was cut off', async () => {
    await using server = await startServer((response, _, number) => {
      if (number === 1) response.destroy();
      else if (number === 2)
        response.writeHead(200, { 'Content-Length': 90 }).write('{', () => response.destroy());
      else answerJson(response, pageOf({ id: 't1' }));
    });
    const page = await clientOf(server.url).transactions.list();
    expect(page.data.transactions).toEqual([{ id: 't1' }]);
  });

  it.each([
    ['10 s', 30, 10_000],
    ['its share of a longer call', 90, 30_000],
  ])('that stalls in the body is repeated after %s', async (_title, timeoutSeconds, stalled) => {
    const clock = new ManualClock();
    await using server = await startServer((response, _, number) => {
      if (number > 1) return answerJson(response, pageOf());
      response.writeHead(200).write('{', () => clock.advance(stalled - 1));
      return setImmediate(() => clock.advance(1));
    });
    await clientOf(server.url, { clock }).transactions.list({}, { timeoutSeconds });
    expect(server.requests).toHaveLength(2);
  });

  it('is repeated as often as the call allows, and the error counts the attempts', async () => {
    const client = clientOf(await findDeadUrl());
    expect(await failureOf(client.transactions.list())).toMatchObject({ attempt: 3 });
    expect(await failureOf(client.transactions.list({}, { maxRetries: 0 }))).toMatchObject({
      attempt: 1,
    });
    expect(await failureOf(client.transactions.list({}, { maxRetries: 4 }))).toMatchObject({
      attempt: 5,
    });
  });

  it('that may have arrived once stays unknown, whatever a later attempt says', async () => {
    await using server = await startServer((response, _, number) => {
      if (number === 1) response.destroy();
      else answerJson(response, {}, 401);
    });
    expect(await failureOf(clientOf(server.url).transactions.list())).toMatchObject({
      name: 'AuthenticationError',
      attempt: 2,
      outcome: 'unknown',
    });
  });
});

describe('a create after a 429', () => {
  const SESSION = { merchant_id: 1001, order_id: 7 };

  it.each([
    ['for the client', { retryRateLimited: true }, {}],
    ['for the call', {}, { retryRateLimited: true }],
  ])('is repeated only where that is allowed, here %s', async (_, options, ofCall) => {
    await using server = await startServer((response, __, number) =>
      answerJson(response, { session_id: 's-1' }, number % 2 === 1 ? 429 : 200),
    );
    const { checkoutSessions } = clientOf(server.url, options);
    expect(await checkoutSessions.create(SESSION, ofCall)).toEqual({ session_id: 's-1' });
    expect(server.requests).toHaveLength(2);
    const never = clientOf(server.url).checkoutSessions.create(SESSION);
    expect(await failureOf(never)).toMatchObject({ name: 'RateLimitError', attempt: 1 });
  });

  it('is not repeated once it may have been carried out', async () => {
    await using server = await startServer((response) => response.destroy());
    const { checkoutSessions } = clientOf(server.url, { retryRateLimited: true });
    await failureOf(checkoutSessions.create(SESSION));
    expect(server.requests).toHaveLength(1);
  });
});

describe('Retry-After', () => {
  it.each([
    ['seconds', '3'],
    ['an HTTP date', 'Sun, 01 Mar 2026 00:00:03 GMT'],
  ])('given as %s is waited for', async (_, retryAfter) => {
    await using server = await startServer((response, __, number) => {
      response.sendDate = false;
      if (number === 1) response.writeHead(429, { 'Retry-After': retryAfter }).end();
      else answerJson(response, pageOf());
    });
    const clock = new ManualClock();
    const pauses: number[] = [];
    const page = clientOf(server.url, {
      clock: {
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        startTimer: (callback, milliseconds) => {
          if (milliseconds >= 10_000) return clock.startTimer(callback, milliseconds);
          pauses.push(milliseconds);
          queueMicrotask(callback);
          return () => undefined;
        },
      },
    }).transactions.list();
    expect((await page).pagination?.hasMore).toBe(false);
    expect(pauses).toEqual([3_000]);
    expect(clock.timers.size).toBe(0);
  });

  it('is reported to the logger before it is waited for', async () => {
    await using server = await startServer((response, _, number) => {
      if (number === 1) response.writeHead(429, { 'Retry-After': '0.1' }).end();
      else answerJson(response, pageOf());
    });
    const lines: string[] = [];
    const log = (line: string): number => lines.push(line);
    const clock: Clock = {
      ...systemClock,
      startTimer: (callback, milliseconds) => {
        if (milliseconds === 100) log('waits');
        return systemClock.startTimer(callback, milliseconds);
      },
    };
    await clientOf(server.url, { clock, logger: { info: log, debug: log } }).transactions.list();
    const attempt = (number: number, status: number): unknown =>
      expect.stringMatching(
        `list\\] POST 127.* attempt ${number}: ${status} \\d+ bytes in \\d+ ms$`,
      );
    const pause = '[transactions.list] 429: the next attempt is in 0.1 s, as the provider asked';
    expect(lines).toEqual([attempt(1, 429), pause, 'waits', attempt(2, 200)]);
  });

  it('beyond the time of the call is not waited for: the error comes at once and says so', async () => {
    await using server = await startServer((response) => {
      response.writeHead(429, { 'Retry-After': '3600' }).end();
    });
    expect(await failureOf(clientOf(server.url).transactions.list())).toMatchObject({
      name: 'RateLimitError',
      attempt: 1,
      retryAfterSeconds: 3600,
    });
  });
});

describe('the time of a call', () => {
  it.each(['checkoutSessions.create', 'webhooks.create', 'merchants.associate'])(
    'is all for the one request of %s, which is never repeated',
    async (name) => {
      const clock = new ManualClock();
      await using server = await startServer((response) => {
        clock.advance(29_000);
        const data = { webhook_id: 'wh_1', hmac_key: 'a-key-of-the-provider' };
        answerJson(response, { session_id: 's-1', message: 'm', data });
      });
      const client = clientOf(server.url, { clock, merchantsBaseUrl: server.url });
      const calls: Record<string, () => Promise<unknown>> = {
        'checkoutSessions.create': () =>
          client.checkoutSessions.create({ merchant_id: 1001, order_id: 7 }),
        'webhooks.create': () =>
          client.webhooks.create({ url: 'https://a.example' }, { storeKey: () => undefined }),
        'merchants.associate': () =>
          client.merchants.associate({ action: 'reactivate', merchantId: 1001 }),
      };
      await calls[name]?.();
      expect(server.requests).toHaveLength(1);
    },
  );

  it('covers a body that drips for ever', async () => {
    await using server = await startServer((response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(drip));
    });
    const client = clientOf(server.url);
    expect(await failureOf(client.transactions.list({}, { timeoutSeconds: 0.2 }))).toMatchObject({
      name: 'TimeoutError',
      attempt: 1,
      message: expect.stringContaining('0.2 s of the call') as string,
    });
  });

  it('covers all attempts together', async () => {
    const clock = new ManualClock();
    await using server = await startServer(() => clock.advance(10_000));
    const { transactions } = clientOf(server.url, { clock, maxRetries: 1_000 });
    const error = await failureOf(transactions.list({}, { timeoutSeconds: 35 }));
    expect(error).toMatchObject({ name: 'TimeoutError', attempt: 4 });
    expect(server.requests).toHaveLength(4);
  });

  it('ends the connection of the attempt that it ends', async () => {
    const clock = new ManualClock();
    const closed = Promise.withResolvers<void>();
    await using server = await startTcpServer((socket) => {
      socket.once('data', () => clock.advance(60_000));
      socket.on('close', () => closed.resolve());
    });
    const client = clientOf(server.url, { clock, maxRetries: 0 });
    expect(await failureOf(client.transactions.list())).toMatchObject({ name: 'TimeoutError' });
    await closed.promise;
  });
});

describe("the caller's signal", () => {
  it('has no listener left after a success, a failure and a repetition', async () => {
    await using server = await startServer((response, _, number) => {
      answerJson(response, pageOf(), [200, 401, 503, 200][number - 1] ?? 200);
    });
    const { signal } = new AbortController();
    const client = clientOf(server.url);
    await client.transactions.list({}, { signal });
    expect(listenersOf(signal)).toBe(0);
    await failureOf(client.transactions.list({}, { signal }));
    expect(listenersOf(signal)).toBe(0);
    await client.transactions.list({}, { signal });
    expect(server.requests).toHaveLength(4);
    expect(listenersOf(signal)).toBe(0);
  });

  it('ends a pause between attempts at once, and leaves no listener and no timer', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    await using server = await startServer((response) => {
      response.writeHead(503, { 'Retry-After': '20' }).end();
    });
    let pausing: () => void = () => undefined;
    const paused = new Promise<void>((resolve) => (pausing = resolve));
    const startTimer = (callback: () => void, milliseconds: number): (() => void) => {
      if (milliseconds === 20_000) pausing();
      return clock.startTimer(callback, milliseconds);
    };
    const client = clientOf(server.url, {
      clock: { now: () => clock.now(), monotonic: () => clock.monotonic(), startTimer },
    });
    const failure = failureOf(client.transactions.list({}, { signal: controller.signal }));
    await paused;
    expect(listenersOf(controller.signal)).toBe(1);
    controller.abort(new Error('the page was closed'));
    expect(await failure).toMatchObject({
      name: 'CallAbortedError',
      attempt: 1,
      outcome: 'unknown',
      cause: { message: 'the page was closed' },
    });
    expect(listenersOf(controller.signal)).toBe(0);
    expect(clock.timers.size).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  it('aborted while a body arrives ends the call', async () => {
    const controller = new AbortController();
    await using server = await startServer((response) => {
      response.writeHead(200).write('{', () => controller.abort());
    });
    const error = await failureOf(
      clientOf(server.url).transactions.list({}, { signal: controller.signal }),
    );
    expect(error).toMatchObject({ name: 'CallAbortedError' });
    expect(listenersOf(controller.signal)).toBe(0);
  });
});

describe('connections', () => {
  it('are used again, whatever the status was', async () => {
    await using server = await startServer((response, _, number) => {
      answerJson(response, pageOf(), number === 2 ? 401 : 200);
    });
    const client = clientOf(server.url);
    await client.transactions.list();
    await failureOf(client.transactions.list());
    for (let count = 0; count < 4; count += 1) await client.transactions.list();
    // The one that an answer has just come on may not be free yet.
    const ports = new Set(server.requests.map(({ remotePort }) => remotePort));
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('end with their calls when the client is closed', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await startServer((response) => {
      response.once('close', closed.resolve);
      client.close();
    });
    const client = clientOf(server.url);
    expect(await failureOf(client.transactions.list())).toMatchObject({ name: 'ConnectionError' });
    await closed.promise;
  });
});
