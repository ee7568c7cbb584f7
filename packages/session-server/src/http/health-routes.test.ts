import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../logger.js';
import { LocalServer } from '../testing/local-server.js';
import { errorHandler } from './error-handler.js';
import { healthRoutes } from './health-routes.js';

let pings: number;
let isFull: boolean;
let time: number;
let server: LocalServer;
beforeEach(async () => {
  pings = 0;
  isFull = false;
  time = 0;
  const app = express();
  const ping = () => {
    pings += 1;
    return isFull ? Promise.reject(new Error('the disk is full')) : Promise.resolve();
  };
  app.use(healthRoutes({ ping }, () => time));
  app.use(errorHandler(createLogger('silent')));
  server = await LocalServer.start(app);
});
afterEach(() => server.close());

const ready = async () => (await fetch(`${server.url}/readyz`)).status;

describe('asking whether the server is ready', () => {
  it('writes to the store, once for all who ask in a second', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, ready));
    expect([new Set(answers), pings]).toEqual([new Set([200]), 1]);
    isFull = true;
    time += 999;
    expect(await ready()).toBe(200);
    time += 1;
    expect(await ready()).toBe(503);
    isFull = false;
    expect(await ready()).toBe(503);
    time += 1000;
    expect(await ready()).toBe(200);
    expect(pings).toBe(3);
  });

  it('is another question than whether it is alive', async () => {
    isFull = true;
    expect(await ready()).toBe(503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});
