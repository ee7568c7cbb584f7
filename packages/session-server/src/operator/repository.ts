import type { AttentionCode } from '../checkouts/state-machine.js';
import type { CheckoutState } from '../contract.js';
import { lastOrderId, toCheckout } from '../checkouts/repository.js';
import type { Reader } from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';
/** Counts in a {@link StoreReport} stop here, so that a report costs the same however much waits. */
export const MAX_COUNTED = 10_000;

/** How much waits in a store, and since when. Times are milliseconds since 1970. */
export interface StoreReport {
  /** Attempts that are still polled for. */
  readonly watchedAttempts: number;
  /** When the next scheduled poll is due; in the past, it is late. */
  readonly nextPollAt: number | undefined;
  /** When the first of the shoppers came back whose payment is neither proved nor given up. */
  readonly oldestReturnAt: number | undefined;
  readonly waitingWebhooks: number;
  readonly oldestWebhookAt: number | undefined;
  readonly unmatchedWebhooks: number;
  readonly waitingEvents: number;
  readonly oldestEventAt: number | undefined;
  readonly deadLetteredEvents: number;
  readonly lastOrderId: number;
}

/** A checkout that a person of the shop should look at before shipping. */
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

/** How much waits. Each query follows an index of what waits, and stops early. */
export async function report(reader: Reader, settleWindowSeconds: number): Promise<StoreReport> {
  const attempts = await summarise(
    reader,
    sql`SELECT next_poll_at AS at FROM attempts WHERE next_poll_at IS NOT NULL ORDER BY next_poll_at`,
  );
  const returns = await summarise(
    reader,
    sql`SELECT CASE state WHEN 'returned' THEN settle_by END AS at
      FROM checkouts WHERE due_at IS NOT NULL ORDER BY due_at`,
  );
  const webhooks = await summarise(
    reader,
    sql`SELECT received_at AS at FROM webhooks WHERE due_at IS NOT NULL ORDER BY due_at`,
  );
  const unmatched = await summarise(
    reader,
    sql`SELECT received_at AS at FROM webhooks WHERE status = 'unmatched' ORDER BY received_at`,
  );
  const events = await summarise(
    reader,
    sql`SELECT created_at AS at FROM outbox_events WHERE due_at IS NOT NULL ORDER BY due_at`,
  );
  const deadLettered = await summarise(
    reader,
    sql`SELECT created_at AS at FROM outbox_events WHERE status = 'dead_lettered'
      ORDER BY created_at`,
  );
  return {
    watchedAttempts: attempts.count,
    nextPollAt: attempts.oldest,
    oldestReturnAt:
      returns.oldest === undefined ? undefined : returns.oldest - settleWindowSeconds * 1000,
    waitingWebhooks: webhooks.count,
    oldestWebhookAt: webhooks.oldest,
    unmatchedWebhooks: unmatched.count,
    waitingEvents: events.count,
    oldestEventAt: events.oldest,
    deadLetteredEvents: deadLettered.count,
    lastOrderId: await lastOrderId(reader),
  };
}

/** How many rows a query has, up to a maximum, and the smallest `at` of them. */
async function summarise(
  reader: Reader,
  query: Sql,
): Promise<{ readonly count: number; readonly oldest: number | undefined }> {
  const row = await reader.get(
    sql`SELECT count(*) AS count, min(at) AS oldest FROM (${query} LIMIT ${MAX_COUNTED}) AS waiting`,
  );
  const oldest = row?.['oldest'];
  return {
    count: Number(row?.['count']),
    oldest: typeof oldest === 'number' ? oldest : undefined,
  };
}

/** Checkouts that a person of the shop should look at, newest first. */
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
