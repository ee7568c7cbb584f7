import { touchOrder } from '../orders/repository.js';
import { isDeepStrictEqual } from 'node:util';
import {
  type Attempt,
  compareAttempts,
  findLastAttempt,
  getAttempt,
  supersedeSending,
} from '../checkouts/attempt-repository.js';
import { isBeingPaid } from '../checkouts/opening-rules.js';
import { findCheckouts, findCheckoutsOfOrder, getCheckout } from '../checkouts/repository.js';
import { advance, type AttentionCode, type Checkout } from '../checkouts/state-machine.js';
import { applyFacts, type Change, type StepContext } from '../checkouts/checkout-transactions.js';
import type { EvidenceSettings } from '../merchants/merchant.js';
import type { TransactionRow } from '../provider/gateway.js';
import type { Reader, Transaction } from '../store/database.js';
import type { CandidateTransaction } from './candidates.js';
import { reportFailure } from './failures.js';
import {
  expectedPaymentOf,
  type MatchResult,
  matchTransaction,
  paymentFactsOf,
  type RowMoney,
  timeOf,
} from './matching.js';
import { type MatchedRow, mergeRow, type PaymentEvidence, planPayment } from './payment-rules.js';
import {
  findKnownRow,
  findMatchedRows,
  findPaymentRows,
  upsertRow,
  watchForRefunds,
} from './repository.js';

/**
 * Keeps a row that was matched to an attempt, with what follows for each checkout of its order.
 * Nothing when the row serves another checkout.
 */
export async function recordPayment(
  tx: Transaction,
  evidence: PaymentEvidence,
  context: StepContext,
): Promise<Change[]> {
  const now = context.clock.now();
  const attempt = await getAttempt(tx, evidence.orderId);
  await touchOrder(tx, attempt);
  const ofOrder = await findCheckoutsOfOrder(tx, attempt.merchant, attempt.order);
  const checkout = ofOrder.find(({ id }) => id === attempt.checkout);
  if (!checkout) throw new Error('no such checkout');
  const siblings = ofOrder.filter(({ id }) => id !== checkout.id);
  const { account } = attempt;
  const known = await findKnownRow(tx, account, evidence.transaction);
  const plan = planPayment(
    {
      account,
      checkout,
      siblings,
      isSuperseded: await isSuperseded(tx, checkout.id, siblings),
      known,
      rows: await findMatchedRows(
        tx,
        ofOrder.map(({ id }) => id),
      ),
    },
    evidence,
  );
  if (!plan) return [];
  if (!isDeepStrictEqual(plan.row, known)) await upsertRow(tx, plan.row, now);
  const changes: Change[] = [];
  for (const { id } of [checkout, ...siblings]) {
    // Read again: what is paid supersedes the others.
    const each = id === checkout.id ? checkout : await getCheckout(tx, id);
    changes.push(await applyFacts(tx, each, plan.facts.get(id) ?? [], context));
  }
  const paid = changes.filter(
    ({ before, after }) => before.state !== 'paid' && after.state === 'paid',
  );
  if (paid.length > 0) {
    await watchForRefunds(tx, evidence.orderId, now);
    supersedeSending(tx, checkout.merchant, checkout.order);
  }
  return changes;
}

/**
 * Leaves out payments that are stored as their rows show them, with all that follows. Each poll reads
 * the rows of some minutes again: for most of them there is nothing to do.
 */
export async function leaveOutRecorded(
  reader: Reader,
  account: string,
  candidates: readonly CandidateTransaction[],
  context: StepContext,
): Promise<CandidateTransaction[]> {
  if (candidates.length === 0) return [];
  const ids = candidates.flatMap(({ row }) => row.id ?? []);
  const rows = await findPaymentRows(reader, account, ids, []);
  const known = new Map(rows.map((row) => [row.transaction, row]));
  const checkouts = await findCheckouts(reader, [...new Set(rows.map((row) => row.checkout))]);
  const byId = new Map(checkouts.map((checkout) => [checkout.id, checkout]));
  return candidates.filter((candidate) => {
    const checkout = byId.get(candidate.attempt.checkout);
    const row = known.get(candidate.row.id ?? '');
    return !checkout || !row || !isRecorded(candidate, checkout, row, context);
  });
}

function isRecorded(
  { row, attempt, merchant: { evidence: settings } }: CandidateTransaction,
  checkout: Checkout,
  known: MatchedRow,
  { clock, rules }: StepContext,
): boolean {
  const result = matchTransaction(row, expectedPaymentOf(attempt, checkout), settings);
  if (result.kind !== 'paid' || known.checkout !== checkout.id) return false;
  const evidence = evidenceOf(row, attempt.orderId, result.money, true);
  const read = { ...evidence, account: attempt.account, checkout: checkout.id };
  if (!isDeepStrictEqual(mergeRow(known, read), known)) return false;
  const { transaction } = evidence;
  const payment = paymentFactsOf(row, settings);
  const fact = { type: 'payment-proved', transaction, payment } as const;
  return advance(checkout, fact, clock.now(), rules) === checkout;
}

/** Stores what a row of the list says about an attempt. */
export async function recordMatch(
  tx: Transaction,
  { row, attempt, result }: { row: TransactionRow; attempt: Attempt; result: MatchResult },
  settings: EvidenceSettings,
  context: StepContext,
): Promise<Change[]> {
  const { id: transaction = '', status = '' } = row;
  const { orderId, checkout, account } = attempt;
  const known = await findKnownRow(tx, account, transaction);
  const isOfAnother = known !== undefined && known.checkout !== checkout;
  if (result.kind === 'mismatch' && (isOfAnother || !result.money)) {
    return isOfAnother && known.provesPrice ? [] : raise(tx, checkout, result.code, context);
  }
  if (result.kind !== 'none' && result.kind !== 'failed' && result.money) {
    const evidence = {
      ...evidenceOf(row, orderId, result.money, result.kind === 'paid'),
      joinsRefundRow: settings.joinsRefundRow,
      payment: paymentFactsOf(row, settings),
      ...(result.kind === 'mismatch' && { attention: result.code }),
    };
    return recordPayment(tx, evidence, context);
  }
  if (result.kind === 'failed' && !known?.provesPrice) {
    const now = context.clock.now();
    const isPending = isBeingPaid(await getCheckout(tx, checkout), now, context.rules);
    const at = Math.min(timeOf(row) ?? now, now);
    if (!isPending) await reportFailure(tx, orderId, at);
    return [];
  }
  // Such as a chargeback: a payment took a status that is not configured, in its row or another one.
  if (!known) {
    const payments = await findMatchedRows(tx, [checkout]);
    const isOfPayment = payments.some(
      (payment) => payment.account === account && mayChange(payment, row, orderId, settings),
    );
    return isOfPayment ? raise(tx, checkout, 'status_changed', context) : [];
  }
  if (!known.provesPrice || isOfAnother || known.status === status) return [];
  await touchOrder(tx, attempt);
  await upsertRow(tx, { ...known, status }, context.clock.now());
  return raise(tx, checkout, 'status_changed', context);
}

function evidenceOf(
  row: TransactionRow,
  orderId: number,
  money: RowMoney,
  provesPrice: boolean,
): PaymentEvidence {
  const { id: transaction = '', status = '', amount = '', currencyCode: currency = '' } = row;
  const { transactionTime = '' } = row;
  return { transaction, orderId, status, amount, currency, transactionTime, provesPrice, ...money };
}

/** Whether a row belongs to a payment that has its own row, as a refund would. */
function mayChange(
  payment: MatchedRow,
  row: TransactionRow,
  orderId: number,
  { refundMatchField, joinsRefundRow }: EvidenceSettings,
): boolean {
  if (!payment.provesPrice) return false;
  const { reference } = payment;
  if (reference !== undefined && reference === row.references[refundMatchField]) return true;
  const isLater = (timeOf(payment) ?? Infinity) < (timeOf(row) ?? -Infinity);
  return joinsRefundRow && payment.orderId === orderId && isLater;
}

async function raise(
  tx: Transaction,
  checkout: string,
  code: AttentionCode,
  context: StepContext,
): Promise<Change[]> {
  const fact = { type: 'attention-needed', code } as const;
  return [await applyFacts(tx, await getCheckout(tx, checkout), [fact], context)];
}

/** Whether another price of the order was asked for after this one was asked for last. */
async function isSuperseded(
  tx: Transaction,
  checkout: string,
  siblings: readonly { readonly id: string }[],
): Promise<boolean> {
  const last = await findLastAttempt(tx, checkout);
  for (const { id } of siblings) {
    const other = await findLastAttempt(tx, id);
    if (last && other && compareAttempts(other, last) > 0) return true;
  }
  return false;
}
