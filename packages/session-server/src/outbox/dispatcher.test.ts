import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogFields, Logger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import { ShopClient } from '../provider/shop-client.js';
import type { RunLoop } from '../run-loop.js';
import { SqliteCheckoutStore } from '../store/sqlite-store.js';
import { LocalServer } from '../testing/local-server.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';
import { startOutboxDispatcher } from './dispatcher.js';

const DAY_MS = 86_400_000;

interface Delivered {
  readonly merchant: string;
  readonly order: string;
  readonly type: string;
  readonly id: string;
  readonly text: string;
}

/** The event sender over a real store, and the shops of several merchants on one real socket. */
class Sending {
  readonly folder = mkdtempSync(join(tmpdir(), 'events-'));
  readonly delivered: Delivered[] = [];
  readonly logged: string[] = [];
  /** How many deliveries of a merchant are open at this moment, and were at most. */
  readonly open = new Map<string, number>();
  readonly mostOpen = new Map<string, number>();
  /** What a shop does with an event; default: it takes it. */
  answer: (delivered: Delivered, response: ServerResponse) => void = (_, response) => {
    response.writeHead(204).end();
  };
  now = Date.now();
  store!: SqliteCheckoutStore;
  harness!: StoreHarness;
  #sender: RunLoop | undefined;
  readonly #shop = new ShopClient();
  #server!: LocalServer;

  static async start(): Promise<Sending> {
    const sending = new Sending();
    const clock = { now: () => sending.now };
    sending.store = await SqliteCheckoutStore.open({
      path: join(sending.folder, 'data.sqlite'),
      clock,
      rules: TEST_RULES,
    });
    sending.harness = new StoreHarness(sending.store);
    sending.#server = await LocalServer.start((request, response) => {
      const merchant = (request.url ?? '').slice(1);
      const open = (sending.open.get(merchant) ?? 0) + 1;
      sending.open.set(merchant, open);
      sending.mostOpen.set(merchant, Math.max(open, sending.mostOpen.get(merchant) ?? 0));
      response.once('close', () => {
        sending.open.set(merchant, (sending.open.get(merchant) ?? 0) - 1);
      });
      void readText(request).then((text) => {
        const { type, data } = JSON.parse(text) as { type: string; data: { order: string } };
        const id = String(request.headers['webhook-id']);
        const delivered = { merchant, order: data.order, type, id, text };
        sending.delivered.push(delivered);
        sending.answer(delivered, response);
      });
    });
    return sending;
  }

  /** Starts the sender, or wakes it. */
  run(): void {
    const keep = (fields: LogFields, message: string): void => {
      this.logged.push(`${message} ${JSON.stringify(fields)}`);
    };
    const logger: Logger = { info: keep, warn: keep, error: keep };
    const merchants = { find: (id: string) => Promise.resolve(this.merchant(id)) };
    if (this.#sender) this.#sender.wake();
    else {
      this.#sender = startOutboxDispatcher({
        store: this.store,
        merchants,
        shop: this.#shop,
        clock: { now: () => this.now },
        logger,
      });
    }
  }

  /** A cancelled order: one event to tell. */
  async cancel(merchant: string, order: string): Promise<string> {
    const { checkout } = await this.harness.expose({ merchant, order });
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
    await this.#sender?.close();
    await this.store.close();
    rmSync(this.folder, { recursive: true });
  }
}

let sending: Sending;
beforeEach(async () => {
  sending = await Sending.start();
});
afterEach(() => sending.close());

describe('the sender of events', () => {
  it('tells one shop, while another one hangs', async () => {
    sending.answer = ({ merchant }, response) => {
      if (merchant !== 'hanging') response.writeHead(204).end();
    };
    for (let order = 0; order < 30; order += 1)
      await sending.cancel('hanging', `H${String(order)}`);
    sending.run();
    await expect.poll(() => sending.of('hanging').length).toBeGreaterThan(0);
    await sending.cancel('well', 'W1');
    sending.run();
    await expect.poll(() => sending.of('well').length).toBe(1);
    expect(sending.mostOpen.get('hanging')).toBe(1);
  });

  it('reaches a shop at once after a start, while forty others hang', async () => {
    sending.answer = ({ merchant }, response) => {
      if (merchant === 'well') response.writeHead(204).end();
    };
    for (let shop = 0; shop < 40; shop += 1) {
      for (let order = 0; order < 5; order += 1) {
        await sending.cancel(`hanging-${String(shop)}`, `H${String(order)}`);
      }
    }
    sending.run();
    await expect.poll(() => sending.openTogether()).toBe(40);
    for (let order = 0; order < 20; order += 1) await sending.cancel('well', `W${String(order)}`);
    sending.run();
    await expect.poll(() => sending.of('well').length).toBe(20);
    expect([sending.openTogether(), sending.logged]).toEqual([40, []]);
  });

  it('asks a shop with five events at a time once it has answered', async () => {
    const held: ServerResponse[] = [];
    sending.answer = (_, response) => {
      if (sending.delivered.length === 1) response.writeHead(204).end();
      else held.push(response);
    };
    for (let order = 0; order < 9; order += 1) await sending.cancel('teashop', `T${String(order)}`);
    sending.run();
    await expect.poll(() => held.length).toBe(5);
    expect(sending.delivered).toHaveLength(6);
  });

  it('tells a shop of every other order, when it answers 500 to one of them', async () => {
    sending.answer = ({ order }, response) => {
      response.writeHead(order === 'poisoned' ? 500 : 204).end();
    };
    await sending.cancel('teashop', 'poisoned');
    for (let order = 0; order < 20; order += 1)
      await sending.cancel('teashop', `T${String(order)}`);
    sending.run();
    await expect.poll(() => new Set(sending.of('teashop').map(({ order }) => order)).size).toBe(21);
    for (let tries = 0; tries < 3; tries += 1) {
      await sending.cancel('teashop', `later-${String(tries)}`);
      const before = sending.delivered.length;
      sending.now += 10 * 60_000;
      sending.run();
      await expect.poll(() => sending.delivered.length).toBe(before + 2);
    }
  });

  it.each([
    ['hang', () => undefined],
    ['are cut off', (response: ServerResponse) => response.destroy()],
  ])('tells a shop of every other order, when the events of some %s', async (_, poison) => {
    const POISONED = 12;
    sending.answer = ({ order }, response) => {
      if (order.startsWith('poisoned')) response.destroy();
      else response.writeHead(204).end();
    };
    for (let order = 0; order < POISONED; order += 1) {
      await sending.cancel('teashop', `poisoned-${String(order)}`);
    }
    sending.run();
    await expect.poll(() => sending.logged.length).toBe(POISONED);
    await sending.cancel('teashop', 'T0');
    sending.run();
    await expect.poll(() => sending.orders('T')).toEqual(['T0']);

    // All of them are due again, and now they show what they can do.
    sending.answer = ({ order }, response) => {
      if (order.startsWith('poisoned')) poison(response);
      else response.writeHead(204).end();
    };
    sending.now += 10_000;
    sending.run();
    await expect.poll(() => sending.orders('poisoned').length).toBeGreaterThan(POISONED + 3);
    for (const order of ['T1', 'T2', 'T3']) {
      await sending.cancel('teashop', order);
      sending.run();
      await expect.poll(() => sending.orders('T')).toContain(order);
    }
  });

  it('does not call a shop silent for one order that finds no answer', async () => {
    const held: ServerResponse[] = [];
    sending.answer = ({ order }, response) => {
      if (order === 'poisoned') response.destroy();
      else if (order === 'T0') response.writeHead(204).end();
      else held.push(response);
    };
    await sending.cancel('teashop', 'T0');
    sending.run();
    await expect.poll(() => sending.orders('T')).toEqual(['T0']);
    await sending.cancel('teashop', 'poisoned');
    for (let tries = 1; tries <= 3; tries += 1) {
      sending.now += 10 * 60_000;
      sending.run();
      await expect.poll(() => sending.logged.length).toBe(tries);
    }
    for (let order = 1; order <= 6; order += 1)
      await sending.cancel('teashop', `T${String(order)}`);
    sending.run();
    await expect.poll(() => held.length).toBe(5);
  });

  it('asks a shop that gave no answer with one event at a time, until it answers again', async () => {
    await sending.cancel('teashop', 'taken');
    sending.run();
    await expect.poll(() => sending.of('teashop').length).toBe(1);
    sending.answer = (_, response) => response.destroy();
    for (let order = 0; order < 8; order += 1) await sending.cancel('teashop', `T${String(order)}`);
    sending.run();
    await expect.poll(() => sending.logged.length).toBe(8);

    const held: ServerResponse[] = [];
    sending.answer = ({ merchant }, response) => {
      if (merchant === 'teashop') held.push(response);
      else response.writeHead(204).end();
    };
    sending.mostOpen.clear();
    sending.now += 60_000;
    sending.run();
    await expect.poll(() => held.length).toBe(1);
    await sending.cancel('well', 'W1');
    sending.run();
    await expect.poll(() => sending.of('well').length).toBe(1);
    expect(sending.mostOpen.get('teashop')).toBe(1);
    held.pop()?.writeHead(204).end();
    await expect.poll(() => held.length).toBe(4);
  });

  it('has room for a shop that has answered, however many others hang', async () => {
    sending.answer = ({ merchant }, response) => {
      if (merchant === 'well') response.writeHead(204).end();
    };
    await sending.cancel('well', 'W1');
    sending.run();
    await expect.poll(() => sending.of('well').length).toBe(1);
    for (let shop = 0; shop < 250; shop += 1) await sending.cancel(`gone-${String(shop)}`, 'G1');
    sending.run();
    await expect.poll(() => sending.openTogether()).toBe(100);
    await sending.cancel('well', 'W2');
    sending.run();
    await expect.poll(() => sending.of('well').length).toBe(2);
    expect(sending.openTogether()).toBe(100);
  });

  it('sends the same id and the same text in each try, for three days, and then gives up', async () => {
    sending.answer = (_, response) => {
      response.writeHead(500).end();
    };
    await sending.cancel('teashop', 'T1');
    const start = sending.now;
    sending.run();
    await expect.poll(() => sending.logged.length).toBe(1);
    for (let tries = 2; !sending.logged.at(-1)?.includes('given up'); tries += 1) {
      const due = await sending.store.nextEventAt();
      sending.now = due ?? sending.now;
      sending.run();
      await expect.poll(() => sending.logged.length).toBe(tries);
    }
    expect(sending.now - start).toBeGreaterThan(3 * DAY_MS);
    expect(new Set(sending.delivered.map(({ id }) => id)).size).toBe(1);
    expect(new Set(sending.delivered.map(({ text }) => text)).size).toBe(1);
    expect(await sending.store.findDeadLetters({}, 10)).toMatchObject([{ order: 'T1' }]);

    sending.answer = (_, response) => {
      response.writeHead(204).end();
    };
    await sending.store.redeliverEvents({});
    sending.run();
    await expect.poll(async () => sending.store.findDeadLetters({}, 10)).toEqual([]);
    expect(new Set(sending.delivered.map(({ id }) => id)).size).toBe(1);
  });
});
