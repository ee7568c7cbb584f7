import {
  type StoredAttempt,
  clearSubmitted,
  findReportedFailures,
  findSubmittedAttempts,
  getAttempt,
  hasSubmitted,
  setFailureReported,
  setSubmitted,
} from '../checkouts/attempt-repository.js';
import { isBeingPaid } from '../checkouts/opening-rules.js';
import { getCheckout } from '../checkouts/repository.js';
import { applyFacts, type Change, type StepContext } from '../checkouts/checkout-transactions.js';
import { touchOrder } from '../orders/repository.js';
import type { TransactionList } from '../provider/gateway.js';
import type { Database, Transaction } from '../store/database.js';

/** A complete read of the provider's list. */
export interface CompleteRead extends TransactionList {
  /** When its newest page was requested, in milliseconds since 1970. */
  readonly startedAt: number;
  /** How far back it went, in milliseconds since 1970. */
  readonly sinceMs: number;
}

/**
 * A verified webhook or a row of the list says that an attempt failed. The shopper may have paid in the
 * same session since then: the failure counts once a later read of the list shows no payment.
 */
export async function reportFailure(tx: Transaction, orderId: number, at: number): Promise<void> {
  const { status, checkout, failureReportedAt } = await getAttempt(tx, orderId);
  // The failure of a superseded session says nothing about the one that replaced it.
  if (status !== 'active' || failureReportedAt !== undefined) return;
  const { state } = await getCheckout(tx, checkout);
  if (state !== 'paid' && state !== 'failed') await setFailureReported(tx, orderId, at);
}

/**
 * Settles the failures that were reported before a read.
 *
 * @param covers whether the read would have met a payment of an attempt
 */
export async function settleFailures(
  database: Database,
  read: CompleteRead,
  covers: (attempt: StoredAttempt) => boolean,
  context: StepContext,
): Promise<Change[]> {
  const { startedAt } = read;
  const reported = await findReportedFailures(database, read, startedAt);
  const orderIds = reported.filter(covers).map(({ orderId }) => orderId);
  if (orderIds.length === 0) return [];
  return database.transaction('poll:settle-failures', async (tx) => {
    const changes: Change[] = [];
    for (const orderId of orderIds) {
      changes.push(...(await settleFailure(tx, orderId, startedAt, context)));
    }
    return changes;
  });
}

/**
 * Ends the submissions whose settle window was over when a read began that shows no payment of them.
 *
 * @param covers whether the read would have met a payment of an attempt
 */
export async function settleSubmissions(
  database: Database,
  read: CompleteRead,
  covers: (attempt: StoredAttempt) => boolean,
  context: StepContext,
): Promise<Change[]> {
  const until = read.startedAt - context.rules.settleWindowSeconds * 1000;
  const attempts = (await findSubmittedAttempts(database, read, until)).filter(covers);
  const changes: Change[] = [];
  for (const covered of Map.groupBy(attempts, ({ checkout }) => checkout).values()) {
    const change = await database.transaction('poll:settle-submission', (tx) =>
      settleSubmission(tx, covered, until, context),
    );
    changes.push(change);
  }
  return changes;
}

/** Attempts at another list were not read: what was submitted there may have been paid. */
async function settleSubmission(
  tx: Transaction,
  covered: readonly StoredAttempt[],
  until: number,
  context: StepContext,
): Promise<Change> {
  const [first] = covered as [StoredAttempt];
  await touchOrder(tx, first);
  const checkout = await getCheckout(tx, first.checkout);
  if ((checkout.submittedAt ?? Infinity) > until) return { before: checkout, after: checkout };
  for (const { orderId } of covered) setSubmitted(tx, orderId, undefined);
  const isOver = !(await hasSubmitted(tx, checkout.id));
  return applyFacts(tx, checkout, isOver ? [{ type: 'submission-ended' }] : [], context);
}

async function settleFailure(
  tx: Transaction,
  orderId: number,
  readAt: number,
  context: StepContext,
): Promise<Change[]> {
  const attempt = await getAttempt(tx, orderId);
  const { failureReportedAt = Infinity } = attempt;
  if (failureReportedAt > readAt) return [];
  const checkout = await getCheckout(tx, attempt.checkout);
  const { submittedAt = -Infinity } = checkout;
  // Another payment was submitted since: its outcome is not known yet.
  if (
    submittedAt > failureReportedAt &&
    isBeingPaid(checkout, context.clock.now(), context.rules)
  ) {
    return [];
  }
  const facts = attempt.status === 'active' ? [{ type: 'failure-proved' } as const] : [];
  const change = await applyFacts(tx, checkout, facts, context);
  if (facts.length > 0) await clearSubmitted(tx, checkout.id);
  await setFailureReported(tx, orderId, undefined);
  return [change];
}
