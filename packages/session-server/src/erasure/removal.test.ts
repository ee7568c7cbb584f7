import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PRICE, PuttingShop } from '../testing/putting-shop.js';

const DAY_SECONDS = 86_400;

let shop: PuttingShop;
beforeEach(async () => {
  shop = await PuttingShop.start({ env: { PAY_ORDER_REMOVAL_DAYS: '91' } });
});
afterEach(() => shop.stack.close());

function count(from: string): number {
  const database = new DatabaseSync(shop.stack.databaseFile, { readOnly: true });
  try {
    return Number(database.prepare(`SELECT count(*) AS rows FROM ${from}`).get()?.['rows']);
  } finally {
    database.close();
  }
}

async function restartAfter(days: number): Promise<void> {
  await shop.stack.server.close();
  shop.stack.advance(days * DAY_SECONDS);
  await shop.stack.startServer();
}

it('an order whose rows were removed is never paid twice: not by its link, nor put again', async () => {
  const { body: put } = await shop.put('P1', { ...PRICE, expiresInSeconds: 365 * DAY_SECONDS });
  const { checkout, sessionId } = (await shop.open(put)).body;
  await shop.payIn(sessionId, checkout);
  await shop.putAndOpen('newest');
  await restartAfter(100);
  // It is polled for its refunds a last time.
  await expect.poll(() => count(`attempts WHERE next_poll_at IS NOT NULL`)).toBe(0);
  expect(count('attempts')).toBe(2);
  await restartAfter(1);
  await expect.poll(() => count('attempts')).toBe(1);
  const paid = { order: 'P1', state: 'paid', amount: '9.99', refund: 'none' };
  expect(await shop.get('P1')).toMatchObject({ ...paid, checkouts: [{ attempts: [] }] });
  expect((await shop.open(put)).body).toMatchObject({ checkout, state: 'paid' });
  expect(await shop.put('P1', { ...PRICE, amount: '1.00' })).toMatchObject({
    status: 409,
    body: { code: 'order_already_paid' },
  });
  await restartAfter(301);
  await expect.poll(() => count('orders')).toBe(1);
  expect(count(`removed_orders WHERE paid = 1 AND amount_minor = 999`)).toBe(1);
  expect((await shop.open(put)).body).toMatchObject({ code: 'order_token_expired' });
});
