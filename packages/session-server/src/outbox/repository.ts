import {
  optionalText,
  type Reader,
  type Row,
  setCounter,
  type Transaction,
} from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';

/** One message for a shop: stored with the change that it reports, sent until it is acknowledged. */
export interface OutboxEvent {
  /** Sent as `webhook-id`: the same in each try, and after it is redelivered. */
  readonly id: string;
  readonly checkout: string;
  readonly merchant: string;
  readonly type: string;
  /** The JSON text that is signed and sent, with the order's metadata as it is at each try. */
  readonly body: string;
  /** How often it was sent without success. */
  readonly tries: number;
}

/** How many events a sender takes, and how many of them may be one shop's. */
export interface EventClaim {
  readonly limit: number;
  /** Events of one merchant that may be in flight together, in all processes. */
  readonly perMerchant: number;
  /** Merchants whose shop answers: the others get one event at a time. Default: all. */
  readonly answeringMerchants?: ReadonlySet<string>;
  /**
   * How many of the events may be retrying: of a merchant whose shop does not answer, or sent before
   * and not taken. Default: all.
   */
  readonly retryingLimit?: number;
  /** After this long a sender counts as dead, and its events are taken up again. */
  readonly leaseSeconds: number;
  /**
   * What the one sender of a data file has in flight: it needs no lease, since no other process sends.
   * Default: senders know of each other by their leases.
   */
  readonly held?: readonly Pick<OutboxEvent, 'merchant' | 'checkout'>[] | undefined;
}

/** An event that was given up. */
export interface DeadLetter {
  readonly id: string;
  readonly merchant: string;
  readonly order: string;
  readonly checkout: string;
  readonly type: string;
  readonly sequence: number;
  readonly createdAt: number;
}

/** Selects events: by id, by merchant, or all. */
export interface DeadLetterFilter {
  readonly ids?: readonly string[] | undefined;
  readonly merchant?: string | undefined;
}

/** Selects events to redeliver: any that are named by id, otherwise dead-lettered ones. */
export interface RedeliverFilter extends DeadLetterFilter {
  /** Without ids: also those that are retrying. Default: only dead-lettered ones. */
  readonly waiting?: boolean | undefined;
}

/** Whether an event may be retried at a shop that does not answer. */
export function isRetrying(
  { merchant, tries }: Pick<OutboxEvent, 'merchant' | 'tries'>,
  answeringMerchants: ReadonlySet<string> | undefined,
): boolean {
  return tries > 0 || answeringMerchants?.has(merchant) === false;
}

/** How many due events of a merchant are searched for one that was never sent. */
const UNTRIED_WITHIN = 100;
/** Events that one query reads. */
const MAX_IN_QUERY = 10_000;

/** An event is stored in the transaction that changes its checkout. */
export function insertEvent(
  event: Omit<OutboxEvent, 'tries'> & { readonly sequence: number },
  now: number,
): Sql {
  return sql.insert('outbox_events', {
    id: event.id,
    checkout: event.checkout,
    merchant: event.merchant,
    type: event.type,
    sequence: event.sequence,
    body: event.body,
    status: 'pending',
    tries: 0,
    due_at: now,
    created_at: now,
  });
}

export interface ClaimedEvents {
  readonly events: readonly OutboxEvent[];
  /** Whether others are due, and wait until one of those in flight has ended. */
  readonly hasMore: boolean;
}

/**
 * Takes events to send, so that no event is sent by two senders at the same time: under a lease where several
 * servers send.
 *
 * `pending` → `sending` (under a lease that `due_at` ends) → `delivered`, or `pending` again,
 * `dead_lettered`, or `skipped`. Every merchant gets its turn, and the events of one checkout go out one at a time.
 * What is due for longest goes first, but the last place of a merchant, which may be its only one, is
 * for an event that was never sent, the newest one: so no backlog of one order holds up the events of
 * another.
 */
export async function claimEvents(
  tx: Transaction,
  claim: EventClaim,
  now: number,
): Promise<ClaimedEvents> {
  const merchants = await findDueMerchants(tx, claim, now);
  const ids = [...new Set(merchants.flatMap(({ oldest, untried }) => [...oldest, ...untried]))];
  const rows = new Map<string, Row>();
  for (let from = 0; from < ids.length; from += MAX_IN_QUERY) {
    const list = sql.list(ids.slice(from, from + MAX_IN_QUERY));
    const free = await tx.all(sql`SELECT * FROM outbox_events WHERE id IN ${list}${tx.skipLocked}`);
    for (const row of free) rows.set(String(row['id']), row);
  }
  const turns = merchants.flatMap((merchant) => takeTurns(merchant, rows, claim));
  let retryingLeft = claim.retryingLimit ?? claim.limit;
  const events = turns
    .toSorted((one, other) => one.turn - other.turn || one.dueAt - other.dueAt)
    .map(({ event }) => event)
    .filter((event) => !isRetrying(event, claim.answeringMerchants) || retryingLeft-- > 0)
    .slice(0, claim.limit);
  if (events.length > 0 && !claim.held) {
    await tx.run(sql`
      UPDATE outbox_events SET status = 'sending', due_at = ${now + claim.leaseSeconds * 1000}
      WHERE id IN ${sql.list(events.map(({ id }) => id))}`);
    // Senders that claim at the same time collide here: each counts what the others have in flight.
    await setCounter(tx, 'events_claimed_at', now);
  }
  const due = merchants.reduce((sum, merchant) => sum + merchant.due, 0);
  return { events, hasMore: due > events.length };
}

/** A merchant with events that are due. */
interface DueMerchant {
  readonly merchant: string;
  readonly inFlight: number;
  /** How many are due and not in flight, counted up to more than one claim can take. */
  readonly due: number;
  /** Those that are due for longest, and the newest one that was never sent. */
  readonly oldest: readonly string[];
  readonly untried: readonly string[];
}

/** Goes from merchant to merchant along the index, however many events each has, to those with one that is due. */
async function findDueMerchants(
  tx: Transaction,
  { perMerchant, held = [] }: EventClaim,
  now: number,
): Promise<DueMerchant[]> {
  const others =
    held.length === 0
      ? sql``
      : sql` AND event.checkout NOT IN ${sql.list(held.map(({ checkout }) => checkout))}`;
  const isDue = sql`event.merchant = waiting.merchant AND event.due_at <= ${now}${others}`;
  // Not behind another event of its checkout. A condition on a column of the small indexes of what waits
  // would let PostgreSQL, which thinks that nothing does, read one of them to its end for each event.
  const isSendable = sql`${isDue}
    AND NOT EXISTS (
      SELECT 1 FROM outbox_events AS other
      WHERE other.checkout = event.checkout AND other.id <> event.id
        AND CASE WHEN other.due_at > ${now} THEN other.status = 'sending'
          WHEN other.due_at IS NULL THEN false ELSE other.sequence < event.sequence END)`;
  const rows = await tx.all(sql`
    WITH RECURSIVE waiting (merchant) AS (
      SELECT min(merchant) FROM outbox_events WHERE due_at IS NOT NULL
      UNION ALL
      SELECT (SELECT min(merchant) FROM outbox_events
              WHERE due_at IS NOT NULL AND merchant > waiting.merchant)
      FROM waiting WHERE waiting.merchant IS NOT NULL
    )
    SELECT merchant,
      (SELECT count(*) FROM outbox_events AS event
        WHERE event.merchant = waiting.merchant AND status = 'sending' AND due_at > ${now}
      ) AS sending,
      (SELECT count(*) FROM (
        SELECT 1 FROM outbox_events AS event WHERE ${isDue} LIMIT ${perMerchant + 1}
      ) AS due) AS due,
      (SELECT string_agg(id, ',') FROM (
        SELECT id FROM outbox_events AS event WHERE ${isSendable}
        ORDER BY due_at, sequence LIMIT ${perMerchant}
      ) AS oldest) AS oldest,
      (SELECT id FROM (
        SELECT id, tries, due_at, sequence FROM outbox_events AS event WHERE ${isSendable}
        ORDER BY due_at DESC, sequence DESC LIMIT ${UNTRIED_WITHIN}
      ) AS newest WHERE tries = 0 ORDER BY due_at DESC, sequence DESC LIMIT 1) AS untried
    FROM waiting
    WHERE (SELECT 1 FROM outbox_events AS event WHERE ${isDue} LIMIT 1) = 1`);
  return rows.map((row) => {
    const merchant = String(row['merchant']);
    return {
      merchant,
      inFlight: Number(row['sending']) + held.filter((event) => event.merchant === merchant).length,
      due: Number(row['due']),
      oldest: optionalText(row['oldest'])?.split(',') ?? [],
      untried: [optionalText(row['untried']) ?? []].flat(),
    };
  });
}

interface Turn {
  readonly event: OutboxEvent;
  /** How many events of its merchant go before it. */
  readonly turn: number;
  readonly dueAt: number;
}

/** What of a merchant may be sent now, and in which turn. */
function takeTurns(
  { merchant, inFlight, ...due }: DueMerchant,
  rows: ReadonlyMap<string, Row>,
  { perMerchant, answeringMerchants }: EventClaim,
): Turn[] {
  const max = answeringMerchants?.has(merchant) === false ? 1 : perMerchant;
  if (inFlight >= max) return [];
  const find = (ids: readonly string[]): Row[] =>
    ids.map((id) => rows.get(id)).filter((row) => row !== undefined);
  const oldest = find(due.oldest).slice(0, Math.max(1, max - 1) - inFlight);
  const untried = find(due.untried);
  const chosen = max === 1 && untried.length > 0 ? untried : [...oldest, ...untried];
  return [...new Set(chosen)].map((row, index) => ({
    event: toEvent(row),
    turn: inFlight + index,
    dueAt: Number(row['due_at']),
  }));
}

/** The sender of every event that is still `sending` is dead: each is due again at once. */
export async function releaseSendingEvents(tx: Transaction, now: number): Promise<void> {
  await tx.run(
    sql`UPDATE outbox_events SET status = 'pending', due_at = ${now} WHERE status = 'sending'`,
  );
}

/** How a try ended, or why there was none. */
export interface EventResult {
  readonly id: string;
  /** `pending` to be sent again; `skipped` when its merchant has no address, and reads the feed. */
  readonly status: 'delivered' | 'pending' | 'dead_lettered' | 'skipped';
  /** When a pending one is due again. */
  readonly dueAt?: number | undefined;
  /** The end of the sender's lease. Where another sender has the event since, a failure changes nothing. */
  readonly leaseUntil?: number | undefined;
}

/** Stores results together, whatever each is. What was delivered stays delivered. */
export async function settleEvents(
  tx: Transaction,
  results: readonly [EventResult, ...EventResult[]],
): Promise<void> {
  const values = results
    .map(
      ({ id, status, dueAt, leaseUntil }) =>
        sql`(${id}, ${status}, CAST(${dueAt} AS BIGINT), CAST(${leaseUntil} AS BIGINT))`,
    )
    .reduce((others, one) => sql`${others}, ${one}`);
  await tx.run(sql`
    WITH result (id, status, due_at, lease_until) AS (VALUES ${values})
    UPDATE outbox_events SET status = result.status, due_at = result.due_at,
      tries = tries + CASE result.status WHEN 'skipped' THEN 0 ELSE 1 END
    FROM result
    WHERE outbox_events.id = result.id AND (
      result.status IN ('delivered', 'skipped')
      OR outbox_events.status = 'pending'
      OR outbox_events.status = 'sending'
        AND outbox_events.due_at = coalesce(result.lease_until, outbox_events.due_at))`);
}

/** What is due sooner than this is not brought forward. */
const SOON_MS = 60_000;

/**
 * A shop acknowledges events again: what waits for a later try is tried now. That try does not count, so
 * a shop that comes and goes gets no event dead-lettered earlier.
 */
export async function bringEventsForward(
  tx: Transaction,
  merchant: string,
  now: number,
): Promise<void> {
  await tx.run(sql`
    UPDATE outbox_events SET due_at = ${now}, tries = tries - 1
    WHERE id IN (
      SELECT id FROM outbox_events
      WHERE merchant = ${merchant} AND status = 'pending' AND due_at > ${now + SOON_MS}${tx.skipLocked})`);
}

/** When the next event is to be sent, or to get its place in the feed. */
export const NEXT_EVENT_DUE = sql`
  SELECT min(at) FROM (
    SELECT min(due_at) AS at FROM outbox_events WHERE due_at IS NOT NULL
    UNION ALL SELECT min(created_at) FROM outbox_events WHERE position IS NULL
  ) AS due`;

/** Events that get their place in the feed in one step. */
export const MAX_PLACED = 1000;

/** An event in the feed of its merchant, from 1 on without a gap. */
export interface FeedEvent {
  readonly id: string;
  readonly position: number;
  readonly body: string;
}

/**
 * Gives events that are committed the next places in the feeds of their merchants; answers how many.
 *
 * The order of the feed is the order of these steps. A place is taken by one step only, and the next place
 * only by a step that sees this one committed: so once a place can be read, no event comes before it any
 * more, however long its own transaction took.
 */
export function placeEvents(tx: Transaction): Promise<number> {
  return tx.run(sql`
    UPDATE outbox_events SET position = placed.position
    FROM (
      SELECT id, row_number() OVER (PARTITION BY merchant ORDER BY created_at, sequence)
        + (${lastPlaceOf(sql`waiting.merchant`)}) AS position
      FROM (
        SELECT id, merchant, created_at, sequence FROM outbox_events WHERE position IS NULL
        ORDER BY created_at, sequence LIMIT ${MAX_PLACED}
      ) AS waiting
    ) AS placed
    WHERE outbox_events.id = placed.id`);
}

/** The last place in the feed of a merchant that an event has or had; 0 when there was none. */
export async function findLastPosition(reader: Reader, merchant: string): Promise<number> {
  const row = await reader.get(lastPlaceOf(sql`${merchant}`));
  return Number(row?.['position'] ?? 0);
}

function lastPlaceOf(merchant: Sql): Sql {
  return sql`
    SELECT max(position) AS position FROM (
      SELECT max(position) AS position FROM outbox_events AS taken
      WHERE taken.merchant = ${merchant} AND position IS NOT NULL
      UNION ALL SELECT position FROM removed_events WHERE removed_events.merchant = ${merchant}
      UNION ALL SELECT 0
    ) AS places`;
}

/** A part of the feed of a merchant, and what was removed of the feed at that moment. */
export interface FeedPart {
  readonly events: readonly FeedEvent[];
  /** Up to which place events were removed with their orders, and how many; 0 where none were. */
  readonly removed: { readonly position: number; readonly events: number };
}

export async function findFeed(
  reader: Reader,
  merchant: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<FeedPart> {
  // In one statement: what is removed between two would be missing in the first, and not said by the other.
  const rows = await reader.all(sql`
    SELECT removed.position AS removed_to, removed.events AS removed_events, event.id,
      event.position, event.body
    FROM (VALUES (1)) AS one
    LEFT JOIN removed_events AS removed ON removed.merchant = ${merchant}
    LEFT JOIN (
      SELECT id, position, body FROM outbox_events
      WHERE merchant = ${merchant} AND position > ${after} ORDER BY position LIMIT ${limit}
    ) AS event ON true`);
  const [first] = rows;
  const events = rows
    .filter(({ id }) => id !== null)
    .map((row) => ({
      id: String(row['id']),
      position: Number(row['position']),
      body: String(row['body']),
    }));
  return {
    events: events.toSorted((one, other) => one.position - other.position),
    removed: {
      position: Number(first?.['removed_to'] ?? 0),
      events: Number(first?.['removed_events'] ?? 0),
    },
  };
}

/** Oldest first. */
export async function findDeadLetters(
  reader: Reader,
  filter: DeadLetterFilter,
  limit: number,
): Promise<DeadLetter[]> {
  const rows = await reader.all(sql`
    SELECT outbox_events.*, checkouts.order_name FROM outbox_events
    JOIN checkouts ON checkouts.id = outbox_events.checkout
    WHERE status = 'dead_lettered'${matches(filter)}
    ORDER BY outbox_events.created_at, outbox_events.sequence LIMIT ${limit}`);
  return rows.map((row) => ({
    id: String(row['id']),
    merchant: String(row['merchant']),
    order: String(row['order_name']),
    checkout: String(row['checkout']),
    type: String(row['type']),
    sequence: Number(row['sequence']),
    createdAt: Number(row['created_at']),
  }));
}

/** Schedules events for redelivery at once, with all their tries; returns how many. */
export async function redeliverEvents(
  tx: Transaction,
  filter: RedeliverFilter,
  now: number,
): Promise<number> {
  const ended = filter.ids
    ? sql`status IN ('dead_lettered', 'delivered', 'skipped')`
    : sql`status = 'dead_lettered'`;
  const reset = await tx.run(sql`
    UPDATE outbox_events SET status = 'pending', tries = 0, due_at = ${now}
    WHERE ${ended}${matches(filter)}`);
  if (filter.waiting !== true && !filter.ids) return reset;
  const rescheduled = await tx.run(sql`
    UPDATE outbox_events SET tries = 0, due_at = ${now}
    WHERE due_at > ${now} AND status = 'pending'${matches(filter)}`);
  return reset + rescheduled;
}

function hasId(ids: readonly string[]): Sql {
  return ids.length === 0 ? sql`1 = 0` : sql`outbox_events.id IN ${sql.list(ids)}`;
}

/** The conditions of a filter; an empty filter matches all events. */
function matches({ ids, merchant }: DeadLetterFilter): Sql {
  const byId = ids === undefined ? sql`` : sql` AND ${hasId(ids)}`;
  const byMerchant =
    merchant === undefined ? sql`` : sql` AND outbox_events.merchant = ${merchant}`;
  return sql`${byId}${byMerchant}`;
}

function toEvent(row: Row): OutboxEvent {
  return {
    id: String(row['id']),
    checkout: String(row['checkout']),
    merchant: String(row['merchant']),
    type: String(row['type']),
    body: String(row['body']),
    tries: Number(row['tries']),
  };
}
