import { Gauge, type Registry } from '@prometheus-io/client';
import type { Backlog } from '../operator/backlog.js';

/** What of the backlog is called what in the metrics. */
const GAUGES: Readonly<Record<keyof Backlog, readonly [name: string, help: string]>> = {
  watchedAttempts: ['pay_watched_attempts', 'Attempts that are polled for, counted up to 10000'],
  lookLateSeconds: ['pay_look_late_seconds', 'How late the next look is that nobody asked for'],
  oldestReturnSeconds: [
    'pay_oldest_return_seconds',
    'How long the first shopper who came back has waited for an outcome',
  ],
  waitingDeliveries: [
    'pay_webhooks_waiting',
    'Stored deliveries that are still to be worked on, counted up to 10000',
  ],
  oldestDeliverySeconds: [
    'pay_oldest_webhook_seconds',
    'How long the oldest of the waiting deliveries has waited',
  ],
  parkedDeliveries: [
    'pay_webhooks_parked',
    'Deliveries that no attempt was found for, counted up to 10000',
  ],
  waitingEvents: [
    'pay_order_events_waiting',
    'Events that no shop has taken yet, counted up to 10000',
  ],
  oldestEventSeconds: [
    'pay_oldest_order_event_seconds',
    'How long the oldest of the waiting events has waited',
  ],
  deadEvents: ['pay_order_events_dead', 'Events that were given up, counted up to 10000'],
  orderIdShare: ['pay_order_id_share', 'Last order_id as a share of the largest'],
  readersBackingOff: [
    'pay_readers_backing_off',
    'Merchants at the provider whose list is not read for now, because it failed',
  ],
  deepLookSeconds: [
    'pay_deep_look_seconds',
    'How long the first of the deep looks has been under way that have not come to their end',
  ],
};

/** Shows how much waits in the store, as it was when the metrics were last asked for. */
export class BacklogGauges {
  readonly #gauges: readonly (readonly [keyof Backlog, Gauge])[];

  constructor(registry: Registry) {
    const registers = [registry];
    this.#gauges = Object.entries(GAUGES).map(([key, [name, help]]) => [
      key as keyof Backlog,
      new Gauge({ name, help, registers }),
    ]);
  }

  set(backlog: Backlog): void {
    for (const [key, gauge] of this.#gauges) gauge.set(backlog[key]);
  }
}
