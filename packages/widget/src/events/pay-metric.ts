import { PageEvent } from './page-event.js';

/**
 * What is measured: `paint` (connected → first drawn), `loader` (connected → SDK loaded), `session`
 * (start → checkout open), `ready` (start → the shopper can pay), `outcome` (start → outcome).
 */
export type MetricName = 'paint' | 'loader' | 'session' | 'ready' | 'outcome';

/** How long something took here. It goes to nobody but the page. */
export class PayMetricEvent extends PageEvent {
  readonly name: MetricName;
  /** Milliseconds of `performance.now()`. */
  readonly startTime: number;
  /** Milliseconds. */
  readonly duration: number;

  constructor(name: MetricName, startTime: number, duration: number) {
    super('pay-metric');
    this.name = name;
    this.startTime = startTime;
    this.duration = duration;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-metric': PayMetricEvent;
  }
}
