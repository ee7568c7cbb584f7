import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import type { RunLoop, RunLoops } from '../run-loop.js';
import type { Database } from '../store/database.js';
import { eraseOrder, findOrdersToErase, wasRenewed } from './order-data.js';
import { PAID_ORDER_DAYS, removeHistory, removeOrders } from './removal.js';

const PAUSE_MS = 3_600_000;
const BATCH = 100;
const DAY_MS = 86_400_000;
/** Orders whose rows are removed in one transaction. */
const REMOVED_TOGETHER = 10;
/** After each of these transactions. */
const STEP_PAUSE_MS = 50;

export interface RetentionOptions {
  readonly loops: RunLoops;
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** When orders are erased: no later than their rows are removed. */
  readonly eraseDays: number;
  /** Default: rows are never removed. */
  readonly removeDays?: number | undefined;
}

/**
 * Erases orders once they are old enough, then removes their rows: see {@link eraseOrder} and
 * {@link removeHistory}. Runs once an hour.
 */
export function startRetention(options: RetentionOptions): RunLoop {
  const { loops, database, clock, logger, eraseDays, removeDays } = options;
  let eraseAt = 0;
  let isPurgeDue = false;
  let removed = { history: 0, orders: 0 };
  return loops.start({
    name: 'retention',
    async run(signal) {
      if (clock.now() >= eraseAt) {
        const erased = await eraseOld(options, clock.now() - eraseDays * DAY_MS, signal);
        if (erased > 0) logger.info({ orders: erased }, 'old orders were erased');
        isPurgeDue ||= erased > 0;
        // Not again before each step of a removal: some cannot be erased yet.
        eraseAt = clock.now() + PAUSE_MS;
      }
      // A command that is reading the log now is done with it by then.
      if (isPurgeDue && !(await database.purgeDeleted())) return 1000;
      isPurgeDue = false;
      if (removeDays === undefined) return PAUSE_MS;
      const step = await removeSome(database, clock.now(), removeDays);
      removed = {
        history: removed.history + step.history,
        orders: removed.orders + step.orders,
      };
      if (Math.max(step.history, step.orders) === REMOVED_TOGETHER) return STEP_PAUSE_MS;
      if (removed.history + removed.orders > 0) {
        logger.info(removed, 'rows of old orders were removed');
      }
      removed = { history: 0, orders: 0 };
      return PAUSE_MS;
    },
  });
}

async function eraseOld(
  { database, clock }: RetentionOptions,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  let erased = 0;
  for (let from = 0; !signal.aborted;) {
    const orders = await findOrdersToErase(database, { from, before, limit: BATCH });
    for (const order of orders) {
      const became = await database.transaction('retention:erase', async (tx) =>
        // It may have been put again since the orders were read.
        (await wasRenewed(tx, order)) ? 'renewed' : eraseOrder(tx, order, clock.now()),
      );
      if (became === 'erased') erased += 1;
    }
    if (orders.length < BATCH) break;
    from = (orders.at(-1)?.renewedAt ?? 0) + 1;
  }
  return erased;
}

async function removeSome(database: Database, now: number, days: number) {
  const limit = REMOVED_TOGETHER;
  const before = now - days * DAY_MS;
  const beforeAll = now - Math.max(days, PAID_ORDER_DAYS) * DAY_MS;
  const history = await database.transaction('retention:remove-history', (tx) =>
    removeHistory(tx, { before, limit }, now),
  );
  const orders = await database.transaction('retention:remove-orders', (tx) =>
    removeOrders(tx, { before: beforeAll, limit }),
  );
  return { history, orders };
}
