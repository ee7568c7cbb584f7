import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runErase, runExport } from '../cli/order-commands.js';
import { PRICE, PuttingShop } from '../testing/putting-shop.js';
import { SHOP_ORIGIN, TestStack } from '../testing/test-stack.js';
import { ORDER_TABLES } from './order-data.js';

const DAY_SECONDS = 86_400;
const ENDPOINT_TOKEN = 'token-of-the-registered-endpoint';
/** What a shop or the provider may put into an order that names a person. */
const VERSION = 'version-of-nightjar';
const KEPT = 'Backups and other copies of the data file were not changed.';
const RETURN_URL = `${SHOP_ORIGIN}/result?mail=nightjar%40example.test&checkout={checkout}`;

let stack: TestStack;
beforeEach(async () => {
  const tokenHash = `sha256:${createHash('sha256').update(ENDPOINT_TOKEN).digest('hex')}`;
  stack = await TestStack.start({
    env: { PAY_ORDER_RETENTION_DAYS: '400' },
    merchant: { webhookEndpoints: [{ tokenHash, paths: { orderId: 'order_id' } }] },
  });
});
afterEach(() => stack.close());

/** An order that was paid and delivered, with a webhook to its own address and one to an endpoint. */
async function payOrder(order: string): Promise<{ checkout: string; sessionId: string }> {
  const priced = { amount: '9.99', version: VERSION, returnUrl: RETURN_URL };
  const { checkout, sessionId = '' } = (await stack.open(order, priced)).body;
  await stack.payAtProvider(sessionId);
  const deliver = (path: string, body: object) =>
    stack.fetch(path, { method: 'POST', body: JSON.stringify(body) });
  await deliver(stack.webhookPath(sessionId), { name: 'Nightjar' });
  const { order_id: orderId } = stack.session(sessionId);
  await deliver(`/v1/webhooks/${ENDPOINT_TOKEN}`, { order_id: orderId, mail: 'Nightjar' });
  await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
  await stack.until(checkout, 'paid');
  await expect
    .poll(() => rows(`SELECT 1 FROM outbox_events WHERE status = 'delivered'`).length)
    .toBeGreaterThan(0);
  await expect.poll(() => rows(`SELECT 1 FROM webhooks WHERE status = 'processed'`).length).toBe(2);
  return { checkout, sessionId };
}

function rows(query: string): Record<string, unknown>[] {
  const database = new DatabaseSync(stack.databaseFile, { readOnly: true });
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

/** All that stands in the data file and the files next to it. */
function bytesOnDisk(): Buffer {
  const files = readdirSync(stack.folder).filter((name) => /^data\.sqlite(-wal)?$/.test(name));
  return Buffer.concat(files.map((name) => readFileSync(join(stack.folder, name))));
}

describe('what is stored of an order', () => {
  it('is known column by column, so that none is forgotten when an order is erased', () => {
    const tables = rows(`SELECT name FROM sqlite_schema WHERE type = 'table'`);
    const stored = Object.fromEntries(
      tables
        .map(({ name }) => String(name))
        // Numbers by name, who reads a list, who has signed out, the servers, and sums: of no order.
        .filter(
          (name) =>
            !/^(counters|operator_sign_outs|read_turns|removed_.*|servers|sqlite_.*)$/.test(name),
        )
        .map((name) => {
          const columns = rows(`SELECT name FROM pragma_table_info('${name}')`);
          return [name, columns.map((column) => String(column['name'])).toSorted()];
        }),
    );
    const known = Object.fromEntries(
      Object.entries(ORDER_TABLES).map(([name, table]) => {
        const isDeleted = !('erases' in table);
        const columns = isDeleted ? stored[name] : [...table.keeps, ...table.erases];
        return [name, [...(columns ?? [])].toSorted()];
      }),
    );
    expect(known).toEqual(stored);
  });

  it('is exported from every table, the text of its webhooks too, and nothing of another order', async () => {
    await payOrder('A1001');
    await stack.open('A1002', { amount: '7.77' });
    const exported = (await runExport(stack.config, 'A1001', undefined)).join('\n');
    const tables = JSON.parse(exported) as Record<string, unknown[]>;
    expect(Object.keys(tables).toSorted()).toEqual(Object.keys(ORDER_TABLES).toSorted());
    for (const table of ['checkouts', 'attempts', 'matched_transactions', 'outbox_events']) {
      expect([table, tables[table]?.length]).not.toEqual([table, 0]);
    }
    expect(JSON.stringify(tables['webhooks'])).toContain('Nightjar');
    for (const text of [VERSION, 'nightjar%40example.test']) expect(exported).toContain(text);
    expect(exported).not.toContain('A1002');
  });
});

describe('an order that is erased', () => {
  it('leaves its payments, and nothing else in any byte of the data file', async () => {
    const { checkout, sessionId } = await payOrder('A1001');
    const sealed = rows('SELECT sealed FROM webhooks').map((row) => row['sealed'] as Uint8Array);
    const planted = [
      ...[VERSION, 'nightjar%40example.test', sessionId].map((text) => Buffer.from(text)),
      ...sealed.map((bytes) => Buffer.from(bytes).subarray(0, 64)),
    ];
    expect(planted.filter((bytes) => !bytesOnDisk().includes(bytes))).toEqual([]);

    const said = await runErase(stack.config, 'A1001', undefined);
    expect(said).toContain(KEPT);
    expect(planted.filter((bytes) => bytesOnDisk().includes(bytes))).toEqual([]);

    const key = { authorization: `Bearer ${stack.merchantKey}` };
    const { body } = await stack.fetch<Record<string, unknown>>('/v1/merchant/orders/A1001', {
      headers: key,
    });
    expect(body).toMatchObject({ order: 'A1001', state: 'paid', amount: '9.99', currency: 'GBP' });
    expect(rows('SELECT amount, status FROM matched_transactions')).toMatchObject([
      { status: 'SUCCESS' },
    ]);
    const events = rows('SELECT body FROM outbox_events').map(({ body: text }) => String(text));
    expect(events.join()).toContain('"state":"paid"');
    expect((await stack.reopen('A1001')).body).toMatchObject({ checkout, state: 'paid' });
  });

  it('stays erased when its transaction shows more, or pays it only now', async () => {
    stack.sandbox.control.setSwitches({ transactionVariant: 'reduced' });
    const { sessionId } = await payOrder('A1006');
    const unpaid = (await stack.open('A1007', { amount: '9.99' })).body;
    await stack.fetch(stack.returnPath(unpaid.sessionId ?? '', 'CancelUrl'));
    for (const order of ['A1006', 'A1007']) {
      await expect
        .poll(() => runErase(stack.config, order, undefined).catch(String))
        .toContain(KEPT);
    }
    stack.sandbox.control.setSwitches({ transactionVariant: 'every-field' });
    await stack.payAtProvider(unpaid.sessionId ?? '');
    await stack.post(stack.webhookPath(sessionId), { poll: 'again' });
    await stack.until(unpaid.checkout, 'paid');
    const shown = () => rows(`SELECT payment FROM checkouts`).map(({ payment }) => String(payment));
    await expect.poll(() => shown().filter((text) => text.includes('New Card'))).toHaveLength(2);
    await stack.server.close();
    expect(bytesOnDisk().includes('"pspReference"')).toBe(true);
    expect(bytesOnDisk().includes('"lastDigits"')).toBe(false);
  });

  it('is not one that may be paid at the moment, nor one that no one knows', async () => {
    await stack.open('A1002', { amount: '9.99', version: VERSION });
    await expect(runErase(stack.config, 'A1002', undefined)).rejects.toThrow('may be paid');
    expect(rows('SELECT shop_version FROM checkouts')).toEqual([{ shop_version: VERSION }]);
    await expect(runErase(stack.config, 'nowhere', undefined)).rejects.toThrow('there is no');
  });

  it('can be paid in a new session, where it was not paid', async () => {
    const { sessionId = '' } = (await stack.open('A1003', { amount: '9.99' })).body;
    await stack.fetch(stack.returnPath(sessionId, 'CancelUrl'));
    await expect.poll(() => runErase(stack.config, 'A1003', 'teashop').then(() => true)).toBe(true);
    const { body } = await stack.reopen('A1003');
    expect(body).toMatchObject({ state: 'open', sessionId: expect.any(String) as string });
    expect(body.sessionId).not.toBe(sessionId);
  });

  it('is every one that is older than the retention, and no other', async () => {
    await payOrder('A1004');
    await stack.server.close();
    stack.advance(400 * DAY_SECONDS - 600);
    await stack.startServer();
    await stack.open('A1005', { amount: '9.99', version: VERSION });
    const versions = () =>
      rows('SELECT order_name, shop_version FROM checkouts ORDER BY number').map((row) => ({
        ...row,
      }));
    const before = { order_name: 'A1005', shop_version: VERSION };
    expect(versions()).toEqual([{ order_name: 'A1004', shop_version: VERSION }, before]);
    await stack.server.close();
    stack.advance(1200);
    await stack.startServer();
    await expect.poll(versions).toEqual([{ order_name: 'A1004', shop_version: null }, before]);
  });
});

describe('an order that was put', () => {
  const PERSON = { ...PRICE, description: 'For Nightjar', customer: { lastName: 'Nightjar' } };
  let shop: PuttingShop;
  beforeEach(async () => {
    shop = await PuttingShop.start({ env: { PAY_ORDER_RETENTION_DAYS: '400' } });
  });
  afterEach(() => shop.stack.close());

  /** Of each order, how much of it is stored encrypted. */
  const sealedOf = () => {
    const database = new DatabaseSync(shop.stack.databaseFile, { readOnly: true });
    try {
      const query = 'SELECT order_name, length(sealed) AS length FROM orders ORDER BY order_name';
      return database
        .prepare(query)
        .all()
        .map((row) => [row['order_name'], row['length']]);
    } finally {
      database.close();
    }
  };
  const some = expect.any(Number) as number;

  it('is exported with what is encrypted of it, and erased, also before it has a checkout', async () => {
    await shop.put('P1', PERSON);
    const exported = (await runExport(shop.stack.config, 'P1', undefined)).join('\n');
    const { orders } = JSON.parse(exported) as { orders: object[] };
    expect(orders).toMatchObject([
      { order_name: 'P1', description: 'For Nightjar', customer: { lastName: 'Nightjar' } },
    ]);
    expect(sealedOf()).toEqual([['P1', some]]);
    await runErase(shop.stack.config, 'P1', undefined);
    expect(sealedOf()).toEqual([['P1', null]]);
    expect(await shop.get('P1')).toMatchObject({ state: 'open', amount: '9.99' });
    expect((await shop.get('P1')).description).toBeUndefined();
    // It can be paid without, and has it again when it is put again.
    expect((await shop.putAndOpen('P1', PERSON)).state).toBe('open');
    expect((await shop.get('P1')).description).toBe('For Nightjar');
  });

  it('is erased when it is older than the retention, and put no more since', async () => {
    for (const order of ['P2', 'P3', 'P4']) await shop.put(order, PERSON);
    await shop.stack.server.close();
    shop.stack.advance(400 * DAY_SECONDS - 600);
    await shop.stack.startServer();
    await shop.put('P3', { ...PERSON, amount: '12.00' });
    await shop.put('P4', PERSON);
    expect(sealedOf()).toEqual([
      ['P2', some],
      ['P3', some],
      ['P4', some],
    ]);
    await shop.stack.server.close();
    shop.stack.advance(1200);
    await shop.stack.startServer();
    await expect.poll(sealedOf).toEqual([
      ['P2', null],
      ['P3', some],
      ['P4', some],
    ]);
  });
});
