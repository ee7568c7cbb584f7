import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogFields, Logger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import { ShopClient } from '../provider/shop-client.js';
import { type RunLoop, RunLoops } from '../run-loop.js';
import type { Database, Reader } from '../store/database.js';
import { TestStore } from '../testing/test-store.js';
import { LocalServer } from '../testing/local-server.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { testMerchant, TEST_ENCRYPTION } from '../testing/test-merchant.js';
import { sql } from '../store/sql.js';
import { startOutboxDispatcher } from './dispatcher.js';

const DAY_MS = 86_400_000;

interface Delivered {
  readonly merchant: string;
  readonly order: string;
  readonly type: string;
  readonly id: string;
  readonly text: string;
}

/** The dispatcher over a real store, and the shops of several merchants on one real socket. */
class OutboxHarness {
  readonly folder = mkdtempSync(join(tmpdir(), 'events-'));
  readonly delivered: Delivered[] = [];
  readonly logged: string[] = [];
  /** Transactions of the dispatcher: "begin" and "end" of each. */
  readonly transactions: string[] = [];
  /** How many deliveries of a merchant are open at this moment, and were at most. */
  readonly open = new Map<string, number>();
  readonly mostOpen = new Map<string, number>();
  /** What a shop does with an event. Default: acknowledges it. */
  answer: (delivered: Delivered, response: ServerResponse) => void = (_, response) => {
    response.writeHead(204).end();
  };
  /** Whether the dispatcher never learns what is due, and runs only when it is woken. */
  isOnlyWoken = false;
  now = Date.now();
  store!: TestStore;
  harness!: StoreHarness;
  #dispatcher: RunLoop | undefined;
  readonly #shop = new ShopClient();
  #server!: LocalServer;

  static async start(): Promise<OutboxHarness> {
    const outbox = new OutboxHarness();
    const clock = { now: () => outbox.now };
    outbox.store = await TestStore.open({
      path: join(outbox.folder, 'data.sqlite'),
      clock,
      rules: TEST_RULES,
    });
    outbox.harness = new StoreHarness(outbox.store);
    outbox.#server = await LocalServer.start((request, response) => {
      const merchant = (request.url ?? '').slice(1);
      const open = (outbox.open.get(merchant) ?? 0) + 1;
      outbox.open.set(merchant, open);
      outbox.mostOpen.set(merchant, Math.max(open, outbox.mostOpen.get(merchant) ?? 0));
      response.once('close', () => {
        outbox.open.set(merchant, (outbox.open.get(merchant) ?? 0) - 1);
      });
      void readText(request).then((text) => {
        const { type, data } = JSON.parse(text) as { type: string; data: { order: string } };
        const id = String(request.headers['webhook-id']);
        const delivered = { merchant, order: data.order, type, id, text };
        outbox.delivered.push(delivered);
        outbox.answer(delivered, response);
      });
    });
    return outbox;
  }

  /** Starts the dispatcher, or wakes it. */
  run(): void {
    const keep = (fields: LogFields, message: string): void => {
      this.logged.push(`${message} ${JSON.stringify(fields)}`);
    };
    const ignore = () => undefined;
    const logger: Logger = { debug: ignore, info: ignore, warn: keep, error: keep };
    const merchants = { find: (id: string) => Promise.resolve(this.merchant(id)) };
    if (this.#dispatcher) this.#dispatcher.wake();
    else {
      const clock = { now: () => this.now };
      const database = this.#noting(this.store.database);
      this.#dispatcher = startOutboxDispatcher({
        encryption: TEST_ENCRYPTION,
        loops: new RunLoops({ database: this.#saying(database), clock, logger, tickMs: 100 }),
        database,
        merchants,
        shop: this.#shop,
        clock,
        logger,
      });
    }
  }

  /** When the last of the events that wait is due. */
  async latestDue(): Promise<number | undefined> {
    const row = await this.store.database.get(
      sql`SELECT max(due_at) AS due FROM outbox_events WHERE status = 'pending'`,
    );
    return row?.['due'] === null ? undefined : Number(row?.['due']);
  }

  /** Events that the dispatcher has still to try by now, or whose try has not ended or is not stored. */
  async countUnsettled(): Promise<number> {
    const row = await this.store.database.get(
      sql`SELECT count(*) AS count FROM outbox_events
        WHERE status = 'sending' OR (status = 'pending' AND due_at <= ${this.now})`,
    );
    return Number(row?.['count']);
  }

  #saying(database: Database): Reader {
    return {
      get: (query) => database.get(query),
      all: (query) => (this.isOnlyWoken ? Promise.resolve([]) : database.all(query)),
    };
  }

  #noting(database: Database): Database {
    const noted = Object.create(database) as Database;
    noted.get = (query) => database.get(query);
    noted.all = (query) => database.all(query);
    noted.transaction = async (name, work) => {
      this.transactions.push(`begin ${name}`);
      const result = await database.transaction(name, work);
      this.transactions.push(`end ${name}`);
      return result;
    };
    return noted;
  }

  /** Cancels an order, which stores one event. */
  async cancel(merchant: string, order: string): Promise<string> {
    const { checkout } = await this.harness.activate({ merchant, order });
    await this.store.apply(checkout.id, { type: 'cancel-hinted' });
    return checkout.id;
  }

  merchant(id: string): Merchant {
    return testMerchant({
      id,
      events: { url: `${this.#server.url}/${id}`, allowPrivateAddress: true },
    });
  }

  /** How many deliveries to all shops are open at this moment. */
  openTogether(): number {
    return [...this.open.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The orders of what was delivered, of those whose name begins so. */
  orders(start: string): string[] {
    return this.delivered.map(({ order }) => order).filter((order) => order.startsWith(start));
  }

  of(merchant: string): readonly Delivered[] {
    return this.delivered.filter((event) => event.merchant === merchant);
  }

  async close(): Promise<void> {
    await this.#shop.close();
    await this.#server.close();
    await this.#dispatcher?.close();
    await this.store.close();
    rmSync(this.folder, { recursive: true });
  }
}

let outbox: OutboxHarness;
beforeEach(async () => {
  outbox = await OutboxHarness.start();
});
afterEach(() => outbox.close());

describe('the outbox dispatcher', () => {
  it('delivers an event only when its place in the feed is committed', async () => {
    await outbox.cancel('teashop', 'A1001');
    const inFeed = Promise.withResolvers<number>();
    outbox.answer = (_, response) => {
      void outbox.store.findFeed('teashop', 0).then(({ last }) => {
        inFeed.resolve(last);
        response.writeHead(204).end();
      });
    };
    outbox.run();
    expect(await inFeed.promise).toBe(1);
  });

  it('claims and settles an event in two transactions, and does nothing more for it', async () => {
    // On a busy machine a try outlasts a tick, which finds what is in flight still due, and claims nothing.
    outbox.isOnlyWoken = true;
    await outbox.cancel('teashop', 'A1001');
    outbox.run();
    await expect.poll(() => outbox.transactions.at(-1)).toBe('end outbox:settle');
    await outbox.cancel('teashop', 'A1002');
    outbox.run();
    await expect.poll(() => outbox.of('teashop').length).toBe(2);
    await expect.poll(() => outbox.transactions.length).toBe(8);
    expect(outbox.transactions.slice(4)).toEqual([
      'begin outbox:claim',
      'end outbox:claim',
      'begin outbox:settle',
      'end outbox:settle',
    ]);
  });

  it('goes on without a wake where the end of a try makes room for the next event', async () => {
    outbox.isOnlyWoken = true;
    for (let order = 0; order < 9; order += 1) await outbox.cancel('teashop', `T${String(order)}`);
    outbox.run();
    await expect.poll(() => outbox.of('teashop').length).toBe(9);
  });

  it('stores the results of tries that end together in one transaction', async () => {
    const held: ServerResponse[] = [];
    outbox.answer = (_, response) => held.push(response);
    for (let shop = 0; shop < 20; shop += 1) await outbox.cancel(`shop-${String(shop)}`, 'A1001');
    outbox.run();
    await expect.poll(() => held.length).toBe(20);
    for (const response of held) response.writeHead(204).end();
    await expect.poll(() => outbox.countUnsettled()).toBe(0);
    const settled = outbox.transactions.filter((name) => name === 'end outbox:settle');
    expect(settled.length).toBeLessThan(10);
  });

  it('sends no event again before its lease would have ended when its result cannot be stored', async () => {
    await outbox.cancel('teashop', 'A1001');
    outbox.store.failing.add('outbox:settle');
    outbox.run();
    await expect.poll(() => outbox.logged.length).toBe(1);
    outbox.store.failing.clear();
    outbox.now += 29_000;
    outbox.run();
    await outbox.cancel('bookshop', 'A1002');
    outbox.run();
    await expect.poll(() => outbox.of('bookshop').length).toBe(1);
    expect(outbox.of('teashop')).toHaveLength(1);
    outbox.now += 1000;
    outbox.run();
    await expect.poll(() => outbox.of('teashop').length).toBe(2);
    expect(new Set(outbox.of('teashop').map(({ id }) => id)).size).toBe(1);
  });

  it('delivers to one shop while another one hangs', async () => {
    outbox.answer = ({ merchant }, response) => {
      if (merchant !== 'hanging') response.writeHead(204).end();
    };
    for (let order = 0; order < 30; order += 1) await outbox.cancel('hanging', `H${String(order)}`);
    outbox.run();
    await expect.poll(() => outbox.of('hanging').length).toBeGreaterThan(0);
    await outbox.cancel('well', 'W1');
    outbox.run();
    await expect.poll(() => outbox.of('well').length).toBe(1);
    expect(outbox.mostOpen.get('hanging')).toBe(1);
  });

  it('reaches a shop at once after a start, while forty others hang', async () => {
    outbox.answer = ({ merchant }, response) => {
      if (merchant === 'well') response.writeHead(204).end();
    };
    for (let shop = 0; shop < 40; shop += 1) {
      for (let order = 0; order < 5; order += 1) {
        await outbox.cancel(`hanging-${String(shop)}`, `H${String(order)}`);
      }
    }
    outbox.run();
    await expect.poll(() => outbox.openTogether()).toBe(40);
    for (let order = 0; order < 20; order += 1) await outbox.cancel('well', `W${String(order)}`);
    outbox.run();
    await expect.poll(() => outbox.of('well').length).toBe(20);
    expect([outbox.openTogether(), outbox.logged]).toEqual([40, []]);
  });

  it('has five events in flight to a shop that has answered', async () => {
    const held: ServerResponse[] = [];
    outbox.answer = (_, response) => {
      if (outbox.delivered.length === 1) response.writeHead(204).end();
      else held.push(response);
    };
    for (let order = 0; order < 9; order += 1) await outbox.cancel('teashop', `T${String(order)}`);
    outbox.run();
    await expect.poll(() => held.length).toBe(5);
    expect(outbox.delivered).toHaveLength(6);
  });

  it('delivers the events of every other order when a shop answers 500 to one of them', async () => {
    outbox.answer = ({ order }, response) => {
      response.writeHead(order === 'poisoned' ? 500 : 204).end();
    };
    await outbox.cancel('teashop', 'poisoned');
    for (let order = 0; order < 20; order += 1) await outbox.cancel('teashop', `T${String(order)}`);
    outbox.run();
    await expect.poll(() => new Set(outbox.of('teashop').map(({ order }) => order)).size).toBe(21);
    for (let tries = 0; tries < 3; tries += 1) {
      // In the time that is skipped, the lease of a try would run out, and its event be tried twice. The
      // shop's first acknowledged event brought the poisoned one forward, so its second try is due by now.
      await expect.poll(() => outbox.countUnsettled()).toBe(0);
      await outbox.cancel('teashop', `later-${String(tries)}`);
      const before = outbox.delivered.length;
      outbox.now += 10 * 60_000;
      outbox.run();
      await expect.poll(() => outbox.delivered.length).toBe(before + 2);
    }
  });

  it.each([
    ['hang', () => undefined],
    ['are cut off', (response: ServerResponse) => response.destroy()],
  ])('delivers the events of every other order when those of some %s', async (_, poison) => {
    const POISONED = 12;
    outbox.answer = ({ order }, response) => {
      if (order.startsWith('poisoned')) response.destroy();
      else response.writeHead(204).end();
    };
    for (let order = 0; order < POISONED; order += 1) {
      await outbox.cancel('teashop', `poisoned-${String(order)}`);
    }
    outbox.run();
    await expect.poll(() => outbox.logged.length).toBe(POISONED);
    await outbox.cancel('teashop', 'T0');
    outbox.run();
    await expect.poll(() => outbox.orders('T')).toEqual(['T0']);

    // All of them are due again, and now they show what they can do.
    outbox.answer = ({ order }, response) => {
      if (order.startsWith('poisoned')) poison(response);
      else response.writeHead(204).end();
    };
    outbox.now += 10_000;
    outbox.run();
    await expect.poll(() => outbox.orders('poisoned').length).toBeGreaterThan(POISONED + 3);
    for (const order of ['T1', 'T2', 'T3']) {
      await outbox.cancel('teashop', order);
      outbox.run();
      await expect.poll(() => outbox.orders('T')).toContain(order);
    }
  });

  it('does not call a shop silent for one order that finds no answer', async () => {
    const held: ServerResponse[] = [];
    outbox.answer = ({ order }, response) => {
      if (order === 'poisoned') response.destroy();
      else if (order === 'T0') response.writeHead(204).end();
      else held.push(response);
    };
    await outbox.cancel('teashop', 'T0');
    outbox.run();
    await expect.poll(() => outbox.orders('T')).toEqual(['T0']);
    await outbox.cancel('teashop', 'poisoned');
    for (let tries = 1; tries <= 3; tries += 1) {
      outbox.now += 10 * 60_000;
      outbox.run();
      await expect.poll(() => outbox.logged.length).toBe(tries);
    }
    for (let order = 1; order <= 6; order += 1) await outbox.cancel('teashop', `T${String(order)}`);
    outbox.run();
    await expect.poll(() => held.length).toBe(5);
  });

  it('has one event in flight to a silent shop until it answers again', async () => {
    await outbox.cancel('teashop', 'taken');
    outbox.run();
    await expect.poll(() => outbox.of('teashop').length).toBe(1);
    outbox.answer = (_, response) => response.destroy();
    for (let order = 0; order < 8; order += 1) await outbox.cancel('teashop', `T${String(order)}`);
    outbox.run();
    await expect.poll(() => outbox.logged.length).toBe(8);

    const held: ServerResponse[] = [];
    outbox.answer = ({ merchant }, response) => {
      if (merchant === 'teashop') held.push(response);
      else response.writeHead(204).end();
    };
    outbox.mostOpen.clear();
    outbox.now += 60_000;
    outbox.run();
    await expect.poll(() => held.length).toBe(1);
    await outbox.cancel('well', 'W1');
    outbox.run();
    await expect.poll(() => outbox.of('well').length).toBe(1);
    expect(outbox.mostOpen.get('teashop')).toBe(1);
    held.pop()?.writeHead(204).end();
    await expect.poll(() => held.length).toBe(4);
  });

  it.each([
    ['hung', (response: ServerResponse) => response.destroy()],
    ['answered 500', (response: ServerResponse) => response.writeHead(500).end()],
  ])('tries all events at once when a shop that %s for a day is back', async (_, fail) => {
    const ORDERS = 8;
    for (let order = 0; order < ORDERS; order += 1)
      await outbox.cancel('teashop', `T${String(order)}`);
    outbox.answer = (_delivered, response) => fail(response);
    let tried = 0;
    for (const start = outbox.now; outbox.now < start + DAY_MS; tried += ORDERS) {
      outbox.run();
      await expect.poll(() => outbox.logged.length).toBe(tried + ORDERS);
      // The latest of their next tries.
      outbox.now = (await outbox.latestDue()) ?? outbox.now;
    }
    // None of them is due for hours, which are up to three apart, and another event is acknowledged.
    outbox.now -= 5 * 3_600_000;
    outbox.answer = (_delivered, response) => {
      response.writeHead(204).end();
    };
    await outbox.cancel('teashop', 'new');
    outbox.delivered.length = 0;
    outbox.run();
    await expect.poll(() => new Set(outbox.orders('')).size).toBe(ORDERS + 1);
  });

  it('tries an order that its shop never takes no more often for the others that it takes', async () => {
    outbox.answer = ({ order }, response) => {
      response.writeHead(order.startsWith('poisoned') ? 500 : 204).end();
    };
    for (const order of ['poisoned1', 'poisoned2', 'taken']) await outbox.cancel('teashop', order);
    outbox.run();
    await expect.poll(() => outbox.orders('').length).toBe(3);
    await expect.poll(() => outbox.countUnsettled()).toBe(0);
    for (let tries = 2; tries <= 4; tries += 1) {
      outbox.now = (await outbox.latestDue()) ?? outbox.now;
      outbox.run();
      await expect.poll(() => outbox.orders('poisoned').length).toBe(2 * tries);
      await expect.poll(() => outbox.countUnsettled()).toBe(0);
    }
    const dueAt = await outbox.latestDue();
    for (let order = 0; order < 5; order += 1) {
      await outbox.cancel('teashop', `T${String(order)}`);
      outbox.run();
      await expect.poll(() => outbox.orders('T').length).toBe(order + 1);
      await expect.poll(() => outbox.countUnsettled()).toBe(0);
    }
    expect(outbox.orders('poisoned').length).toBeLessThanOrEqual(2 * 4 + 2);
    expect(await outbox.latestDue()).toBeLessThanOrEqual(dueAt ?? 0);
  });

  it('has room for a shop that has answered, however many others hang', async () => {
    outbox.answer = ({ merchant }, response) => {
      if (merchant === 'well') response.writeHead(204).end();
    };
    await outbox.cancel('well', 'W1');
    outbox.run();
    await expect.poll(() => outbox.of('well').length).toBe(1);
    for (let shop = 0; shop < 250; shop += 1) await outbox.cancel(`gone-${String(shop)}`, 'G1');
    outbox.run();
    await expect.poll(() => outbox.openTogether()).toBe(100);
    await outbox.cancel('well', 'W2');
    outbox.run();
    await expect.poll(() => outbox.of('well').length).toBe(2);
    expect(outbox.openTogether()).toBe(100);
  });

  it('sends the same id and the same text in each try, for three days, and then dead-letters the event', async () => {
    outbox.answer = (_, response) => {
      response.writeHead(500).end();
    };
    await outbox.cancel('teashop', 'T1');
    const start = outbox.now;
    outbox.run();
    await expect.poll(() => outbox.logged.length).toBe(1);
    for (let tries = 2; !outbox.logged.at(-1)?.includes('dead-lettered'); tries += 1) {
      const due = await outbox.store.nextEventAt();
      outbox.now = due ?? outbox.now;
      outbox.run();
      await expect.poll(() => outbox.logged.length).toBe(tries);
    }
    expect(outbox.now - start).toBeGreaterThan(3 * DAY_MS);
    expect(new Set(outbox.delivered.map(({ id }) => id)).size).toBe(1);
    expect(new Set(outbox.delivered.map(({ text }) => text)).size).toBe(1);
    expect(await outbox.store.findDeadLetters({}, 10)).toMatchObject([{ order: 'T1' }]);

    outbox.answer = (_, response) => {
      response.writeHead(204).end();
    };
    await outbox.store.redeliverEvents({});
    outbox.run();
    await expect.poll(async () => outbox.store.findDeadLetters({}, 10)).toEqual([]);
    expect(new Set(outbox.delivered.map(({ id }) => id)).size).toBe(1);
  });
});
