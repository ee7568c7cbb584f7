import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TestStack } from '../testing/test-stack.js';

/** From now on no commit can be synced: SQLITE_IOERR_FSYNC. */
function breakDisk(): void {
  const exec = DatabaseSync.prototype.exec;
  vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
    this: DatabaseSync,
    text: string,
  ) {
    if (text === 'COMMIT') throw Object.assign(new Error('disk I/O error'), { errcode: 1034 });
    exec.call(this, text);
  });
}

let stack: TestStack;
beforeEach(async () => {
  stack = await TestStack.start();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stack.close();
});

const statusOf = async (path: string) => (await stack.fetch(path)).status;

describe('a server whose disk did not keep what was written', () => {
  it('reports no payment that may not be there after a restart', async () => {
    const { body } = await stack.open('A1', { amount: '9.99' });
    await stack.payAtProvider(body.sessionId ?? '');
    breakDisk();
    expect((await stack.post(stack.webhookPath(body.sessionId ?? ''), {})).status).toBe(500);
    expect(await statusOf(`/v1/checkouts?id=${body.checkout}:0`)).toBe(500);
    const order = await stack.fetch('/v1/merchant/orders/A1', {
      headers: { authorization: `Bearer ${stack.merchantKey}` },
    });
    expect(order.status).toBe(500);
    expect(stack.shop.events).toEqual([]);
  });

  it('says that it is not ready, and that it has to be restarted; then it goes on', async () => {
    const { body } = await stack.open('A1', { amount: '9.99' });
    breakDisk();
    await expect.poll(() => statusOf('/healthz')).toBe(503);
    expect(await statusOf('/readyz')).toBe(503);
    vi.restoreAllMocks();
    expect(await statusOf('/healthz')).toBe(503);
    await stack.server.close();
    await stack.startServer();
    expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 200]);
    expect((await stack.reopen('A1')).body).toMatchObject({ sessionId: body.sessionId });
  });
});
