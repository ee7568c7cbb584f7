import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toStoredToken } from '../checkouts/attempt-ids.js';
import { eraseOrder } from '../erasure/order-data.js';
import { sql } from './sql.js';
import { explainWork, growsWithHistory, type Plan } from '../testing/query-plans.js';
import { StoreHarness, TEST_REQUEST, TEST_RULES, AT_PROVIDER } from '../testing/store-harness.js';
import { quietReconciliation } from '../testing/quiet-reconciliation.js';
import { testMerchant } from '../testing/test-merchant.js';
import { TestStore } from '../testing/test-store.js';
import type { Attempt } from '../checkouts/attempt-repository.js';

/** Plans that seem to grow with history: a part of the statement, a part of the plan, why not. */
const BOUNDED: readonly (readonly [statement: string, plan: string, why: string])[] = [
  ['FROM matched_transactions WHERE checkout IN', 'TEMP B-TREE', 'A checkout has a few of them.'],
  ['SELECT * FROM orders WHERE (merchant, order_name) IN', 'TEMP B-TREE', 'Some of one page.'],
  ['FROM webhooks GROUP BY', 'SCAN webhooks', 'Asked by people only.'],
  ['FROM webhooks GROUP BY', 'TEMP B-TREE', 'The same.'],
  ['INSERT INTO removed_events', 'TEMP B-TREE', 'Of ten orders at a time.'],
  ['SET position = placed.position', 'TEMP B-TREE', 'Of a thousand at a time.'],
  [
    'WHERE created_at <= ? ORDER BY order_id',
    'SCAN attempts',
    'A backup is put back seldom, and it stops early.',
  ],
];

/** What the tests of the store say about it; nothing but its closing is left out here. */
const NOT_PLAYED = ['constructor', 'close'];

/** Calls each method of a store as a server does, and remembers which ones were called. */
async function playEverything(store: TestStore): Promise<void> {
  const harness = new StoreHarness(store);
  const { checkout, attempt, tokens } = await harness.activate();
  const renewed = await harness.activate({ renew: `session-${String(attempt.orderId)}` });
  const refused = await store.beginAttempt({ ...TEST_REQUEST, order: 'A1002' });
  if (refused.kind !== 'send') throw new Error('it was to be sent');
  await store.endAttempt(refused.attempt.orderId, 'refused');
  await store.activateSession(attempt.orderId, 'session-too-late');
  const sessionId = `session-${String(renewed.attempt.orderId)}`;
  await store.recordHint(checkout.id, { kind: 'submitted', sessionId });
  await store.find(checkout.id);
  await store.findMany([checkout.id]);
  await store.findOrder('teashop', 'A1001');
  await store.findAttempts(checkout.id);
  await store.findAttemptsByReference(AT_PROVIDER, [attempt.merchantReference]);
  await store.recordReturn(toStoredToken(renewed.tokens.return));
  await store.apply(checkout.id, { type: 'cancel-hinted' });
  await harness.pay(attempt.orderId);
  await harness.pay(attempt.orderId, {
    transaction: 'tx-2',
    isRefundRow: true,
    refundedMinor: 400,
  });
  await playPage(store, attempt);
  await store.findTransactions(checkout.id);
  await store.findServed('tx-1');
  await store.applyTime(10);
  await store.claimPriceChecks(10, 0);
  await store.pollDue();
  await store.hint(checkout.id);
  await playEvents(store);
  await playOrders(store);
  await playWebhooks(store, attempt.orderId, toStoredToken(tokens.webhook));
  await store.readBacklog();
  await store.ping();
  await playRestore(store);
}

/** A payment, the same row again, and a refund that refers to it. */
async function playPage(store: TestStore, { merchantReference }: Attempt): Promise<void> {
  const reconciliation = quietReconciliation(store, testMerchant());
  const row = {
    ...{ id: 'tx-3', status: 'SUCCESS', merchantId: 1001, currencyCode: 'GBP', amount: '9.99' },
    transactionTime: new Date().toISOString(),
    references: { orderRef: merchantReference, pspReference: 'psp-3' },
  };
  const refund = { ...row, id: 'tx-4', status: 'REFUNDED', references: { pspReference: 'psp-3' } };
  for (const page of [[row], [row, refund]]) await reconciliation.reconcile(AT_PROVIDER, page);
  await reconciliation.close();
}

async function playOrders(store: TestStore): Promise<void> {
  const key = { merchant: 'teashop', order: 'A1010' };
  const price = { version: 'version-1', amountMinor: 999, currency: 'GBP', decimals: 2 };
  await store.putOrder(key, price);
  const harness = new StoreHarness(store);
  await harness.activate({ order: key.order });
  await harness.activate({ order: key.order, orderVersion: 'version-2' });
  await store.voidOrder(key);
  await store.findStoredOrder(key);
  const behind = { createdAt: Infinity, order: 'Z' };
  await store.listOrders({ merchant: 'teashop', limit: 10, behind });
  await store.listOrders({ merchant: 'teashop', limit: 10, state: 'void', updatedAfter: 1 });
  await store.findOrdersToErase(Date.UTC(2026, 1, 1));
  await store.placeEvents();
  await store.findFeed('teashop', 0);
  await playRemoval(store);
}

async function playRemoval(store: TestStore): Promise<void> {
  const key = { merchant: 'teashop', order: 'A1011' };
  const { attempt } = await new StoreHarness(store).activate({ order: key.order });
  await new StoreHarness(store).pay(attempt.orderId, { transaction: 'tx-removed' });
  await new StoreHarness(store).activate({ order: 'A1012' });
  await store.database.transaction('test', async (tx) => {
    await tx.run(sql`UPDATE attempts SET next_poll_at = NULL WHERE order_id = ${attempt.orderId}`);
    await tx.run(
      sql`UPDATE checkouts SET price_check_at = NULL, due_at = NULL WHERE id = ${attempt.checkout}`,
    );
    await tx.run(
      sql`UPDATE outbox_events SET due_at = NULL, position = 9999 WHERE checkout = ${attempt.checkout}`,
    );
    await eraseOrder(tx, key, 1);
    await tx.run(sql`UPDATE orders SET erased_at = 1 WHERE order_name = ${key.order}`);
  });
  const step = { before: Infinity, limit: 10 };
  if ((await store.removeHistory(step)) + (await store.removeOrders(step)) !== 2) {
    throw new Error('the order was to be removed');
  }
}

async function playRestore(store: TestStore): Promise<void> {
  const loss = await store.declareLoss();
  await store.findLoss();
  await store.findOrderIdRange();
  await store.adoptAttempt({
    orderId: loss.toOrderId,
    merchantReference: `A1004.${String(loss.toOrderId)}`,
    createdAt: loss.since,
    request: { ...TEST_REQUEST, order: 'A1004' },
  });
  await store.markLossRead();
}

async function playEvents(store: TestStore): Promise<void> {
  const claim = { limit: 10, perMerchant: 5, leaseSeconds: 30 };
  const [first, second] = await store.claimEvents(claim);
  await store.markDelivered(first?.id ?? '');
  await store.markFailed(second?.id ?? '', undefined);
  await store.skipEvent('msg_unknown');
  await store.nextEventAt();
  await store.findDeadLetters({ merchant: 'teashop' }, 10);
  await store.redeliverEvents({ ids: [second?.id ?? ''] });
  await store.redeliverEvents({ merchant: 'teashop', waiting: true });
}

async function playWebhooks(
  store: TestStore,
  orderId: number,
  token: ReturnType<typeof toStoredToken>,
): Promise<void> {
  const webhook = { tokenHash: token.hash, digest: 'digest', sealed: Buffer.from('sealed') };
  await store.findWebhookAttempt(token);
  await store.recordWebhook(webhook, orderId);
  await store.recordWebhook({ ...webhook, tokenHash: 'endpoint' }, undefined);
  const [ours, unmatched] = await store.claimWebhooks(10, 30);
  if (!ours || !unmatched) throw new Error('two webhooks were to be claimed');
  await store.markUnmatched(unmatched, ['A1003.7'], { most: 10 });
  const opened = await store.beginAttempt({ ...TEST_REQUEST, order: 'A1003' });
  if (opened.kind !== 'send') throw new Error('it was to be sent');
  await store.activateSession(opened.attempt.orderId, 'session-8');
  const proof = { kind: 'failure', orderId } as const;
  const pollFor = [0, Infinity].map((at) => ({ orderId, at }));
  await store.completeWebhook(ours.id, { flags: [], pollFor, proof });
  await store.settleUnpaid({ ...AT_PROVIDER, startedAt: Infinity, sinceMs: 0 });
  await store.recordHint(opened.checkout.id, { kind: 'submitted', sessionId: 'session-8' });
  await store.settleUnpaid({ ...AT_PROVIDER, startedAt: Infinity, sinceMs: 0 });
  await store.recordWebhook(webhook, orderId);
  const [repeated] = await store.claimWebhooks(10, 30);
  await store.completeWebhook(repeated?.id ?? 0, { flags: ['verified'], pollFor: [] });
  await store.retryUnmatched();
  await store.nextWebhookAt();
  await store.eraseWebhooks({ receivedBefore: 0, unmatchedBefore: 0, limit: 10 });
  await store.purgeErased();
  await store.countTestWebhook();
  await store.countWebhooks();
}

describe('the statements of the store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plans-'));
  const called = new Set<string>();
  let plans: Plan[];

  beforeAll(async () => {
    const path = join(folder, 'data.sqlite');
    const clock = { now: () => Date.UTC(2026, 0, 1) };
    plans = await explainWork(path, async () => {
      const store = await TestStore.open({ path, clock, rules: TEST_RULES });
      await playEverything(
        new Proxy(store, {
          get(target, name) {
            called.add(String(name));
            const member: unknown = Reflect.get(target, name, target);
            return typeof member === 'function' ? (member.bind(target) as unknown) : member;
          },
        }),
      );
      await store.close();
    });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('are all checked: every method of the store was called', () => {
    const methods = Object.getOwnPropertyNames(TestStore.prototype);
    const missed = methods.filter((name) => !called.has(name) && !NOT_PLAYED.includes(name));
    expect(missed).toEqual([]);
    expect(new Set(plans.map(({ statement }) => statement)).size).toBeGreaterThan(50);
  });

  it('find what they need by an index, however many orders there have been', () => {
    expect(plans.filter((plan) => growsWithHistory(plan) && !isBounded(plan))).toEqual([]);
  });

  it('need each exception that is made', () => {
    const idle = BOUNDED.filter(
      (exception) => !plans.some((plan) => growsWithHistory(plan) && isMeant(exception, plan)),
    );
    expect(idle).toEqual([]);
  });

  it.each([
    ['SCAN attempts', true],
    ['SCAN a USING COVERING INDEX sqlite_autoindex_attempts_1', true],
    ['SCAN outbox_events USING INDEX attempts_of_checkout', true],
    ['USE TEMP B-TREE FOR ORDER BY', true],
    ['SCAN outbox_events USING INDEX outbox_events_dead_lettered', false],
    ['SEARCH attempts USING INTEGER PRIMARY KEY (rowid=?)', false],
  ])('would be recognized: %s', (step, grows) => {
    expect(growsWithHistory({ statement: 'SELECT * FROM attempts AS a', step })).toBe(grows);
  });
});

function isBounded(plan: Plan): boolean {
  return BOUNDED.some((exception) => isMeant(exception, plan));
}

function isMeant([statement, step]: readonly [string, string, string], plan: Plan): boolean {
  return plan.statement.includes(statement) && plan.step.includes(step);
}
