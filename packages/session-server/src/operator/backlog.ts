import type { StoreReport } from './operator-store.js';

/** How much waits, and for how long: what an alarm is set on. A store's counts stop at 10,000. */
export interface Backlog {
  readonly watchedAttempts: number;
  /** How late the next look is that nobody asked for. */
  readonly lookLateSeconds: number;
  readonly oldestReturnSeconds: number;
  readonly waitingDeliveries: number;
  readonly oldestDeliverySeconds: number;
  readonly parkedDeliveries: number;
  readonly waitingEvents: number;
  readonly oldestEventSeconds: number;
  readonly deadEvents: number;
  /** The last `order_id` as a share of the largest, from 0 to 1. */
  readonly orderIdShare: number;
  /** Merchants at the provider whose list is not read for now, because it failed. */
  readonly readersBackingOff: number;
  /** How long the first of the deep looks has been under way that have not come to their end. */
  readonly deepLookSeconds: number;
}

export interface BacklogParts {
  readonly report: StoreReport;
  readonly readersBackingOff: number;
  /** When that deep look began, in milliseconds since 1970. */
  readonly deepSince: number | undefined;
  readonly maxOrderId: number;
}

/** What a report means at a time, in milliseconds since 1970. */
export function toBacklog(
  { report, readersBackingOff, deepSince, maxOrderId }: BacklogParts,
  now: number,
): Backlog {
  const secondsSince = (at: number | undefined): number => Math.max(0, (now - (at ?? now)) / 1000);
  return {
    watchedAttempts: report.watchedAttempts,
    lookLateSeconds: secondsSince(report.nextLookAt),
    oldestReturnSeconds: secondsSince(report.oldestReturnAt),
    waitingDeliveries: report.waitingDeliveries,
    oldestDeliverySeconds: secondsSince(report.oldestDeliveryAt),
    parkedDeliveries: report.parkedDeliveries,
    waitingEvents: report.waitingEvents,
    oldestEventSeconds: secondsSince(report.oldestEventAt),
    deadEvents: report.deadEvents,
    orderIdShare: report.lastOrderId / maxOrderId,
    readersBackingOff,
    deepLookSeconds: secondsSince(deepSince),
  };
}
