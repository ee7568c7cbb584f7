import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../logger.js';
import { DiskFailedError } from '../store/database.js';
import { LocalServer } from '../testing/local-server.js';
import { errorHandler } from './errors.js';
import { healthRoutes } from './health.js';

let pings: number;
let failure: Error | undefined;
let hasNoAnswer: boolean;
let hasTables: boolean;
let time: number;
let server: LocalServer;
beforeEach(async () => {
  pings = 0;
  failure = undefined;
  hasNoAnswer = false;
  hasTables = true;
  time = 0;
  const app = express();
  const ping = () => {
    pings += 1;
    if (hasNoAnswer) return new Promise<void>(() => undefined);
    return failure ? Promise.reject(failure) : Promise.resolve();
  };
  const checks = {
    ping,
    hasTables: () => Promise.resolve(hasTables),
    readQueueAges: () => Promise.resolve({ webhooks: 7 }),
  };
  app.use(healthRoutes(checks, () => time));
  app.use(errorHandler(createLogger('silent')));
  server = await LocalServer.start(app);
});
afterEach(() => server.close());

const alive = async () => (await fetch(`${server.url}/healthz`)).status;
const ready = async () => (await fetch(`${server.url}/readyz`)).status;

describe('asking whether the server is ready', () => {
  it('writes to the store, once for all who ask in a second', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, ready));
    expect([new Set(answers), pings]).toEqual([new Set([200]), 1]);
    failure = new Error('the disk is full');
    time += 999;
    expect(await ready()).toBe(200);
    time += 1;
    expect(await ready()).toBe(503);
    failure = undefined;
    expect(await ready()).toBe(503);
    time += 1000;
    expect(await ready()).toBe(200);
    expect(pings).toBe(3);
  });

  it('says how old the queues are, and that old tables are in its way', async () => {
    const ask = async () => {
      const response = await fetch(`${server.url}/readyz`);
      return [response.status, await response.json()] as const;
    };
    const body = { status: 'ok', database: 'ok', migrations: 'ok', queueSeconds: { webhooks: 7 } };
    expect(await ask()).toEqual([200, body]);
    hasTables = false;
    time += 1000;
    const [status, problem] = await ask();
    expect([status, problem]).toEqual([
      503,
      expect.objectContaining({
        code: 'not_ready',
        detail: 'The tables of the store are of an older version of the server.',
      }),
    ]);
    expect(await alive()).toBe(200);
  });

  it('is another question than whether it is alive', async () => {
    failure = new Error('the disk is full');
    expect(await ready()).toBe(503);
    expect(await alive()).toBe(200);
    time += 1000;
    expect(await alive()).toBe(200);
  });

  it('is the same question once the disk has not kept what was written: only a start helps', async () => {
    failure = new DiskFailedError(new Error('i/o error'));
    await expect.poll(alive).toBe(503);
    expect(await ready()).toBe(503);
    expect(pings).toBe(1);
  });

  it('is answered while the disk does not answer', async () => {
    hasNoAnswer = true;
    expect([await alive(), await alive()]).toEqual([200, 200]);
  });
});
