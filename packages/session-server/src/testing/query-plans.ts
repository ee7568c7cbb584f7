import { DatabaseSync } from 'node:sqlite';
import { vi } from 'vitest';

/** Tables with a row for each order, attempt, webhook or event that ever was. */
const GROWING = new Set([
  'checkouts',
  'attempts',
  'matched_transactions',
  'webhooks',
  'webhook_references',
  'outbox_events',
  'orders',
]);

/** Indexes of what waits for something: they stay small however long the history is. */
const WAITING = [
  'attempts_next_poll',
  'checkouts_due',
  'checkouts_open_attention',
  'checkouts_price_check',
  'webhooks_due',
  'webhooks_unmatched',
  'webhooks_unmatched_of_token',
  'outbox_events_due',
  'outbox_events_of_merchant',
  'outbox_events_sending',
  'outbox_events_dead_lettered',
  'outbox_events_without_position',
];

/** One step of how SQLite runs a statement. */
export interface Plan {
  readonly statement: string;
  readonly step: string;
}

/** The statements that are prepared during some work on a data file, each with its plan. */
export async function explainWork(path: string, work: () => Promise<void>): Promise<Plan[]> {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  await work();
  const prepared = prepare.mock.calls.map(([sql]) => sql.replaceAll(/\s+/g, ' ').trim());
  prepare.mockRestore();
  const database = new DatabaseSync(path);
  const plans = [...new Set(prepared)].flatMap((statement) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${statement}`)
      .all()
      .map(({ detail }) => ({ statement, step: String(detail) })),
  );
  database.close();
  return plans;
}

/** Whether a step takes longer with each order that there has been. */
export function growsWithHistory({ statement, step }: Plan): boolean {
  if (step.startsWith('USE TEMP B-TREE')) return true;
  const name = /^SCAN (\w+)/.exec(step)?.[1];
  if (name === undefined) return false;
  const alias = new RegExp(`(\\w+) AS ${name}\\b`).exec(statement)?.[1];
  if (!GROWING.has(name) && !GROWING.has(alias ?? '')) return false;
  return !WAITING.some((index) => step.endsWith(`INDEX ${index}`));
}
