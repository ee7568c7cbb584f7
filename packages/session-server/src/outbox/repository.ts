import { type Reader, type Row, setCounter, type Transaction } from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';

/** One message for a shop: stored with the change that it reports, sent until it is acknowledged. */
export interface OutboxEvent {
  /** Sent as `webhook-id`: the same in each try, and after it is redelivered. */
  readonly id: string;
  readonly checkout: string;
  readonly merchant: string;
  readonly type: string;
  /** The JSON text that is signed and sent, the same in each try. */
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

/**
 * Takes events to send, under a lease, so that no event is sent by two senders at the same time.
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
): Promise<OutboxEvent[]> {
  const turns: Turn[] = [];
  for (const merchant of await findMerchantsWithEvents(tx, now)) {
    turns.push(...(await findTurns(tx, merchant, claim, now)));
  }
  let retryingLeft = claim.retryingLimit ?? claim.limit;
  const chosen = turns
    .toSorted((one, other) => one.turn - other.turn || one.dueAt - other.dueAt)
    .map(({ event }) => event)
    .filter((event) => !isRetrying(event, claim.answeringMerchants) || retryingLeft-- > 0)
    .slice(0, claim.limit);
  const free = await tx.all(sql`
    SELECT id FROM outbox_events WHERE id IN ${sql.list(chosen.map(({ id }) => id))}${tx.skipLocked}`);
  const claimed = chosen.filter((event) => free.some(({ id }) => id === event.id));
  const until = now + claim.leaseSeconds * 1000;
  await tx.run(sql`
    UPDATE outbox_events SET status = 'sending', due_at = ${until}
    WHERE id IN ${sql.list(claimed.map(({ id }) => id))}`);
  // Senders that claim at the same time collide here: each counts what the others have in flight.
  if (claimed.length > 0) await setCounter(tx, 'events_claimed_at', now);
  return claimed;
}

interface Turn {
  readonly event: OutboxEvent;
  /** How many events of its merchant go before it. */
  readonly turn: number;
  readonly dueAt: number;
}

/** Goes from merchant to merchant along the index, however many events each has, to those with one that is due. */
async function findMerchantsWithEvents(tx: Transaction, now: number): Promise<string[]> {
  const rows = await tx.all(sql`
    WITH RECURSIVE waiting (merchant) AS (
      SELECT min(merchant) FROM outbox_events WHERE due_at IS NOT NULL
      UNION ALL
      SELECT (SELECT min(merchant) FROM outbox_events
              WHERE due_at IS NOT NULL AND merchant > waiting.merchant)
      FROM waiting WHERE waiting.merchant IS NOT NULL
    )
    SELECT merchant FROM waiting WHERE EXISTS (
      SELECT 1 FROM outbox_events AS due
      WHERE due.merchant = waiting.merchant AND due.due_at <= ${now})`);
  return rows.map((row) => String(row['merchant']));
}

/** What of a merchant may be sent now, and in which turn. */
async function findTurns(
  tx: Transaction,
  merchant: string,
  { perMerchant, answeringMerchants }: EventClaim,
  now: number,
): Promise<Turn[]> {
  const underWay = await countUnderWay(tx, merchant, now);
  const max = answeringMerchants?.has(merchant) === false ? 1 : perMerchant;
  if (underWay >= max) return [];
  const untried = await tx.get(sql`
    SELECT * FROM (
      SELECT * FROM outbox_events AS event WHERE ${isSendable(merchant, now)}
      ORDER BY due_at DESC, sequence DESC LIMIT ${UNTRIED_WITHIN}
    ) AS newest WHERE tries = 0 ORDER BY due_at DESC, sequence DESC LIMIT 1`);
  const oldest = await tx.all(sql`
    SELECT * FROM outbox_events AS event WHERE ${isSendable(merchant, now)}
    ORDER BY due_at, sequence LIMIT ${Math.max(1, max - 1) - underWay}`);
  const rows = max === 1 && untried ? [untried] : withRow(oldest, untried);
  return rows.map((row, index) => ({
    event: toEvent(row),
    turn: underWay + index,
    dueAt: Number(row['due_at']),
  }));
}

/** What is due of a merchant, and not behind another event of its checkout. */
function isSendable(merchant: string, now: number): Sql {
  return sql`merchant = ${merchant} AND due_at <= ${now}
    AND NOT EXISTS (
      SELECT 1 FROM outbox_events AS other
      WHERE other.checkout = event.checkout AND other.id <> event.id
        AND (other.status = 'sending' AND other.due_at > ${now}
          OR other.due_at <= ${now} AND other.sequence < event.sequence))`;
}

async function countUnderWay(tx: Transaction, merchant: string, now: number): Promise<number> {
  const row = await tx.get(sql`
    SELECT count(*) AS count FROM outbox_events
    WHERE merchant = ${merchant} AND status = 'sending' AND due_at > ${now}`);
  return Number(row?.['count']);
}

function withRow(rows: Row[], more: Row | undefined): Row[] {
  return more === undefined || rows.some(({ id }) => id === more['id']) ? rows : [...rows, more];
}

/** The sender of every event that is still `sending` is dead: each is due again at once. */
export async function releaseSendingEvents(tx: Transaction, now: number): Promise<void> {
  await tx.run(
    sql`UPDATE outbox_events SET status = 'pending', due_at = ${now} WHERE status = 'sending'`,
  );
}

/** Its merchant has no address for events, and reads the feed: it is not sent. */
export async function markEventSkipped(tx: Transaction, id: string): Promise<void> {
  await tx.run(sql`UPDATE outbox_events SET status = 'skipped', due_at = NULL WHERE id = ${id}`);
}

export async function markEventDelivered(tx: Transaction, id: string): Promise<void> {
  await tx.run(sql`
    UPDATE outbox_events SET status = 'delivered', tries = tries + 1, due_at = NULL
    WHERE id = ${id}`);
}

/**
 * Due again at a time, or dead-lettered when there is none; what was delivered stays delivered.
 *
 * @param leaseUntil the end of the sender's lease: when another sender has the event since, nothing changes
 */
export async function markEventFailed(
  tx: Transaction,
  id: string,
  dueAt: number | undefined,
  leaseUntil?: number,
): Promise<void> {
  const status = dueAt === undefined ? 'dead_lettered' : 'pending';
  const isOurs =
    leaseUntil === undefined ? sql`` : sql` AND (status = 'pending' OR due_at = ${leaseUntil})`;
  await tx.run(sql`
    UPDATE outbox_events SET status = ${status}, tries = tries + 1, due_at = ${dueAt}
    WHERE id = ${id} AND status IN ('pending', 'sending')${isOurs}`);
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

/** When the next event falls due. Those that are due already wait for a sender, not for a time. */
export async function findNextEventTime(reader: Reader, now: number): Promise<number | undefined> {
  const row = await reader.get(
    sql`SELECT min(due_at) AS due FROM outbox_events WHERE due_at > ${now}`,
  );
  return typeof row?.['due'] === 'number' ? row['due'] : undefined;
}

/** Events that get their place in the feed in one step. */
export const MAX_PLACED = 1000;

/** An event in the feed of its merchant, from 1 on without a gap. */
export interface FeedEvent {
  readonly id: string;
  readonly position: number;
  readonly body: string;
}

/**
 * Gives events that are committed the next places in the feeds of their merchants; answers their ids.
 *
 * The order of the feed is the order of these steps. A place is taken by one step only, and the next place
 * only by a step that sees this one committed: so once a place can be read, no event comes before it any
 * more, however long its own transaction took.
 */
export async function placeEvents(tx: Transaction): Promise<string[]> {
  const rows = await tx.all(sql`
    SELECT id, merchant FROM outbox_events WHERE position IS NULL
    ORDER BY created_at, sequence LIMIT ${MAX_PLACED}`);
  const last = new Map<string, number>();
  for (const row of rows) {
    const merchant = String(row['merchant']);
    const position = (last.get(merchant) ?? (await findLastPosition(tx, merchant))) + 1;
    last.set(merchant, position);
    await tx.run(
      sql`UPDATE outbox_events SET position = ${position} WHERE id = ${String(row['id'])}`,
    );
  }
  return rows.map((row) => String(row['id']));
}

/** The last place in the feed of a merchant that is taken; 0 when there is none. */
export async function findLastPosition(reader: Reader, merchant: string): Promise<number> {
  const row = await reader.get(sql`
    SELECT max(position) AS position FROM outbox_events
    WHERE merchant = ${merchant} AND position IS NOT NULL`);
  return Number(row?.['position'] ?? 0);
}

export async function findFeed(
  reader: Reader,
  merchant: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<FeedEvent[]> {
  const rows = await reader.all(sql`
    SELECT id, position, body FROM outbox_events
    WHERE merchant = ${merchant} AND position > ${after} ORDER BY position LIMIT ${limit}`);
  return rows.map((row) => ({
    id: String(row['id']),
    position: Number(row['position']),
    body: String(row['body']),
  }));
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

/** The conditions of a filter; an empty filter matches all events. */
function matches({ ids, merchant }: DeadLetterFilter): Sql {
  const byId = ids ? sql` AND outbox_events.id IN ${sql.list(ids)}` : sql``;
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
