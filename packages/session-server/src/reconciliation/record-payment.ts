import { findLastOrderId, getAttempt, supersedeSending } from '../checkouts/attempt-repository.js';
import { findCheckoutsOfOrder, getCheckout } from '../checkouts/repository.js';
import { applyFacts, type Change, type StepContext } from '../checkouts/steps.js';
import type { Transaction } from '../store/database.js';
import { planPayment } from './payment-rules.js';
import {
  findKnownTransaction,
  findMoney,
  type PaymentEvidence,
  upsertTransaction,
  watchForRefunds,
} from './repository.js';

/** Keeps a transaction that was matched to an attempt; undefined when it serves another checkout. */
export async function recordPayment(
  tx: Transaction,
  evidence: PaymentEvidence,
  context: StepContext,
): Promise<Change | undefined> {
  const now = context.clock.now();
  const checkout = await getCheckout(tx, (await getAttempt(tx, evidence.orderId)).checkout);
  const ofOrder = await findCheckoutsOfOrder(tx, checkout.merchant, checkout.order);
  const siblings = ofOrder.filter(({ id }) => id !== checkout.id);
  const facts = planPayment(
    {
      checkout,
      siblings,
      isSuperseded: await isSuperseded(tx, checkout.id, siblings),
      known: await findKnownTransaction(tx, evidence.transaction),
      ...(await findMoney(tx, checkout)),
    },
    evidence,
  );
  if (!facts) return undefined;
  await upsertTransaction(tx, evidence, checkout.id, now);
  if (checkout.state !== 'paid') {
    await watchForRefunds(tx, evidence.orderId, now);
    await supersedeSending(tx, checkout.merchant, checkout.order);
  }
  return applyFacts(tx, checkout, facts, context);
}

/** Whether another price of the order was asked for after this one was asked for last. */
async function isSuperseded(
  tx: Transaction,
  checkout: string,
  siblings: readonly { readonly id: string }[],
): Promise<boolean> {
  const last = await findLastOrderId(tx, checkout);
  for (const { id } of siblings) if ((await findLastOrderId(tx, id)) > last) return true;
  return false;
}
