import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../clock.js';
import type { Reader } from '../store/database.js';
import { TestStore } from '../testing/test-store.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { testCheckout } from '../testing/test-checkout.js';
import { ChangeFeed } from './change-feed.js';
import { insertCheckout } from './repository.js';
import type { Checkout } from './state-machine.js';
import { StatusService } from './status-service.js';

let folder: string;
let store: TestStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'status-'));
  const path = join(folder, 'data.sqlite');
  store = await TestStore.open({ path, clock: systemClock, rules: TEST_RULES });
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
  rmSync(folder, { recursive: true });
});

it('a question that waits is answered in its time, also when the clock goes back', async () => {
  const { checkout } = await new StoreHarness(store).activate();
  const status = new StatusService({
    database: store.database,
    changes: new ChangeFeed(),
    reconciliation: { ask: () => undefined },
  });
  vi.useFakeTimers({ toFake: ['Date'] });
  const { checkouts } = await status.ask([{ checkout: checkout.id, revision: 1 }], 0.05, () => {
    vi.setSystemTime(Date.now() - 3_600_000);
    return new AbortController().signal;
  });
  expect(checkouts).toMatchObject([{ checkout: checkout.id, revision: 1 }]);
});

it.each<[Checkout['state'], waits: boolean, asksOnce: boolean]>([
  ['open', true, false],
  ['returned', true, true],
  ['unconfirmed', true, true],
  ['cancelled', true, false],
  ['left', true, false],
  ['expired', true, false],
  ['failed', true, false],
  ['paid', false, false],
])(
  'who waits for a checkout that is %s has it polled for: %s; who only asks: %s',
  async (state, waits, asksOnce) => {
    const hinted: string[] = [];
    await store.database.transaction('test', (tx) =>
      tx.run(insertCheckout(testCheckout({ state }))),
    );
    const status = new StatusService({
      database: store.database,
      changes: new ChangeFeed(),
      reconciliation: { ask: ({ id }) => hinted.push(id) },
    });
    const question = [{ checkout: 'checkout-1', revision: 1 }];
    await status.ask(question, 0, () => new AbortController().signal);
    expect(hinted.length > 0).toBe(asksOnce);
    hinted.length = 0;
    await status.ask(question, 60, () => AbortSignal.abort());
    expect(hinted.length > 0).toBe(waits);
  },
);

it('twenty who wait learn of what another server changes by one query for all of them', async () => {
  const harness = new StoreHarness(store);
  const ids: string[] = [];
  for (let at = 0; at < 20; at += 1) {
    ids.push((await harness.activate({ order: `A${String(at)}` })).checkout.id);
  }
  let reads = 0;
  let looks = 0;
  const status = new StatusService({
    database: {
      isShared: true,
      get: (query) => store.database.get(query),
      all: (query) => {
        if (query.parts[0]?.includes('SELECT *')) reads += 1;
        else looks += 1;
        return store.database.all(query);
      },
    },
    // That of another server is another one.
    changes: new ChangeFeed(),
    reconciliation: { ask: () => undefined },
  });
  const gone = new AbortController();
  const waiting = ids.map((checkout) =>
    status.ask([{ checkout, revision: 1 }], 60, () => gone.signal),
  );
  await expect.poll(() => looks).toBeGreaterThan(1);
  // Those who ask together are answered by one query.
  expect(reads).toBe(1);
  await store.apply(ids[7] ?? '', { type: 'cancel-hinted' });
  expect((await waiting[7])?.checkouts).toMatchObject([{ state: 'cancelled', revision: 2 }]);
  expect(reads).toBe(2);
  gone.abort();
  await Promise.all(waiting);
});

it('who waits at the only server of a data file has nothing read in between', async () => {
  const { checkout } = await new StoreHarness(store).activate();
  const queries = new Set<string>();
  const { get, isShared } = store.database;
  const all: Reader['all'] = (query) => {
    queries.add(query.parts.join('?'));
    return store.database.all(query);
  };
  const status = new StatusService({
    database: { isShared, get, all },
    changes: new ChangeFeed(),
    reconciliation: { ask: () => undefined },
  });
  // Longer than the pause between two looks for what other servers have changed.
  await status.ask([{ checkout: checkout.id, revision: 1 }], 1, () => new AbortController().signal);
  // The checkout at the start and at the end; what looks for changes asks for revisions alone.
  expect(queries.size).toBe(1);
});
