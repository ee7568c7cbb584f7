import { Socket } from 'node:net';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toStoredToken } from '../checkouts/attempt-ids.js';
import {
  activateSession,
  type Attempt,
  type AttemptRequest,
} from '../checkouts/attempt-repository.js';
import { systemClock } from '../clock.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres-store.js';
import { AT_PROVIDER, StoreHarness, TEST_REQUEST, TEST_RULES } from '../testing/store-harness.js';
import { quietReconciliation } from '../testing/quiet-reconciliation.js';
import { testMerchant } from '../testing/test-merchant.js';
import { TestStore } from '../testing/test-store.js';
import { PostgresDatabase } from './postgres-database.js';

let made: TestDatabase;
let store: TestStore;
let harness: StoreHarness;
beforeEach(async () => {
  made = await createTestDatabase();
  const database = await PostgresDatabase.open(made.url);
  store = new TestStore(database, { clock: systemClock, rules: TEST_RULES });
  harness = new StoreHarness(store);
  // What is read once is read by now.
  await harness.activate({ order: 'before' });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  await made.drop();
});

/** What is sent to PostgreSQL while something is done. */
async function count(work: () => Promise<unknown>) {
  const { query } = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const statements: string[] = [];
  let packets = 0;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: unknown,
    ...args: unknown[]
  ) {
    statements.push((args[0] as { readonly text: string }).text.trim());
    return query.apply(this, args);
  });
  for (const write of ['_write', '_writev'] as const) {
    const original = Socket.prototype[write] as (...args: unknown[]) => void;
    vi.spyOn(Socket.prototype, write).mockImplementation(function (
      this: Socket,
      ...args: unknown[]
    ) {
      if (this.remotePort === Number(new URL(made.url).port)) packets += 1;
      original.apply(this, args);
    } as never);
  }
  await work();
  vi.restoreAllMocks();
  const writes = statements.filter((text) =>
    /\b(INSERT INTO|UPDATE [a-z]+ SET|DELETE)\b/.test(text),
  );
  return { statements: statements.length, packets, writes: writes.length };
}

async function create(changes: Partial<AttemptRequest> = {}): Promise<void> {
  const { attempt } = await harness.beginSending(changes);
  await activateSession(store.database, attempt, 'session-1', Date.now());
}

/** A payment of an attempt, as the list shows it. */
const paymentOf = ({ orderId, merchantReference, createdAt }: Attempt) => ({
  ...{ id: `tx-${String(orderId)}`, status: 'SUCCESS', merchantId: 1001 },
  ...{ currencyCode: 'GBP', amount: '9.99', references: { orderRef: merchantReference } },
  transactionTime: new Date(createdAt).toISOString(),
});

/** Its own session, as its page names it. */
const sessionOf = ({ attempt }: { attempt: { orderId: number } }) =>
  `session-${String(attempt.orderId)}`;

// They grow easily, and each is a round trip: see docs/decisions/0010-postgresql.md.
describe('what is sent to PostgreSQL', () => {
  it('for a new checkout and its session', async () => {
    expect(await count(() => create())).toEqual({
      statements: 6,
      packets: 4,
      writes: 2,
    });
  });

  it('for an order that was put before', async () => {
    const put = { version: 'version-1', amountMinor: 999, currency: 'GBP', decimals: 2 };
    await store.putOrder({ merchant: 'teashop', order: 'A1001' }, put);
    expect(await count(() => create({ isStored: true }))).toEqual({
      statements: 8,
      packets: 5,
      writes: 2,
    });
  });

  it('for a checkout that is open already: no row changes', async () => {
    await harness.activate();
    const before = await made.query('SELECT xmin FROM orders');
    expect(await count(() => store.beginAttempt(TEST_REQUEST))).toMatchObject({ packets: 3 });
    expect(await made.query('SELECT xmin FROM orders')).toEqual(before);
  });

  it('for the first hint that a payment was submitted, and for the same again', async () => {
    const sent = await harness.activate();
    const hint = () =>
      store.recordHint(sent.checkout.id, { kind: 'submitted', sessionId: sessionOf(sent) });
    expect(await count(hint)).toMatchObject({ packets: 3 });
    expect(await count(hint)).toMatchObject({ writes: 0 });
  });

  it('for a page with one payment, for the same page again, and for an empty one', async () => {
    const reconciliation = quietReconciliation(store, testMerchant());
    const sent = [await harness.activate(), await harness.activate({ order: 'A1002' })];
    const rows = sent.map(({ attempt }) => paymentOf(attempt));
    const read = (...page: typeof rows) => count(() => reconciliation.reconcile(AT_PROVIDER, page));
    await read(...rows.slice(1));
    // Reads that find the orders; then BEGIN, the lock, three reads, two writes and COMMIT.
    expect(await read(...rows)).toMatchObject({ statements: 11, packets: 6 });
    expect(await read(...rows)).toEqual({ statements: 3, packets: 3, writes: 0 });
    expect(await read()).toEqual({ statements: 0, packets: 0, writes: 0 });
    await reconciliation.close();
  });

  it('for a return', async () => {
    const { tokens } = await harness.activate();
    const token = toStoredToken(tokens.return);
    expect(await count(() => store.recordReturn(token))).toMatchObject({ packets: 3 });
  });
});
