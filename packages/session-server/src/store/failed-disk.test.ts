import type * as FileSystem from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TestStack } from '../testing/test-stack.js';

/** The disk under the log: from when a test says so it keeps nothing, and says that. */
const disk = vi.hoisted(() => ({ isBroken: false }));
vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof FileSystem>();
  return {
    ...real,
    fdatasync(descriptor: number, answer: (error: Error | null) => void) {
      if (!disk.isBroken) real.fdatasync(descriptor, answer);
      else setImmediate(answer, Object.assign(new Error('i/o error'), { code: 'EIO' }));
    },
  };
});

let stack: TestStack;
beforeEach(async () => {
  stack = await TestStack.start();
});
afterEach(async () => {
  disk.isBroken = false;
  await stack.close();
});

const statusOf = async (path: string) => (await stack.fetch(path)).status;

describe('a server whose disk did not keep what was written', () => {
  it('tells nobody of a payment that may not be there after a start', async () => {
    const { body } = await stack.open('A1', { amount: '9.99' });
    await stack.payAtProvider(body.sessionId ?? '');
    disk.isBroken = true;
    expect((await stack.post(stack.webhookPath(body.sessionId ?? ''), {})).status).toBe(500);
    expect(await statusOf(`/v1/checkouts?id=${body.checkout}:0`)).toBe(500);
    const order = await stack.fetch('/v1/merchant/orders/A1', {
      headers: { authorization: `Bearer ${stack.merchantKey}` },
    });
    expect(order.status).toBe(500);
    expect(stack.shop.events).toEqual([]);
  });

  it('says that it is not ready, and that it has to be started anew; then it goes on', async () => {
    const { body } = await stack.open('A1', { amount: '9.99' });
    disk.isBroken = true;
    await expect.poll(() => statusOf('/healthz')).toBe(503);
    expect(await statusOf('/readyz')).toBe(503);
    disk.isBroken = false;
    expect(await statusOf('/healthz')).toBe(503);
    await stack.server.close();
    await stack.startServer();
    expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 200]);
    expect((await stack.reopen('A1')).body).toMatchObject({ sessionId: body.sessionId });
  });
});
