import { lastOrderId } from '../checkouts/order-ids.js';
import type { CheckoutRules } from '../checkouts/rules.js';
import type { Reader } from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';

/** Counts of a backlog stop here, which bounds their cost. */
const MAX_COUNTED = 10_000;

const DUE_POLLS = sql`
  SELECT next_poll_at AS at FROM attempts WHERE next_poll_at IS NOT NULL ORDER BY next_poll_at`;
const WAITING_WEBHOOKS = sql`
  SELECT received_at AS at FROM webhooks WHERE due_at IS NOT NULL ORDER BY due_at`;
const WAITING_EVENTS = sql`
  SELECT created_at AS at FROM outbox_events WHERE due_at IS NOT NULL ORDER BY due_at`;

/** How many whole seconds the oldest of each queue has waited. */
export async function readQueueAges(reader: Reader, now: number) {
  const ageOf = async (query: Sql): Promise<number> => {
    const { oldest = now } = await summarise(reader, query);
    return Math.max(0, Math.round((now - oldest) / 1000));
  };
  return {
    webhooks: await ageOf(WAITING_WEBHOOKS),
    events: await ageOf(WAITING_EVENTS),
    polls: await ageOf(DUE_POLLS),
  };
}

/**
 * How much waits in the store at a time, in milliseconds since 1970, and for how long. Each query
 * follows an index of what waits, and stops early.
 */
export async function readBacklog(
  reader: Reader,
  limits: Pick<CheckoutRules, 'settleWindowSeconds' | 'maxOrderId'>,
  now: number,
) {
  const attempts = await summarise(reader, DUE_POLLS);
  const returns = await summarise(
    reader,
    sql`SELECT CASE state WHEN 'returned' THEN settle_by END AS at
      FROM checkouts WHERE due_at IS NOT NULL ORDER BY due_at`,
  );
  const webhooks = await summarise(reader, WAITING_WEBHOOKS);
  const unmatched = await summarise(
    reader,
    sql`SELECT received_at AS at FROM webhooks WHERE status = 'unmatched' ORDER BY received_at`,
  );
  const events = await summarise(reader, WAITING_EVENTS);
  const deadLettered = await summarise(
    reader,
    sql`SELECT created_at AS at FROM outbox_events WHERE status = 'dead_lettered'
      ORDER BY created_at`,
  );
  const secondsSince = (at = now): number => Math.max(0, (now - at) / 1000);
  const firstReturnAt = returns.oldest && returns.oldest - limits.settleWindowSeconds * 1000;
  return {
    watchedAttempts: attempts.count,
    scheduledPollLateSeconds: secondsSince(attempts.oldest),
    oldestReturnSeconds: secondsSince(firstReturnAt),
    waitingWebhooks: webhooks.count,
    oldestWebhookSeconds: secondsSince(webhooks.oldest),
    unmatchedWebhooks: unmatched.count,
    waitingEvents: events.count,
    oldestEventSeconds: secondsSince(events.oldest),
    deadLetteredEvents: deadLettered.count,
    /** The last `order_id` as a share of the largest, from 0 to 1. */
    orderIdShare: (await lastOrderId(reader)) / limits.maxOrderId,
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
