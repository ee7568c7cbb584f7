import type { StoredToken } from '../checkouts/attempt-ids.js';
import { type Attempt, findToken, supersedeSending } from '../checkouts/attempt-repository.js';
import { requestPoll } from '../checkouts/poll-requests.js';
import { lockOrderOf } from '../checkouts/order-state.js';
import { type CheckoutFact, isAwaitingEvidence } from '../checkouts/state-machine.js';
import { applyFacts, type Change, type StepContext } from '../checkouts/checkout-transactions.js';
import type { ReturnKind } from '../contract.js';
import { insertEntry, type LogEntry } from '../orders/order-log.js';
import { findMatchedRows } from '../reconciliation/repository.js';
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
  const { kind, attempt } = found;
  const now = context.clock.now();
  const order = await lockOrderOf(tx, attempt);
  const checkout = order.checkouts.find(({ id }) => id === attempt.checkout);
  if (!checkout) throw new Error('no such checkout');
  // A shopper who left a superseded session may pay in the one that took its place. But money
  // may have been paid in any: a shopper who comes back from paying is not asked to pay again.
  const counts = kind === 'return' || attempt.status === 'active';
  const facts: CheckoutFact[] = counts ? [{ type: 'came-back', kind }] : [];
  const subject = String(attempt.orderId);
  const entry: LogEntry = { kind: 'return', checkout: checkout.id, subject, detail: { kind } };
  tx.queue(insertEntry(attempt, entry, now));
  const change = await applyFacts(tx, checkout, facts, context, order);
  const { before, after } = change;
  if (after !== before && isAwaitingEvidence(after.state)) {
    supersedeSending(tx, attempt.merchant, attempt.order);
  }
  const rows = after.paidBy === undefined ? [] : await findMatchedRows(tx, [after.id]);
  const isOfPayment = rows.some(
    ({ transaction, orderId }) => transaction === after.paidBy && orderId === attempt.orderId,
  );
  if (!isOfPayment) requestPoll(tx, attempt.orderId, { now });
  return { kind, attempt, change };
}
