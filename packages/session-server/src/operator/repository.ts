import type { AttentionCode } from '../checkouts/state-machine.js';
import type { CheckoutState } from '../contract.js';
import { toCheckout } from '../checkouts/repository.js';
import type { Reader } from '../store/database.js';
import { sql } from '../store/sql.js';

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
