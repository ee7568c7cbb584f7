import { optionalText, type Reader, type Transaction } from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';
import type { OrderKey } from './repository.js';

/** The data of an entry, by kind: codes, numbers and times, and no personal data. */
export interface LogDetails {
  /** A call of `/create-session` was answered, or its answer was lost. */
  readonly session: {
    readonly result: string;
    /** Status and request id of the provider's answer, where it refused. */
    readonly status?: number | undefined;
    readonly providerRequestId?: string | undefined;
  };
  /** What a page of the shop said. */
  readonly hint: { readonly kind: string };
  /** A shopper came back to one of the addresses of a session. */
  readonly return: { readonly kind: string };
  /** The provider's list was polled for a checkout, `count` times since the time `since`. */
  readonly poll: {
    readonly result: 'read' | 'incomplete' | 'failed';
    readonly count: number;
    /** Milliseconds since 1970; the last one is the time of the entry. */
    readonly since: number;
  };
  /** What a transaction of the provider's list says about the order. */
  readonly match: {
    readonly result: string;
    readonly reason?: string | undefined;
    readonly status?: string | undefined;
    readonly amount?: string | undefined;
    readonly currency?: string | undefined;
  };
  /** A checkout changed. */
  readonly state: {
    readonly from: string;
    readonly to: string;
    readonly attention?: readonly string[] | undefined;
    readonly refundedMinor?: number | undefined;
  };
  /** One try to deliver an event to the shop. */
  readonly delivery: {
    /** Of the event. */
    readonly type: string;
    readonly try: number;
    readonly status?: number | undefined;
    readonly error?: string | undefined;
    readonly result: 'acknowledged' | 'retrying' | 'dead_lettered' | 'skipped';
  };
}

export type LogKind = keyof LogDetails;

export type LogEntry = {
  readonly [K in LogKind]: {
    readonly kind: K;
    readonly detail: LogDetails[K];
    readonly checkout?: string | undefined;
    /** The order_id, transaction or event that it is about. */
    readonly subject?: string | undefined;
  };
}[LogKind];

/** Entries of one kind that are kept of an order; the oldest go. */
const MAX_OF_KIND = 50;

/** Logs something that happened to an order, for the operators who investigate it. */
export function insertEntry(
  { merchant, order }: OrderKey,
  { kind, checkout, subject, detail }: LogEntry,
  now: number,
): Sql {
  return sql.insert('order_log', {
    ...{ merchant, order_name: order, kind, checkout, subject },
    detail: JSON.stringify(detail),
    at: now,
  });
}

/** Whether an identical entry exists already. */
export async function isLogged(
  reader: Reader,
  { merchant, order }: OrderKey,
  { kind, subject, detail }: LogEntry,
  since = 0,
): Promise<boolean> {
  const row = await reader.get(sql`
    SELECT 1 FROM order_log
    WHERE merchant = ${merchant} AND order_name = ${order} AND kind = ${kind}
      AND coalesce(subject, '') = ${subject ?? ''} AND detail = ${JSON.stringify(detail)}
      AND at >= ${since}`);
  return row !== undefined;
}

/** One try to deliver an event of an order. */
export interface LoggedDelivery extends OrderKey {
  readonly checkout: string;
  readonly event: string;
  /** How often it was tried before, as the event counts: from 0 again when it is redelivered. */
  readonly tries: number;
  readonly detail: Omit<LogDetails['delivery'], 'try'>;
}

/** Logs tries to deliver events, with the number of each among all tries of its event. */
export async function logDeliveries(
  tx: Transaction,
  deliveries: readonly [LoggedDelivery, ...LoggedDelivery[]],
  now: number,
): Promise<void> {
  const orders = deliveries
    .map(({ merchant, order }) => sql`(${merchant}, ${order})`)
    .reduce((others, one) => sql`${others}, ${one}`);
  const known = await tx.all(sql`
    SELECT subject, detail FROM order_log
    WHERE kind = 'delivery' AND (merchant, order_name) IN (VALUES ${orders}) ORDER BY id`);
  const lastTries = new Map(
    known.map((row) => [
      row['subject'],
      (JSON.parse(String(row['detail'])) as LogDetails['delivery']).try,
    ]),
  );
  const [first, ...others] = deliveries.map(({ merchant, order, checkout, event, ...rest }) => ({
    ...{ merchant, order_name: order, kind: 'delivery', checkout, subject: event },
    detail: JSON.stringify({
      ...rest.detail,
      try: Math.max(rest.tries, lastTries.get(event) ?? 0) + 1,
    }),
    at: now,
  }));
  if (first) await tx.run(sql.insert('order_log', first, ...others));
}

/** All log entries of an order, oldest first. */
export async function findLog(
  reader: Reader,
  { merchant, order }: OrderKey,
): Promise<(LogEntry & { readonly at: number })[]> {
  const rows = await reader.all(sql`
    SELECT * FROM order_log WHERE merchant = ${merchant} AND order_name = ${order}`);
  return rows
    .toSorted((one, other) => Number(one['id']) - Number(other['id']))
    .map(
      (row) =>
        ({
          kind: row['kind'],
          checkout: optionalText(row['checkout']),
          subject: optionalText(row['subject']),
          detail: JSON.parse(String(row['detail'])) as unknown,
          at: Number(row['at']),
        }) as LogEntry & { readonly at: number },
    );
}

/**
 * Erases entries older than a time; returns how many. Of orders that got entries since another time, also
 * those of a kind that are too many.
 */
export function eraseOldLog(
  tx: Transaction,
  { before, since, limit }: { readonly before: number; since: number; readonly limit: number },
): Promise<number> {
  tx.queue(sql`
    DELETE FROM order_log WHERE id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY merchant, order_name, kind ORDER BY id DESC) AS place
        FROM order_log WHERE (merchant, order_name) IN (
          SELECT merchant, order_name FROM order_log WHERE at >= ${since})
      ) AS placed WHERE place > ${MAX_OF_KIND})`);
  return tx.run(sql`
    DELETE FROM order_log WHERE id IN (
      SELECT id FROM order_log WHERE at < ${before} ORDER BY at LIMIT ${limit})`);
}
