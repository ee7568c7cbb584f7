import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.js';
import { readFeed } from '../merchant-api/feed.js';
import { PostgresDatabase } from '../store/postgres-database.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres-store.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { TEST_ENCRYPTION } from '../testing/test-merchant.js';
import { TestStore } from '../testing/test-store.js';
import { insertEvent } from './repository.js';

let made: TestDatabase;
let store: TestStore;
let other: TestStore;
let checkout: string;
beforeEach(async () => {
  made = await createTestDatabase();
  const open = async () =>
    new TestStore(await PostgresDatabase.open(made.url), { clock: systemClock, rules: TEST_RULES });
  [store, other] = [await open(), await open()];
  checkout = (await new StoreHarness(store).activate()).checkout.id;
});
afterEach(async () => {
  await store.close();
  await other.close();
  await made.drop();
});

const eventOf = (sequence: number) => ({
  id: `msg_${String(sequence)}`,
  ...{ checkout, merchant: 'teashop', type: 'checkout.left', sequence },
  body: JSON.stringify({ type: 'checkout.left', timestamp: '', data: {} }),
});

describe('the feed in PostgreSQL', () => {
  it('skips no event whose transaction began first and was committed last', async () => {
    const stalled = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    const slow = other.database.transaction('test', async (tx) => {
      await tx.run(insertEvent(eventOf(1), 1));
      begun.resolve(undefined);
      await stalled.promise;
    });
    await begun.promise;
    await store.database.transaction('test', (tx) => tx.run(insertEvent(eventOf(2), 2)));
    await store.placeEvents();
    const first = await readFeed(store.database, 'teashop', { limit: 10 }, TEST_ENCRYPTION);
    expect(first.events.map(({ id }) => id)).toEqual(['msg_2']);
    stalled.resolve(undefined);
    await slow;
    await other.placeEvents();
    const next = await readFeed(
      store.database,
      'teashop',
      { after: first.cursor, limit: 10 },
      TEST_ENCRYPTION,
    );
    expect(next.events.map(({ id }) => id)).toEqual(['msg_1']);
  });
});
