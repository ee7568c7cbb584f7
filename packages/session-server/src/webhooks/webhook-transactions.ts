import { sql } from '../store/sql.js';
import { getAttempt, hasNewAttempt } from '../checkouts/attempt-repository.js';
import { pollBy, requestPoll } from '../checkouts/poll-requests.js';
import { getCheckout } from '../checkouts/repository.js';
import type { CheckoutFact } from '../checkouts/state-machine.js';
import { applyFacts, type Change, type StepContext } from '../checkouts/checkout-transactions.js';
import { reportFailure } from '../reconciliation/failures.js';
import { recordPayment } from '../reconciliation/order-batch.js';
import type { Transaction } from '../store/database.js';
import {
  type ClaimedWebhook,
  type CompletedWebhook,
  type IncomingWebhook,
  insertWebhook,
  markUnmatched,
  settleWebhook,
  sumWebhookBytes,
  type WebhookOutcome,
  type WebhookProof,
} from './repository.js';

/** What is stored in the place of a name that an unmatched webhook speaks of. */
export type HashReference = (reference: string) => string;

/**
 * Stores a webhook as it came; `orderId` when the token is an attempt's. False, and nothing is
 * stored, when more than `maxBytes` would then be kept for that attempt.
 */
export async function recordWebhook(
  tx: Transaction,
  webhook: IncomingWebhook,
  { orderId, maxBytes, now }: { orderId: number | undefined; maxBytes: number; now: number },
): Promise<boolean> {
  if (orderId !== undefined) {
    // Those that come together are counted one after the other.
    await tx.run(sql`UPDATE attempts SET polls = polls WHERE order_id = ${orderId}`);
    const bytes = (await sumWebhookBytes(tx, orderId)) + webhook.sealed.length;
    if (bytes > maxBytes) return false;
  }
  await insertWebhook(tx, webhook, orderId, now);
  return true;
}

/** The work is done: plans the polls that a webhook asks for, and applies what it proves. */
export async function completeWebhook(
  tx: Transaction,
  webhook: number,
  outcome: WebhookOutcome,
  context: StepContext,
): Promise<CompletedWebhook> {
  const became = await settleWebhook(tx, webhook, outcome);
  if (became === 'gone') return { became, changes: [] };
  const now = context.clock.now();
  const proof = became === 'processed' ? outcome.proof : undefined;
  const changes = proof ? await applyProof(tx, proof, context) : [];
  // Last: an order is locked before its attempts.
  for (const { orderId, at } of outcome.pollFor) {
    if (at <= now) requestPoll(tx, orderId, { now });
    else pollBy(tx, orderId, { now, at });
  }
  return { became, changes };
}

async function applyProof(
  tx: Transaction,
  proof: WebhookProof,
  context: StepContext,
): Promise<Change[]> {
  if (proof.kind === 'failure') {
    await reportFailure(tx, proof.orderId, context.clock.now());
    return [];
  }
  if (proof.kind === 'payment') return recordPayment(tx, proof.evidence, context);
  const attempt = await getAttempt(tx, proof.orderId);
  const checkout = await getCheckout(tx, attempt.checkout);
  const fact: CheckoutFact = { type: 'attention-needed', code: proof.code };
  return [await applyFacts(tx, checkout, [fact], context)];
}

/** No attempt was found for a webhook: it waits for one that is called by one of the references. */
export async function keepUnmatched(
  tx: Transaction,
  { id, claimedAt }: Pick<ClaimedWebhook, 'id' | 'claimedAt'>,
  { references, max, hash }: { references: readonly string[]; max: number; hash: HashReference },
): Promise<void> {
  // An attempt stored in the meantime found no webhook waiting for it.
  const isNew = await hasNewAttempt(tx, references, claimedAt);
  const dueAt = isNew ? claimedAt : undefined;
  await markUnmatched(tx, id, { hashes: references.map(hash), max, dueAt });
}
