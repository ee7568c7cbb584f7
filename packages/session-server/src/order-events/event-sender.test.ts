import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogFields, Logger } from '../logger.js';
import { ShopClient } from '../net/shop-client.js';
import type { Repeating } from '../repeat.js';
import { SqliteCheckoutStore } from '../sqlite/sqlite-checkout-store.js';
import { LocalServer } from '../testing/local-server.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';
import { startEventSender } from './event-sender.js';

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
  #sender: Repeating | undefined;
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
    const merchants = {
      find: (id: string) =>
        Promise.resolve(
          testMerchant({
            id,
            events: { url: `${this.#server.url}/${id}`, allowPrivateAddress: true },
          }),
        ),
    };
    if (this.#sender) this.#sender.wake();
    else {
      this.#sender = startEventSender({
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

  of(merchant: string): readonly Delivered[] {
    return this.delivered.filter((event) => event.merchant === merchant);
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.#sender?.close();
    await this.#shop.close();
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
    expect(sending.open.get('hanging')).toBe(5);
    expect(sending.mostOpen.get('hanging')).toBeLessThanOrEqual(5);
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

  it('asks a shop that gave no answer with one event at a time, until it answers again', async () => {
    sending.answer = (_, response) => response.destroy();
    for (let order = 0; order < 8; order += 1) await sending.cancel('teashop', `T${String(order)}`);
    sending.run();
    await expect.poll(() => sending.logged.length).toBe(8);
    sending.mostOpen.clear();
    sending.now += 60_000;
    sending.run();
    await expect.poll(() => sending.logged.length).toBe(16);
    expect(sending.mostOpen.get('teashop')).toBe(1);
    sending.mostOpen.clear();
    const held: ServerResponse[] = [];
    sending.answer = (_, response) => {
      // The first answer ends the silence; then nobody is answered until several are asking.
      if (sending.delivered.length > 17) held.push(response);
      else response.writeHead(204).end();
      if (held.length >= 3) for (const asking of held.splice(0)) asking.writeHead(204).end();
    };
    sending.now += 10 * 60_000;
    sending.run();
    await expect.poll(() => sending.delivered.length).toBeGreaterThanOrEqual(20);
    expect(sending.mostOpen.get('teashop')).toBeGreaterThanOrEqual(3);
  });

  it('has room for a shop that answers, however many others hang', async () => {
    const SHOPS = 250;
    sending.answer = (_, response) => response.destroy();
    for (let shop = 0; shop < SHOPS; shop += 1) await sending.cancel(`gone-${String(shop)}`, 'G1');
    sending.run();
    await expect.poll(() => sending.logged.length).toBe(SHOPS);
    sending.answer = ({ merchant }, response) => {
      if (merchant === 'well') response.writeHead(204).end();
    };
    sending.now += 60_000;
    sending.run();
    const open = (): number => [...sending.open.values()].reduce((sum, count) => sum + count, 0);
    await expect.poll(open).toBe(100);
    await sending.cancel('well', 'W1');
    sending.run();
    await expect.poll(() => sending.of('well').length).toBe(1);
    expect(open()).toBe(100);
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
    expect(await sending.store.findDeadEvents({}, 10)).toMatchObject([{ order: 'T1' }]);

    sending.answer = (_, response) => {
      response.writeHead(204).end();
    };
    await sending.store.redriveEvents({});
    sending.run();
    await expect.poll(async () => sending.store.findDeadEvents({}, 10)).toEqual([]);
    expect(new Set(sending.delivered.map(({ id }) => id)).size).toBe(1);
  });
});
