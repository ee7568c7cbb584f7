import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runRestore } from '../cli/restore-command.js';
import type { MerchantEvent, MerchantEventList, MerchantOrderList } from '../contract.js';
import { DataEncryption, loadSandboxKeys } from '../encryption.js';
import { listOrders } from '../orders/order-list.js';
import type { Reader } from '../store/database.js';
import { PRICE, PuttingShop } from '../testing/putting-shop.js';
import { TEST_RULES } from '../testing/store-harness.js';
import { TestStore } from '../testing/test-store.js';
import { readMerchantOrders } from './order-view.js';

function hashOf(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

describe('the list of orders', () => {
  let shop: PuttingShop;
  const times: Record<string, string> = {};
  beforeAll(async () => {
    shop = await PuttingShop.start();
    for (const order of ['A1', 'A2', 'A3', 'A4', 'A5']) {
      await shop.put(order);
      times[order] = (await shop.get(order)).createdAt;
      shop.stack.clock.advance(order === 'A2' ? 0 : 60);
    }
  });
  afterAll(() => shop.stack.close());

  const list = async (query: Readonly<Partial<Record<string, string | number>>>) => {
    const pairs = Object.entries(query).map(
      ([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`,
    );
    return shop.ask<MerchantOrderList>('GET', `orders?${pairs.join('&')}`);
  };
  const names = ({ orders }: MerchantOrderList): string[] => orders.map(({ order }) => order);

  it('has each order once, newest first, whatever changes between two pages', async () => {
    const first = (await list({ limit: 2 })).body;
    expect(names(first)).toEqual(['A5', 'A4']);
    await shop.put('A1', { ...PRICE, amount: '12.00' });
    await shop.makeVoid('A3');
    await shop.put('A6');
    const second = (await list({ limit: 2, cursor: first.nextCursor ?? '' })).body;
    await shop.makeVoid('A2');
    const third = (await list({ limit: 2, cursor: second.nextCursor ?? '' })).body;
    expect([names(second), names(third)]).toEqual([['A3', 'A2'], ['A1']]);
    expect(third.nextCursor).toBeNull();
    expect((await list({ limit: 5 })).body.nextCursor).not.toBeNull();
    expect(names((await list({})).body)).toEqual(['A6', 'A5', 'A4', 'A3', 'A2', 'A1']);
  });

  it('says of each order what the order’s own route says', async () => {
    const { orders } = (await list({ limit: 1 })).body;
    expect(orders).toEqual([await shop.get('A6')]);
  });

  it('has only orders in the state that is asked for', async () => {
    const { sessionId, checkout } = await shop.putAndOpen('A4');
    await shop.payIn(sessionId, checkout);
    expect(names((await list({ state: 'paid' })).body)).toEqual(['A4']);
    expect(names((await list({ state: 'void' })).body)).toEqual(['A3', 'A2']);
    expect(names((await list({ state: 'open', limit: 2 })).body)).toEqual(['A6', 'A5']);
  });

  it('has only orders that changed in the time that is asked for', async () => {
    shop.stack.clock.advance(60);
    await shop.put('A5', { ...PRICE, amount: '12.00' });
    const { updatedAt, createdAt } = await shop.get('A5');
    expect(createdAt).toBe(times['A5']);
    expect(names((await list({ updatedAfter: updatedAt })).body)).toEqual(['A5']);
    expect(names((await list({ updatedBefore: updatedAt })).body)).not.toContain('A5');
    expect((await list({ updatedBefore: updatedAt })).body.orders).toHaveLength(5);
  });

  it('also has orders whose price the shop was asked for', async () => {
    await shop.stack.server.close();
    shop.stack.changeMerchant({
      orderTokenSecret: [shop.stack.orderTokenSecret],
      orderLookup: { url: `${shop.stack.shopUrl}/order-lookup`, allowPrivateAddress: true },
    });
    await shop.stack.startServer();
    await shop.stack.open('L1', PRICE);
    const [order] = (await list({ limit: 1 })).body.orders;
    expect(order).toMatchObject({ order: 'L1', state: 'open', amount: '9.99' });
    // What was put of an order does not count once its shop is asked for it.
    expect((await shop.stack.open('A3', { amount: '7.00' })).status).toBe(200);
    expect(await shop.get('A3')).toMatchObject({ state: 'open', amount: '7.00' });
  });

  it('has an order as open again when another price of it is opened', async () => {
    const { checkout, sessionId } = (await shop.stack.open('L2', PRICE)).body;
    const hint = { kind: 'cancelled', sessionId };
    await shop.stack.post(`/v1/checkouts/${checkout}/hints`, hint);
    expect(names((await list({ state: 'cancelled' })).body)).toEqual(['L2']);
    await shop.stack.open('L2', { amount: '8.00' });
    expect(names((await list({ state: 'cancelled' })).body)).toEqual([]);
    expect(names((await list({ state: 'open', limit: 1 })).body)).toEqual(['L2']);
  });

  it.each([
    ['limit', { limit: 201 }],
    ['limit', { limit: 0 }],
    ['state', { state: 'sold' }],
    ['updatedAfter', { updatedAfter: 'yesterday' }],
    ['after', { after: '1' }],
  ])('names what it does not understand: %s', async (field, query) => {
    const { status, body } = await list(query);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors?.map((error) => error.field)).toEqual([field]);
  });

  it.each(['x', 'WzEsMl0', 'bm9uc2Vuc2U'])('refuses a cursor that is none: %s', async (cursor) => {
    const { status, body } = await list({ cursor });
    expect([status, body.code]).toEqual([400, 'unknown_cursor']);
  });
});

describe('many lists of one merchant', () => {
  let shop: PuttingShop;
  afterEach(() => shop.stack.close());

  const start = async (orders: number, apiPerMerchant = 3000): Promise<void> => {
    shop = await PuttingShop.start({ tuning: { rateLimits: { apiPerMerchant } } });
    for (let number = 0; number < orders; number += 1) await shop.put(`A${String(number)}`);
  };

  it('are read one after the other, and everyone else is served between two of them', async () => {
    await start(20);
    // Not compressed: that happens in other threads, and several answers may be done in one turn.
    const headers = {
      authorization: `Bearer ${shop.stack.merchantKey}`,
      'accept-encoding': 'identity',
    };
    const ask = () => shop.stack.fetch('/v1/merchant/orders', { headers });
    const askAll = () => Promise.all(Array.from({ length: 24 }, async () => (await ask()).status));
    // Their connections are open, so that all requests arrive in one turn of the event loop.
    await askAll();
    let inThisTurn = 0;
    let most = 0;
    const count = () => {
      inThisTurn += 1;
      most = Math.max(most, inThisTurn);
    };
    subscribe('http.server.response.finish', count);
    const asked = new AbortController();
    const turns = (async () => {
      while (!asked.signal.aborted) {
        await nextTurn();
        inThisTurn = 0;
      }
    })();
    expect(new Set(await askAll())).toEqual(new Set([200]));
    asked.abort();
    await turns;
    unsubscribe('http.server.response.finish', count);
    // Sending an answer may take until the next turn.
    expect(most).toBeLessThanOrEqual(2);
  });

  it('are read with as many statements however long they are', async () => {
    await start(20);
    for (const number of [1, 2, 3]) await shop.putAndOpen(`A${String(number)}`);
    const { clock, databaseFile: path } = shop.stack;
    const store = TestStore.openAlongside({ path, clock, rules: TEST_RULES }, 'read');
    const encryption = new DataEncryption(loadSandboxKeys(path));
    const read = async (limit: number) => {
      const { orders } = await listOrders(store.database, { merchant: 'teashop', limit });
      let statements = 0;
      const reader: Reader = {
        get: () => Promise.reject(new Error('one row at a time')),
        all: (query) => {
          statements += 1;
          return store.database.all(query);
        },
      };
      const views = await readMerchantOrders(reader, orders, encryption);
      return [views.length, statements];
    };
    expect([await read(18), await read(20)]).toEqual([
      [18, 3],
      [20, 3],
    ]);
    await store.close();
  });

  it('take no cursor with a character that PostgreSQL cannot read', async () => {
    await start(20);
    const cursor = Buffer.from(JSON.stringify([1, 'A\0'])).toString('base64url');
    const { status, body } = await shop.ask('GET', `orders?cursor=${cursor}`);
    expect([status, body.code]).toEqual([400, 'unknown_cursor']);
  });

  it.each(['orders', 'events'])('count by their rows: %s', async (list) => {
    await start(0, 30);
    const ask = async (limit: number) => {
      const { status, body } = await shop.ask('GET', `${list}?limit=${String(limit)}`);
      return [status, body.code];
    };
    expect(await ask(200)).toEqual([200, undefined]);
    expect(await ask(1)).toEqual([200, undefined]);
    expect(await ask(200)).toEqual([429, 'too_many_requests']);
  });
});

describe('the feed of events', () => {
  let shop: PuttingShop;
  beforeEach(async () => {
    shop = await PuttingShop.start();
  });
  afterEach(() => shop.stack.close());

  const read = (after?: string, limit = 50) =>
    shop.ask<MerchantEventList>(
      'GET',
      `events?limit=${String(limit)}${after === undefined ? '' : `&after=${after}`}`,
    );
  const readAll = async (after?: string) => (await read(after)).body;
  const orders = ({ events }: MerchantEventList): string[] => events.map(({ data }) => data.order);

  async function cancel(order: string): Promise<void> {
    const { sessionId, checkout } = await shop.putAndOpen(order);
    await shop.stack.post(`/v1/checkouts/${checkout}/hints`, { kind: 'cancelled', sessionId });
  }

  it('has each event with the id and the body of its deliveries', async () => {
    await cancel('A1');
    const { sessionId, checkout } = await shop.putAndOpen('A2');
    await shop.payIn(sessionId, checkout);
    const { shop: receiver } = shop.stack;
    await expect.poll(() => receiver.events).toHaveLength(2);
    await expect.poll(async () => (await readAll()).events).toHaveLength(2);
    const { events } = await readAll();
    const withoutCursor = events.map(({ cursor: _, ...event }) => event);
    const delivered = receiver.events.map(({ id, body }) => ({
      id,
      ...(JSON.parse(body) as Omit<MerchantEvent, 'id' | 'cursor'>),
    }));
    expect(withoutCursor).toEqual(delivered);
    expect(events.map(({ type }) => type)).toEqual(['checkout.cancelled', 'checkout.paid']);
  });

  it('is read page by page, and goes on where it ended', async () => {
    for (const order of ['B1', 'B2', 'B3']) await cancel(order);
    await expect.poll(async () => orders(await readAll())).toEqual(['B1', 'B2', 'B3']);
    const first = (await read(undefined, 2)).body;
    expect([orders(first), first.hasMore]).toEqual([['B1', 'B2'], true]);
    const second = (await read(first.cursor, 2)).body;
    expect([orders(second), second.hasMore]).toEqual([['B3'], false]);
    expect(orders(await readAll(first.events[0]?.cursor))).toEqual(['B2', 'B3']);
    const end = await readAll(second.cursor);
    expect(end).toMatchObject({ merchant: 'teashop', events: [], cursor: second.cursor });
    expect(end.hasMore).toBe(false);
    await cancel('B4');
    await expect.poll(async () => orders(await readAll(end.cursor))).toEqual(['B4']);
  });

  it('begins before the first event there is', async () => {
    const { cursor, events } = await readAll();
    expect(events).toEqual([]);
    await cancel('C1');
    await expect.poll(async () => orders(await readAll(cursor))).toEqual(['C1']);
  });

  it('skips no event of a transaction that began before others and was committed after them', async () => {
    const { sessionId, checkout } = await shop.putAndOpen('D1');
    await cancel('D2');
    await expect.poll(async () => orders(await readAll())).toEqual(['D2']);
    // It writes its event, older than the others, and holds its transaction open in the meantime.
    const stalled = new DatabaseSync(shop.stack.databaseFile);
    stalled.exec('BEGIN IMMEDIATE');
    stalled
      .prepare(
        `INSERT INTO outbox_events (id, checkout, merchant, type, sequence, body, status, tries,
           due_at, created_at)
         SELECT 'msg_stalled', id, merchant, 'checkout.left', 1, ?, 'delivered', 0, NULL, 1
         FROM checkouts WHERE id = ?`,
      )
      .run(JSON.stringify({ type: 'checkout.left', data: { order: 'D1' } }), checkout);
    const passed = await readAll();
    expect(orders(passed)).toEqual(['D2']);
    stalled.exec('COMMIT');
    stalled.close();
    await cancel('D3');
    await expect
      .poll(async () => orders(await readAll(passed.cursor)))
      .toEqual(expect.arrayContaining(['D1', 'D3']));
    // Nothing is placed before what a reader has passed, and nothing moves.
    const after = await readAll(passed.cursor);
    expect(await readAll()).toEqual({ ...after, events: [...passed.events, ...after.events] });
    expect(sessionId).toBeDefined();
  });

  it('has the events of its merchant only', async () => {
    await cancel('E1');
    await expect.poll(async () => orders(await readAll())).toEqual(['E1']);
    await shop.stack.server.close();
    shop.stack.addMerchant({ id: 'coffeeshop', apiKeyHash: [hashOf('other-key')] });
    await shop.stack.startServer();
    const other = await shop.ask<MerchantEventList>('GET', 'events', undefined, 'other-key');
    expect(other.body.events).toEqual([]);
    const list = await shop.ask<MerchantOrderList>('GET', 'orders', undefined, 'other-key');
    expect(list.body.orders).toEqual([]);
  });

  it('refuses a cursor of another merchant: its places have other events', async () => {
    await cancel('E2');
    await expect.poll(async () => orders(await readAll())).toEqual(['E2']);
    const { cursor } = await readAll();
    await shop.stack.server.close();
    shop.stack.changeMerchant({ apiKeyHash: [hashOf('first-key')] });
    shop.stack.addMerchant({ id: 'coffeeshop', apiKeyHash: [hashOf(shop.stack.merchantKey)] });
    await shop.stack.startServer();
    const { body: put } = await shop.put('E3');
    const { body } = await shop.open(put, { merchant: 'coffeeshop' });
    const { checkout, sessionId } = body;
    await shop.stack.post(`/v1/checkouts/${checkout}/hints`, { kind: 'cancelled', sessionId });
    await expect.poll(async () => orders(await readAll())).toEqual(['E3']);
    expect((await read(cursor)).body.code).toBe('unknown_cursor');
  });

  it('refuses a cursor that it has not given out', async () => {
    await cancel('F1');
    await expect.poll(async () => orders(await readAll())).toEqual(['F1']);
    const { cursor } = await readAll();
    const [store] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, number];
    const ahead = Buffer.from(JSON.stringify([store, 2])).toString('base64url');
    const elsewhere = Buffer.from(JSON.stringify(['elsewher', 1])).toString('base64url');
    for (const unknown of ['x', ahead, elsewhere]) {
      const { status, body } = await read(unknown);
      expect([unknown, status, body.code]).toEqual([unknown, 400, 'unknown_cursor']);
    }
  });

  it('refuses a cursor from before a backup was put back: its places have other events now', async () => {
    await cancel('G1');
    await expect.poll(async () => orders(await readAll())).toEqual(['G1']);
    const { cursor } = await readAll();
    await shop.stack.server.close();
    await runRestore(shop.stack.config, ['--since', new Date(Date.now() - 1000).toISOString()]);
    await shop.stack.startServer();
    expect((await read(cursor)).body.code).toBe('unknown_cursor');
    expect(orders(await readAll())).toEqual(['G1']);
  });
});
