import { Gauge, type Registry } from '@prometheus-io/client';
import type { StoreReport } from './repository.js';

/** How much is waiting, and for how long: what alerts are set on. Counts of a store stop at 10,000. */
export interface Backlog {
  readonly watchedAttempts: number;
  readonly scheduledPollLateSeconds: number;
  readonly oldestReturnSeconds: number;
  readonly waitingWebhooks: number;
  readonly oldestWebhookSeconds: number;
  readonly unmatchedWebhooks: number;
  readonly waitingEvents: number;
  readonly oldestEventSeconds: number;
  readonly deadLetteredEvents: number;
  /** The last `order_id` as a share of the largest, from 0 to 1. */
  readonly orderIdShare: number;
  /** Merchants at the provider whose list is not polled for now, because it failed. */
  readonly pollersBackingOff: number;
  /** How long the oldest unfinished backfill has been running. */
  readonly backfillSeconds: number;
}

/** The metric of each number. */
const GAUGES: Readonly<Record<keyof Backlog, readonly [name: string, help: string]>> = {
  watchedAttempts: ['pay_watched_attempts', 'Attempts that are polled for, counted up to 10000'],
  scheduledPollLateSeconds: [
    'pay_scheduled_poll_late_seconds',
    'How late the next scheduled poll is',
  ],
  oldestReturnSeconds: [
    'pay_oldest_return_seconds',
    'How long the first shopper who came back has waited for an outcome',
  ],
  waitingWebhooks: [
    'pay_webhooks_waiting',
    'Stored webhooks that are still to be processed, counted up to 10000',
  ],
  oldestWebhookSeconds: [
    'pay_oldest_webhook_seconds',
    'How long the oldest of the waiting webhooks has waited',
  ],
  unmatchedWebhooks: [
    'pay_webhooks_unmatched',
    'Webhooks that no attempt was found for, counted up to 10000',
  ],
  waitingEvents: [
    'pay_outbox_waiting',
    'Events that no shop has acknowledged yet, counted up to 10000',
  ],
  oldestEventSeconds: [
    'pay_outbox_oldest_seconds',
    'How long the oldest of the waiting events has waited',
  ],
  deadLetteredEvents: [
    'pay_outbox_dead_lettered',
    'Events that are dead-lettered, counted up to 10000',
  ],
  orderIdShare: ['pay_order_id_share', 'Last order_id as a share of the largest'],
  pollersBackingOff: [
    'pay_pollers_backing_off',
    'Merchants at the provider whose list is not polled for now, because it failed',
  ],
  backfillSeconds: [
    'pay_backfill_seconds',
    'How long the oldest unfinished backfill has been running',
  ],
};

export interface BacklogParts {
  readonly report: StoreReport;
  readonly pollersBackingOff: number;
  /** When that backfill began, in milliseconds since 1970. */
  readonly backfillSince: number | undefined;
  readonly maxOrderId: number;
}

/** What a report means at a time, in milliseconds since 1970. */
export function toBacklog(
  { report, pollersBackingOff, backfillSince, maxOrderId }: BacklogParts,
  now: number,
): Backlog {
  const secondsSince = (at: number | undefined): number => Math.max(0, (now - (at ?? now)) / 1000);
  return {
    watchedAttempts: report.watchedAttempts,
    scheduledPollLateSeconds: secondsSince(report.nextPollAt),
    oldestReturnSeconds: secondsSince(report.oldestReturnAt),
    waitingWebhooks: report.waitingWebhooks,
    oldestWebhookSeconds: secondsSince(report.oldestWebhookAt),
    unmatchedWebhooks: report.unmatchedWebhooks,
    waitingEvents: report.waitingEvents,
    oldestEventSeconds: secondsSince(report.oldestEventAt),
    deadLetteredEvents: report.deadLetteredEvents,
    orderIdShare: report.lastOrderId / maxOrderId,
    pollersBackingOff,
    backfillSeconds: secondsSince(backfillSince),
  };
}

/** Shows the backlog in the metrics, as it was at the last scrape. */
export class BacklogGauges {
  readonly #gauges: readonly (readonly [keyof Backlog, Gauge])[];

  constructor(registry: Registry) {
    this.#gauges = Object.entries(GAUGES).map(([key, [name, help]]) => [
      key as keyof Backlog,
      new Gauge({ name, help, registers: [registry] }),
    ]);
  }

  set(backlog: Backlog): void {
    for (const [key, gauge] of this.#gauges) gauge.set(backlog[key]);
  }
}
