import type { Clock } from '../clock.js';
import { describeError, type Logger } from '../logger.js';
import { logPolls } from '../orders/order-log.js';
import type { OrderKey } from '../orders/repository.js';
import type { Database, Transaction } from '../store/database.js';
import { sql } from '../store/sql.js';

/** `incomplete`: rows may be missing, because the quota ended or a day could not be read. */
export type PollResult = 'read' | 'incomplete' | 'failed';

export interface PolledCheckout extends OrderKey {
  readonly checkout: string;
}

/** Polls for a checkout that had the same result one after the other. */
interface PollEntry {
  readonly polled: PolledCheckout;
  readonly result: PollResult;
  count: number;
  /** When the first and the last of them ended, in milliseconds since 1970. */
  since: number;
  until: number;
  /** When it is to be written. */
  readonly dueAt: number;
}

/** Checkouts are polled for every few seconds: repeated results are written once in this time. */
const WRITE_INTERVAL_MS = 60_000;
const IN_TRANSACTION = 100;

/**
 * Notes in the log of an order when the provider's list was polled for it: the first poll and each new
 * result at once, the rest once a minute. What is not written yet is lost with the process.
 */
export class PollLog {
  readonly #options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly logger: Logger;
  };
  /** The polls since the last write, by checkout; with no polls yet, what was written then. */
  readonly #current = new Map<string, PollEntry>();
  #ended: PollEntry[] = [];

  constructor(options: { database: Database; clock: Clock; logger: Logger }) {
    this.#options = options;
  }

  /** Counts a poll. */
  note(polled: PolledCheckout, result: PollResult): void {
    const now = this.#options.clock.now();
    const current = this.#current.get(polled.checkout);
    if (current?.result === result) {
      if (current.count === 0) current.since = now;
      current.count += 1;
      current.until = now;
      return;
    }
    if (current && current.count > 0) this.#ended.push(current);
    const entry = { polled, result, count: 1, since: now, until: now, dueAt: now };
    this.#current.set(polled.checkout, entry);
  }

  /** Writes what is due. */
  async write(): Promise<void> {
    const now = this.#options.clock.now();
    await this.#write((entry) => entry.dueAt <= now);
  }

  /** Writes all. */
  async close(): Promise<void> {
    await this.#write(() => true);
  }

  async #write(isDue: (entry: PollEntry) => boolean): Promise<void> {
    const due = [...this.#ended, ...[...this.#current.values()].filter(isDue)];
    this.#ended = [];
    const dueAt = this.#options.clock.now() + WRITE_INTERVAL_MS;
    for (const entry of due) {
      const { checkout } = entry.polled;
      if (this.#current.get(checkout) !== entry) continue;
      if (entry.count === 0) this.#current.delete(checkout);
      else this.#current.set(checkout, { ...entry, count: 0, dueAt });
    }
    const written = due.filter(({ count }) => count > 0);
    const { database, logger } = this.#options;
    try {
      for (let from = 0; from < written.length; from += IN_TRANSACTION) {
        const entries = written.slice(from, from + IN_TRANSACTION);
        await database.transaction('poll:log', (tx) => writeEntries(tx, entries));
      }
    } catch (error) {
      logger.warn(describeError(error), 'polls could not be noted in the log of their orders');
    }
  }
}

async function writeEntries(tx: Transaction, entries: readonly PollEntry[]): Promise<void> {
  const erased = await findErased(
    tx,
    entries.map(({ polled }) => polled.order),
  );
  for (const { polled, result, count, since, until } of entries) {
    if (erased.has(JSON.stringify([polled.merchant, polled.order]))) continue;
    const { checkout } = polled;
    await logPolls(tx, polled, { kind: 'poll', checkout, detail: { result, count, since } }, until);
  }
}

/** Nothing is logged for an order that was erased after its poll. */
async function findErased(
  tx: Transaction,
  orders: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.all(sql`
    SELECT merchant, order_name FROM orders
    WHERE order_name IN ${sql.list([...new Set(orders)])} AND erased_at IS NOT NULL`);
  return new Set(rows.map((row) => JSON.stringify([row['merchant'], row['order_name']])));
}
