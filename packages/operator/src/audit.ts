import {
  AppError,
  optionalText,
  type OrderKey,
  orderKeyText,
  ordersOf,
  type Reader,
  redeliverEvents,
  type RedeliverFilter,
  type Row,
  sql,
  type Transaction,
  TransactionCsv,
} from '@pay-checkout/session-server/internals';
import type { Action, AuditView, NoteView } from './page-view.js';
import { describeTarget } from './timeline-words.js';

/** Records an operator's action in the transaction that performs it. */
export async function recordAction(
  tx: Transaction,
  { actor, action, merchant, order, target, note }: Omit<AuditView, 'id' | 'at'>,
  now: number,
): Promise<void> {
  await tx.run(
    sql.insert('audit', { at: now, actor, action, merchant, order_name: order, target, note }),
  );
}

/**
 * Redelivers events, and notes it: each that is named with its order, and of all others how many they
 * were.
 *
 * @throws {AppError} 404 `event_not_found` for an id that there is not; then none is redelivered
 */
export async function redeliverAndNote(
  tx: Transaction,
  { ids, ...filter }: RedeliverFilter,
  by: Pick<AuditView, 'actor' | 'note'>,
  now: number,
): Promise<number> {
  if (!ids) {
    const count = await redeliverEvents(tx, filter, now);
    const target = count === 1 ? '1 event' : `${String(count)} events`;
    const { merchant } = filter;
    if (count > 0) await recordAction(tx, { ...by, action: 'redeliver', merchant, target }, now);
    return count;
  }
  let count = 0;
  for (const id of new Set(ids)) {
    const order = await findOrderOfEvent(tx, id);
    if (!order) throw new AppError(404, 'event_not_found', `There is no event "${id}".`);
    if ((await redeliverEvents(tx, { ...filter, ids: [id] }, now)) === 0) continue;
    count += 1;
    await recordAction(tx, { ...by, ...order, action: 'redeliver', target: id }, now);
  }
  return count;
}

async function findOrderOfEvent(reader: Reader, event: string): Promise<OrderKey | undefined> {
  const row = await reader.get(sql`
    SELECT checkouts.merchant, order_name FROM outbox_events
    JOIN checkouts ON checkouts.id = outbox_events.checkout
    WHERE outbox_events.id = ${event}`);
  return row && { merchant: String(row['merchant']), order: String(row['order_name']) };
}

/** What was done about an order, oldest first. */
export async function findAuditOf(
  reader: Reader,
  { merchant, order }: OrderKey,
): Promise<AuditView[]> {
  const rows = await reader.all(sql`
    SELECT * FROM audit WHERE merchant = ${merchant} AND order_name = ${order}`);
  return rows.map(toAudit).toSorted((one, other) => one.id - other.id);
}

/** Which actions; times are in milliseconds since 1970. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: Action | undefined;
  readonly merchant?: string | undefined;
  /** At this time or later, and before that time. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** All that was done, newest first. */
export async function findAudit(
  reader: Reader,
  { actor, action, merchant, from = 0, to = Number.MAX_SAFE_INTEGER }: AuditFilter,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<AuditView[]> {
  const rows = await reader.all(sql`
    SELECT * FROM audit WHERE id < ${before} AND at >= ${from} AND at < ${to}
      ${actor === undefined ? sql`` : sql`AND actor = ${actor}`}
      ${action === undefined ? sql`` : sql`AND action = ${action}`}
      ${merchant === undefined ? sql`` : sql`AND merchant = ${merchant}`}
    ORDER BY id DESC LIMIT ${limit}`);
  return rows.map(toAudit);
}

/** Actions that are read for a file at a time. */
const FILE_ITEMS = 500;
const FILE_COLUMNS = ['at', 'actor', 'action', 'merchant', 'order', 'target', 'note'];

/** What was done, newest first, as CSV with its head first. */
export async function* auditFile(
  reader: Reader,
  filter: AuditFilter,
): AsyncGenerator<string, void> {
  const csv = new TransactionCsv({ columns: FILE_COLUMNS, extra: false });
  yield csv.header;
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined;) {
    const found = await findAudit(reader, filter, { before, limit: FILE_ITEMS });
    const rows: readonly object[] = found.map((done) => {
      return { ...done, at: new Date(done.at).toISOString(), target: describeTarget(done) };
    });
    yield csv.toText(rows);
    before = found.at(-1)?.id;
  }
}

/** The newest note about each of some orders, by {@link orderKeyText}. */
export async function findNotes(
  reader: Reader,
  orders: readonly OrderKey[],
): Promise<ReadonlyMap<string, NoteView>> {
  if (orders.length === 0) return new Map();
  const rows = await reader.all(sql`
    SELECT * FROM audit WHERE action = 'note' AND (merchant, order_name) IN ${ordersOf(orders)}
    ORDER BY id`);
  return new Map(
    rows
      .map(toAudit)
      .map(({ merchant = '', order = '', actor, at, note, target }) => [
        orderKeyText({ merchant, order }),
        { actor, at, note, target },
      ]),
  );
}

function toAudit(row: Row): AuditView {
  return {
    id: Number(row['id']),
    at: Number(row['at']),
    actor: String(row['actor']),
    action: row['action'] as AuditView['action'],
    merchant: optionalText(row['merchant']),
    order: optionalText(row['order_name']),
    target: optionalText(row['target']),
    note: optionalText(row['note']),
  };
}
