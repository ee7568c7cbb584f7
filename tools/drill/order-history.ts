import { describeEntry } from '../../packages/operator/dist/timeline-words.js';
import { readTimeline } from '../../packages/operator/dist/timeline.js';
import type { Reader } from '../../packages/session-server/dist/store/database.js';
import { DrillShop } from './drill-shop.ts';

/** Prints every loss, and then all that is known of each order that has one. */
export async function printLost(reader: Reader, lost: readonly string[]): Promise<void> {
  for (const line of lost) console.log(`    LOST: ${line}`);
  const orders = lost.flatMap((line) => /^([A-Z]\d[\d-]*): /.exec(line)?.[1] ?? []);
  for (const order of new Set(orders)) {
    console.log((await describeHistory(reader, order)).join('\n'));
  }
}

/** The last state of an order and everything that happened to it, as lines of text. */
async function describeHistory(reader: Reader, order: string): Promise<string[]> {
  const entries = [DrillShop.merchant, DrillShop.puttingMerchant].map((merchant) =>
    readTimeline(reader, { merchant, order }),
  );
  const found = (await Promise.all(entries)).find((timeline) => timeline !== undefined);
  if (!found) return [`${order}: the database has no such order`];
  const checkouts = found.checkouts.map(({ id, state, attention }) => {
    const codes = attention.length === 0 ? '' : `, attention: ${attention.join(', ')}`;
    return `    checkout ${id}: ${state}${codes}`;
  });
  const attempts = found.attempts.map(
    ({ orderId, status }) => `    order_id ${String(orderId)}: ${status}`,
  );
  const events = found.events.map(
    ({ type, status, tries }) => `    event ${type}: ${status}, ${String(tries)} tries`,
  );
  const timeline = found.entries.toReversed().map((entry) => {
    const seconds = ((entry.at - found.createdAt) / 1000).toFixed(1);
    return `    ${seconds.padStart(7)} s  ${describeEntry(entry)}`;
  });
  return [`${order}: ${found.state}`, ...checkouts, ...attempts, ...events, ...timeline];
}
