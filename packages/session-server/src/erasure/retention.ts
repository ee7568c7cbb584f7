import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import type { RunLoop, RunLoops } from '../run-loop.js';
import type { Database } from '../store/database.js';
import { eraseOrder, findOrdersToErase, wasRenewed } from './order-data.js';

const PAUSE_MS = 3_600_000;
const BATCH = 100;
const DAY_MS = 86_400_000;

/** Erases orders once they are old enough: see {@link eraseOrder}. Runs once an hour. */
export function startRetention(options: {
  readonly loops: RunLoops;
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly days: number;
}): RunLoop {
  const { loops, database, clock, logger, days } = options;
  return loops.start({
    name: 'retention',
    async run(signal) {
      const before = clock.now() - days * DAY_MS;
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
      if (erased === 0) return PAUSE_MS;
      logger.info({ orders: erased }, 'old orders were erased');
      // A command that is reading the log now is done with it by then.
      return (await database.purgeDeleted()) ? PAUSE_MS : 1000;
    },
  });
}
