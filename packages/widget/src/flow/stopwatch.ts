import { PayMetricEvent, type MetricName } from '../events/pay-metric.js';
import { isOutcome } from './flow-teller.js';
import type { Phase } from './phases.js';

/**
 * Tells the page how long things took: an event, and a User Timing measure of which each name keeps
 * the last. Nobody else is told.
 */
export class Stopwatch {
  readonly #target: EventTarget;
  #connectedAt = 0;
  #startedAt = 0;

  constructor(target: EventTarget) {
    this.#target = target;
  }

  connect(): void {
    this.#connectedAt = performance.now();
  }

  /** Measures `name` from the start of the payment, or from connecting for what comes before one. */
  tell(name: MetricName): void {
    const start = name === 'paint' || name === 'loader' ? this.#connectedAt : this.#startedAt;
    const label = `pay-checkout:${name}`;
    performance.clearMeasures(label);
    const { duration } = performance.measure(label, { start });
    this.#target.dispatchEvent(new PayMetricEvent(name, start, duration));
  }

  /** What the move from one phase to another starts or ends. */
  move(previous: Phase, phase: Phase): void {
    if (phase === previous) return;
    if (phase === 'opening' && previous !== 'address') this.#startedAt = performance.now();
    if (!this.#startedAt) return;
    if (phase === 'ready') this.tell('ready');
    if (isOutcome(phase)) {
      this.tell('outcome');
      this.#startedAt = 0;
    }
  }
}
