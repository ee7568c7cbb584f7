import type { StoredToken } from '../checkouts/attempt-ids.js';
import {
  type Attempt,
  findToken,
  getAttempt,
  supersedeSending,
} from '../checkouts/attempt-repository.js';
import { getCheckout } from '../checkouts/repository.js';
import { type CheckoutFact, isAwaitingEvidence } from '../checkouts/state-machine.js';
import { applyFacts, type Change, type StepContext } from '../checkouts/checkout-transactions.js';
import type { ReturnKind } from '../contract.js';
import { logOrder } from '../orders/order-log.js';
import { findMatchedRows, pollSoon } from '../reconciliation/repository.js';
import type { Transaction } from '../store/database.js';

export interface RecordedReturn {
  readonly kind: ReturnKind;
  readonly attempt: Attempt;
  readonly change: Change;
}

/** A visit to a return address: a hint. Undefined when the token is unknown. */
export async function recordReturn(
  tx: Transaction,
  token: StoredToken,
  context: StepContext,
): Promise<RecordedReturn | undefined> {
  const found = await findToken(tx, token);
  if (!found || found.kind === 'webhook') return undefined;
  const { kind } = found;
  const attempt = await getAttempt(tx, found.orderId);
  const checkout = await getCheckout(tx, attempt.checkout);
  // A shopper who left a superseded session may pay in the one that took its place. But money
  // may have been paid in any: a shopper who comes back from paying is not asked to pay again.
  const counts = kind === 'return' || attempt.status === 'active';
  const facts: CheckoutFact[] = counts ? [{ type: 'came-back', kind }] : [];
  await logOrder(
    tx,
    attempt,
    { kind: 'return', checkout: checkout.id, subject: String(attempt.orderId), detail: { kind } },
    context.clock.now(),
  );
  const change = await applyFacts(tx, checkout, facts, context);
  const { before, after } = change;
  if (after !== before && isAwaitingEvidence(after.state)) {
    await supersedeSending(tx, attempt.merchant, attempt.order);
  }
  const rows = await findMatchedRows(tx, [after.id]);
  const isOfPayment = rows.some(
    ({ transaction, orderId }) => transaction === after.paidBy && orderId === attempt.orderId,
  );
  // The poll that follows lives in memory; after a crash, the next process finds this one.
  if (kind === 'return' && !isOfPayment) {
    await pollSoon(tx, attempt.orderId, context.clock.now());
  }
  return { kind, attempt, change };
}
