import {
  type StoredAttempt,
  clearSubmitted,
  findUnsettledAttempts,
  getAttempt,
  hasSubmitted,
  setFailureReported,
  setSubmitted,
} from '../checkouts/attempt-repository.js';
import { isBeingPaid } from '../checkouts/opening-rules.js';
import { getCheckout } from '../checkouts/repository.js';
import { applyFacts, type Change, type StepContext } from '../checkouts/checkout-transactions.js';
import { touchOrder } from '../orders/repository.js';
import { mayFail } from './order-batch.js';
import type { Database, Transaction } from '../store/database.js';
import type { ListRead } from './list-reader.js';

/**
 * A verified webhook says that an attempt failed. The shopper may have paid in the same session since
 * then: the failure counts once a later read of the list shows no payment.
 */
export async function reportFailure(tx: Transaction, orderId: number, at: number): Promise<void> {
  const attempt = await getAttempt(tx, orderId);
  const checkout = await getCheckout(tx, attempt.checkout);
  if (mayFail(attempt, checkout)) await setFailureReported(tx, orderId, at);
}

/**
 * Concludes from a complete read: settles the failures that were reported before it, and ends the
 * submissions whose settle window was over when it began and of which it shows no payment.
 *
 * @param covers whether the read would have met a payment of an attempt
 */
export async function settleUnpaid(
  database: Database,
  read: ListRead,
  covers: (attempt: StoredAttempt) => boolean,
  context: StepContext,
): Promise<Change[]> {
  const { startedAt } = read;
  const until = startedAt - context.rules.settleWindowSeconds * 1000;
  const unsettled = await findUnsettledAttempts(database, read, { startedAt, until });
  const covered = unsettled.filter(({ attempt }) => covers(attempt));
  const changes: Change[] = [];
  for (const due of Map.groupBy(covered, ({ attempt }) => attempt.checkout).values()) {
    const of = (what: 'failure' | 'submission') =>
      due.filter(({ why }) => why === what).map(({ attempt }) => attempt);
    const submitted = of('submission');
    for (const { orderId } of of('failure')) {
      const change = await database.transaction('poll:settle-failures', (tx) =>
        settleFailure(tx, orderId, startedAt, context),
      );
      changes.push(...change);
    }
    if (submitted.length === 0) continue;
    const change = await database.transaction('poll:settle-submission', (tx) =>
      settleSubmission(tx, submitted, until, context),
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
