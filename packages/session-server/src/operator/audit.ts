import type { OrderKey } from '../orders/repository.js';
import { optionalText, type Reader, type Row, type Transaction } from '../store/database.js';
import { sql } from '../store/sql.js';
import type { AuditView } from './page-view.js';

/** Notes what an operator does, in the transaction that does it. */
export async function recordAction(
  tx: Transaction,
  { actor, action, merchant, order, target, note }: Omit<AuditView, 'id' | 'at'>,
  now: number,
): Promise<void> {
  await tx.run(
    sql.insert('audit', { at: now, actor, action, merchant, order_name: order, target, note }),
  );
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

/** All that was done, newest first. */
export async function findAudit(
  reader: Reader,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<AuditView[]> {
  const rows = await reader.all(
    sql`SELECT * FROM audit WHERE id < ${before} ORDER BY id DESC LIMIT ${limit}`,
  );
  return rows.map(toAudit);
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
