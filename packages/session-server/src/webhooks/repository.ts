import type { AttentionCode } from '../checkouts/state-machine.js';
import { type Attempt, findAttemptsById } from '../checkouts/attempt-repository.js';
import type { Change } from '../checkouts/checkout-transactions.js';
import type { WebhookFlag } from '../observer.js';
import type { PaymentEvidence } from '../reconciliation/payment-rules.js';
import {
  getCounter,
  optionalNumber,
  type Reader,
  type Row,
  type Transaction,
} from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';

/** A webhook as it is stored: unreadable without the platform's key. */
export interface IncomingWebhook {
  /** Hash of the token that it came to. */
  readonly tokenHash: string;
  /** Keyed hash of token and body, always of one length: by it a repetition is known. */
  readonly digest: string;
  /** Headers and body, encrypted. */
  readonly sealed: Uint8Array;
}

/** A webhook that is being processed, under a lease. */
export interface ClaimedWebhook {
  readonly id: number;
  readonly tokenHash: string;
  readonly digest: string;
  readonly sealed: Uint8Array;
  /** The attempt that its token belongs to; undefined for the token of a registered endpoint. */
  readonly attempt: Attempt | undefined;
  readonly receivedAt: number;
  readonly claimedAt: number;
}

/** What a verified webhook proves, when the merchant entry says that it may. */
export type WebhookProof =
  | { readonly kind: 'payment'; readonly evidence: PaymentEvidence }
  | { readonly kind: 'failure'; readonly orderId: number }
  | { readonly kind: 'mismatch'; readonly orderId: number; readonly code: AttentionCode };

export interface WebhookOutcome {
  readonly flags: readonly WebhookFlag[];
  /** The attempt that it is about. */
  readonly orderId?: number | undefined;
  /** Attempts to poll for, and by when, also when this process dies now. */
  readonly pollFor: readonly { readonly orderId: number; readonly at: number }[];
  readonly proof?: WebhookProof | undefined;
  /** Other digests under which the very same body may have been stored. */
  readonly otherDigests?: readonly string[];
}

/**
 * The outcome of a webhook: `repeated` when one with the same body to the same token was processed
 * before and counts for as much, so that this one only triggers its poll and is dropped. `gone` when it
 * was processed itself, or erased; nothing is done then.
 */
export interface CompletedWebhook {
  readonly became: 'processed' | 'repeated' | 'gone';
  /** Of a checkout, where the webhook proved something. */
  readonly changes: readonly Change[];
}

/**
 * How much a webhook counts for. A repetition that counts for more than what came first is no
 * repetition: a forged body, or one whose key was not set yet, takes nothing from the real one.
 */
export function weigh(flags: readonly WebhookFlag[]): number {
  if (flags.some((flag) => flag !== 'verified')) return 0;
  return flags.includes('verified') ? 2 : 1;
}

export interface WebhookCounts {
  readonly waiting: number;
  readonly unmatched: number;
  readonly processed: number;
  /** With the flag of that name, whatever their state. */
  readonly flagged: Readonly<Record<WebhookFlag, number>>;
  /** Test webhooks of spec 4.8 since the file was made; they are not stored. */
  readonly tests: number;
}

export const TESTS_COUNTER = 'webhook_tests';
/** Unmatched webhooks beyond the maximum that one step drops; more than one are there after it was lowered. */
const MAX_DROPPED = 1000;

/** Stores a webhook as it came, whether or not it came before. */
export async function insertWebhook(
  tx: Transaction,
  webhook: IncomingWebhook,
  orderId: number | undefined,
  now: number,
): Promise<void> {
  await tx.run(
    sql.insert('webhooks', {
      token_hash: webhook.tokenHash,
      receiver: orderId === undefined ? webhook.tokenHash : String(orderId),
      digest: webhook.digest,
      order_id: orderId,
      sealed: webhook.sealed,
      status: 'waiting',
      flags: '[]',
      due_at: now,
      received_at: now,
    }),
  );
}

/** How many bytes are kept of the webhooks of an attempt. */
export async function sumWebhookBytes(reader: Reader, orderId: number): Promise<number> {
  const row = await reader.get(sql`
    SELECT coalesce(sum(length(sealed)), 0) AS bytes FROM webhooks
    WHERE receiver = ${String(orderId)}`);
  return Number(row?.['bytes']);
}

/** Claims webhooks to process, oldest first; once the lease expires they may be claimed again. */
export async function claimWebhooks(
  tx: Transaction,
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number },
  now: number,
): Promise<ClaimedWebhook[]> {
  const rows = await tx.all(sql`
    WITH due AS MATERIALIZED (
      SELECT id FROM webhooks WHERE due_at <= ${now} ORDER BY due_at, id
      LIMIT ${limit}${tx.skipLocked}
    )
    UPDATE webhooks SET due_at = ${now + leaseSeconds * 1000} WHERE id IN (SELECT id FROM due)
    RETURNING *`);
  const orderIds = rows.flatMap((row) => optionalNumber(row['order_id']) ?? []);
  const attempts = await findAttemptsById(tx, orderIds);
  return rows
    .map((row) => ({
      id: Number(row['id']),
      tokenHash: String(row['token_hash']),
      digest: String(row['digest']),
      sealed: row['sealed'] as Uint8Array,
      attempt: attempts.get(Number(row['order_id'])),
      receivedAt: Number(row['received_at']),
      claimedAt: now,
    }))
    .toSorted((one, other) => one.receivedAt - other.receivedAt || one.id - other.id);
}

/** Releases all claims: this process has just started, so their owners are dead. */
export async function releaseClaimedWebhooks(tx: Transaction, now: number): Promise<void> {
  await tx.run(sql`UPDATE webhooks SET due_at = ${now} WHERE due_at > ${now}`);
}

/** Marks a webhook processed, in the place of those that count for less, or drops a repetition. */
export async function settleWebhook(
  tx: Transaction,
  id: number,
  { flags, orderId, otherDigests = [] }: Pick<WebhookOutcome, 'flags' | 'orderId' | 'otherDigests'>,
): Promise<CompletedWebhook['became']> {
  const row = await tx.get(
    sql`SELECT receiver, digest FROM webhooks WHERE id = ${id} AND status <> 'processed'`,
  );
  if (!row) return 'gone';
  tx.queue(sql`DELETE FROM webhook_references WHERE webhook = ${id}`);
  const digests = [String(row['digest']), ...otherDigests];
  const twins = await tx.all(sql`
    SELECT id, flags FROM webhooks
    WHERE receiver = ${String(row['receiver'])} AND digest IN ${sql.list(digests)}
      AND status = 'processed'`);
  if (twins.some((twin) => weigh(flagsOf(twin)) >= weigh(flags))) {
    tx.queue(sql`DELETE FROM webhooks WHERE id = ${id}`);
    return 'repeated';
  }
  for (const twin of twins) tx.queue(sql`DELETE FROM webhooks WHERE id = ${Number(twin['id'])}`);
  tx.queue(sql`
    UPDATE webhooks SET status = 'processed', flags = ${JSON.stringify(flags)}, due_at = NULL,
      order_id = coalesce(order_id, ${orderId})
    WHERE id = ${id}`);
  return 'processed';
}

function flagsOf(row: Row): WebhookFlag[] {
  return JSON.parse(String(row['flags'])) as WebhookFlag[];
}

/**
 * Keeps a webhook that names no attempt until one appears that it names. Of each token the oldest
 * are dropped beyond a maximum.
 *
 * @param hashes what is stored in the place of the names
 * @param dueAt set when a matching attempt has been stored since: the webhook is processed again
 */
export async function markUnmatched(
  tx: Transaction,
  id: number,
  { hashes, max, dueAt }: { hashes: readonly string[]; max: number; dueAt: number | undefined },
): Promise<void> {
  const row = await tx.get(sql`
    UPDATE webhooks SET status = ${dueAt === undefined ? 'unmatched' : 'waiting'}, due_at = ${dueAt}
    WHERE id = ${id} AND status <> 'processed' RETURNING token_hash`);
  if (!row) return;
  tx.queue(sql`DELETE FROM webhook_references WHERE webhook = ${id}`);
  for (const reference of new Set(hashes)) {
    tx.queue(sql.insert('webhook_references', { reference, webhook: id }));
  }
  tx.queue(sql`
    DELETE FROM webhooks WHERE id IN (
      SELECT id FROM webhooks
      WHERE token_hash = ${String(row['token_hash'])} AND status = 'unmatched'
      ORDER BY received_at DESC, id DESC LIMIT ${MAX_DROPPED} OFFSET ${max})`);
}

/** Schedules unmatched webhooks that name an attempt to be processed again. */
export function retryWebhooksNaming(hashes: readonly string[], now: number): Sql {
  return sql`
    UPDATE webhooks SET status = 'waiting', due_at = ${now}
    WHERE status = 'unmatched' AND id IN (
      SELECT webhook FROM webhook_references WHERE reference IN ${sql.list(hashes)})`;
}

/** Schedules every unmatched webhook to be processed again: the settings may have changed. */
export async function retryUnmatched(tx: Transaction, now: number): Promise<void> {
  await tx.run(
    sql`UPDATE webhooks SET status = 'waiting', due_at = ${now} WHERE status = 'unmatched'`,
  );
}

/** When the next webhook is due, in milliseconds since 1970. */
export async function findNextWebhookTime(reader: Reader): Promise<number | undefined> {
  const row = await reader.get(
    sql`SELECT min(due_at) AS due FROM webhooks WHERE due_at IS NOT NULL`,
  );
  return typeof row?.['due'] === 'number' ? row['due'] : undefined;
}

/** Erases what came before a time, and what is unmatched since before another; answers how many. */
export async function eraseWebhooks(
  tx: Transaction,
  before: { receivedBefore: number; unmatchedBefore: number; limit: number },
): Promise<number> {
  const old = await tx.run(sql`
    DELETE FROM webhooks WHERE id IN (
      SELECT id FROM webhooks WHERE received_at < ${before.receivedBefore}
      ORDER BY received_at LIMIT ${before.limit})`);
  const unmatched = await tx.run(sql`
    DELETE FROM webhooks WHERE id IN (
      SELECT id FROM webhooks
      WHERE status = 'unmatched' AND received_at < ${before.unmatchedBefore}
      ORDER BY received_at LIMIT ${before.limit})`);
  return old + unmatched;
}

export async function countWebhooks(reader: Reader): Promise<WebhookCounts> {
  const groups = (
    await reader.all(sql`
      SELECT status, flags, count(*) AS count FROM webhooks GROUP BY status, flags`)
  ).map((row) => ({ status: row['status'], flags: flagsOf(row), count: Number(row['count']) }));
  const count = (isMeant: (group: (typeof groups)[number]) => boolean): number =>
    groups.filter(isMeant).reduce((sum, group) => sum + group.count, 0);
  const ofStatus = (status: string): number => count((group) => group.status === status);
  const flagged = (flag: WebhookFlag): number => count(({ flags }) => flags.includes(flag));
  return {
    waiting: ofStatus('waiting'),
    unmatched: ofStatus('unmatched'),
    processed: ofStatus('processed'),
    flagged: {
      verified: flagged('verified'),
      signature_refused: flagged('signature_refused'),
      contradicts: flagged('contradicts'),
      unreadable: flagged('unreadable'),
    },
    tests: (await getCounter(reader, TESTS_COUNTER)) ?? 0,
  };
}
