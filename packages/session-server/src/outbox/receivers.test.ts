import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ShopClient } from '../provider/shop-client.js';
import { RunLoops } from '../run-loop.js';
import { TestStore } from '../testing/test-store.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { testMerchant, TEST_ENCRYPTION } from '../testing/test-merchant.js';
import { startOutboxDispatcher } from './dispatcher.js';

const PAGE = join(import.meta.dirname, '../../../../docs/events.md');
const MODULES = join(import.meta.dirname, '../../node_modules');
const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Starts a shop whose receiver is the very code of `docs/events.md`. */
const SHOPS = {
  'Express receiver': `
    import express from 'express';
    import { events } from './receiver-express.js';
    import { ordersToShip } from './take-event.js';
    const app = express().use(events).get('/to-ship', (_, response) => response.json(ordersToShip()));
    const server = app.listen(0, '127.0.0.1', () => process.send(server.address().port));`,
};

/** The code blocks of the page that begin with the name of a file. */
function readSnippets(): Map<string, string> {
  const blocks = readFileSync(PAGE, 'utf8').matchAll(/^```js\n(\/\/ ([\w-]+\.js)\n[^]*?)^```$/gm);
  return new Map([...blocks].map(([, code = '', name = '']) => [name, code]));
}

describe.each(Object.entries(SHOPS))('the %s of docs/events.md', (_name, program) => {
  let folder: string;
  let child: ChildProcess;
  let url: string;
  let shop: DatabaseSync;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'receiver-'));
    const database = join(folder, 'shop.sqlite');
    shop = new DatabaseSync(database);
    shop.exec(`CREATE TABLE orders (id TEXT, amount TEXT, currency TEXT, paid_by TEXT);
      INSERT INTO orders VALUES ('A1001', '9.99', 'GBP', NULL), ('A1002', '5.00', 'GBP', NULL)`);
    for (const [file, code] of readSnippets()) writeFileSync(join(folder, file), code);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'shop.js'), program);
    symlinkSync(MODULES, join(folder, 'node_modules'));
    child = spawn(process.execPath, [join(folder, 'shop.js')], {
      env: { SHOP_DATABASE: database, SIGNING_SECRET: SECRET, NODE_ENV: 'test' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const [port] = (await once(child, 'message')) as [number];
    url = `http://127.0.0.1:${String(port)}`;
  });
  afterEach(async () => {
    child.kill();
    await once(child, 'exit');
    shop.close();
    rmSync(folder, { recursive: true });
  });

  /** An event of a paid order, but for what a test changes. */
  function event(changes: Readonly<Record<string, unknown>> = {}, type = 'checkout.paid'): string {
    const data = {
      merchant: 'teashop',
      order: 'A1001',
      checkout: 'checkout-1',
      state: 'paid',
      certain: true,
      sequence: 1,
      amount: '9.99',
      currency: 'GBP',
      refund: 'none',
      attention: [],
      ...changes,
    };
    return JSON.stringify({ type, timestamp: new Date().toISOString(), data });
  }

  async function send(body: string, headers: Record<string, string> = {}): Promise<number> {
    const now = new Date();
    const signature = new Webhook(SECRET).sign('msg_1', now, body);
    const { status } = await fetch(`${url}/api/events`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': signature,
        ...headers,
      },
    });
    return status;
  }

  const toShip = async (): Promise<unknown> => (await fetch(`${url}/to-ship`)).json();

  function paidBy(order = 'A1001'): unknown {
    return shop.prepare('SELECT paid_by FROM orders WHERE id = ?').get(order)?.['paid_by'];
  }

  it('marks an order paid by what the session server really sends', async () => {
    const store = await TestStore.open({
      path: join(folder, 'pay.sqlite'),
      clock: { now: () => Date.now() },
      rules: TEST_RULES,
    });
    const events = { url: `${url}/api/events`, allowPrivateAddress: true };
    const merchant = testMerchant({ signingSecret: [SECRET], events });
    const client = new ShopClient();
    const harness = new StoreHarness(store);
    const { checkout, attempt } = await harness.activate();
    await store.apply(checkout.id, { type: 'came-back', kind: 'cancel' });
    await harness.pay(attempt.orderId, { refundedMinor: 400 });
    const clock = { now: () => Date.now() };
    const dispatcher = startOutboxDispatcher({
      encryption: TEST_ENCRYPTION,
      loops: new RunLoops({ database: store.database, clock, logger: SILENT, tickMs: 100 }),
      database: store.database,
      merchants: { find: () => Promise.resolve(merchant) },
      shop: client,
      clock,
      logger: SILENT,
    });
    const seen = (): unknown => shop.prepare('SELECT sequence, refund FROM checkouts').get();
    await expect.poll(seen).toMatchObject({ sequence: 4, refund: 'partial' });
    expect(paidBy()).toBe(checkout.id);
    expect(await store.findDeadLetters({}, 1)).toEqual([]);
    await dispatcher.close();
    await client.close();
    await store.close();
  });

  it('takes a repeated event as one', async () => {
    expect([await send(event()), await send(event()), await send(event())]).toEqual([
      204, 204, 204,
    ]);
    expect([paidBy(), await toShip()]).toEqual(['checkout-1', ['A1001']]);
    shop.exec('UPDATE orders SET paid_by = NULL');
    await send(event());
    expect(paidBy()).toBeNull();
  });

  it('loses no payment when later news came first, and ships nothing that was refunded', async () => {
    await send(event({ sequence: 2, refund: 'full' }, 'checkout.refunded'));
    expect([paidBy(), await toShip()]).toEqual(['checkout-1', []]);
    expect(await send(event({ sequence: 1 }))).toBe(204);
    expect([paidBy(), await toShip()]).toEqual(['checkout-1', []]);
  });

  it('loses no payment when a warning came first, and waits for a person', async () => {
    const attention = ['late_payment'];
    await send(event({ sequence: 2, attention }, 'checkout.attention'));
    await send(event({ sequence: 1 }));
    expect([paidBy(), await toShip()]).toEqual(['checkout-1', []]);
  });

  it('lets the end of one checkout take nothing from the payment of another', async () => {
    await send(event({ sequence: 1 }));
    const other = { checkout: 'checkout-2', sequence: 7, state: 'expired', certain: false };
    await send(event(other, 'checkout.expired'));
    expect([paidBy(), await toShip()]).toEqual(['checkout-1', ['A1001']]);
  });

  it.each([
    ['not certain', { certain: false }],
    ['of another state', { state: 'unconfirmed' }],
    ['of another amount', { amount: '9.98' }],
    ['of another currency', { currency: 'EUR' }],
    ['of another order', { order: 'A1003' }],
  ])('pays nothing by an event that is %s', async (_what, changes) => {
    expect(await send(event(changes))).toBe(204);
    expect([paidBy(), paidBy('A1002')]).toEqual([null, null]);
  });

  it('refuses an event that is not signed, or that was changed, or that is old', async () => {
    const hourAgo = String(Math.floor(Date.now() / 1000) - 3600);
    const other = new Webhook(Buffer.alloc(32, 1).toString('base64'));
    const forged = other.sign('msg_1', new Date(), event());
    expect(await send(event(), { 'webhook-signature': '' })).toBe(401);
    expect(await send(event(), { 'webhook-signature': forged })).toBe(401);
    expect(await send(event(), { 'webhook-timestamp': hourAgo })).toBe(401);
    expect(await send(event(), { 'webhook-id': 'msg_2' })).toBe(401);
    expect(await send('', { 'webhook-signature': '' })).toBe(401);
    const unpaid = event({ certain: false });
    const ofAnother = new Webhook(SECRET).sign('msg_1', new Date(), unpaid);
    expect(await send(event(), { 'webhook-signature': ofAnother })).toBe(401);
    expect(paidBy()).toBeNull();
  });

  it('answers an event that it could not store with 500, and takes it when it comes again', async () => {
    shop.exec('ALTER TABLE orders RENAME TO hidden');
    expect(await send(event())).toBe(500);
    shop.exec('ALTER TABLE hidden RENAME TO orders');
    expect(await send(event())).toBe(204);
    expect(paidBy()).toBe('checkout-1');
  });
});
