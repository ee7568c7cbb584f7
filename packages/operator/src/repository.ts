import {
  type AttentionCode,
  type CheckoutState,
  type Reader,
  type Sql,
  sql,
  toCheckout,
} from '@pay-checkout/session-server/internals';
import type { MerchantView } from './page-view.js';

/** A checkout that a person of the shop should check before shipping. */
export interface AttentionEntry {
  readonly merchant: string;
  readonly order: string;
  readonly checkout: string;
  readonly state: CheckoutState;
  readonly attention: readonly AttentionCode[];
  readonly createdAt: number;
}

export interface AttentionFilter {
  readonly merchant?: string | undefined;
  /** Only checkouts that were opened since, in milliseconds since 1970. */
  readonly since: number;
}

/** A webhook to a registered endpoint that no attempt was found for. */
export interface UnmatchedWebhook {
  readonly id: number;
  readonly tokenHash: string;
  readonly receivedAt: number;
}

/** Checkouts that a person of the shop should check, newest first. */
export async function findAttention(
  reader: Reader,
  { merchant, since }: AttentionFilter,
  limit: number,
): Promise<AttentionEntry[]> {
  const ofMerchant = merchant === undefined ? sql`` : sql`AND merchant = ${merchant}`;
  const rows = await reader.all(sql`
    SELECT * FROM checkouts WHERE attention <> '[]' AND created_at >= ${since} ${ofMerchant}
    ORDER BY created_at DESC LIMIT ${limit}`);
  return rows.map(toCheckout).map(({ merchant, order, id, state, attention, createdAt }) => ({
    merchant,
    order,
    checkout: id,
    state,
    attention,
    createdAt,
  }));
}

/** Oldest first. */
export async function findUnmatchedWebhooks(
  reader: Reader,
  limit: number,
): Promise<UnmatchedWebhook[]> {
  const rows = await reader.all(sql`
    SELECT id, token_hash, received_at FROM webhooks WHERE status = 'unmatched'
    ORDER BY received_at, id LIMIT ${limit}`);
  return rows.map((row) => ({
    id: Number(row['id']),
    tokenHash: String(row['token_hash']),
    receivedAt: Number(row['received_at']),
  }));
}

/** Rows that are counted at most, of all merchants together. */
const MAX_COUNTED = 10_000;

/** What waits of each merchant that has anything waiting. */
export async function readMerchantFigures(reader: Reader): Promise<MerchantView[]> {
  const found = new Map<string, MerchantView>();
  const none = { attention: 0, deadLettered: 0, waitingEvents: 0, watchedAttempts: 0 };
  const queries: Record<keyof typeof none, Sql> = {
    attention: sql`SELECT merchant FROM checkouts
      WHERE attention <> '[]' AND attention <> resolved_attention ORDER BY number DESC`,
    deadLettered: sql`SELECT merchant FROM outbox_events WHERE status = 'dead_lettered'
      ORDER BY created_at`,
    waitingEvents: sql`SELECT merchant FROM outbox_events WHERE due_at IS NOT NULL ORDER BY due_at`,
    watchedAttempts: sql`SELECT merchant FROM attempts WHERE next_poll_at IS NOT NULL
      ORDER BY next_poll_at`,
  };
  for (const [figure, query] of Object.entries(queries)) {
    const rows = await reader.all(sql`
      SELECT merchant, count(*) AS count FROM (${query} LIMIT ${MAX_COUNTED}) AS waiting
      GROUP BY merchant`);
    for (const row of rows) {
      const merchant = String(row['merchant']);
      const known = found.get(merchant) ?? { merchant, ...none };
      found.set(merchant, { ...known, [figure]: Number(row['count']) });
    }
  }
  return [...found.values()];
}
