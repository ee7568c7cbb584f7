import { PayBackEvent } from '../events/pay-back.js';
import { PayCancelEvent } from '../events/pay-cancel.js';
import { PayErrorEvent } from '../events/pay-error.js';
import { PayExpiredEvent } from '../events/pay-expired.js';
import { PayFailedEvent } from '../events/pay-failed.js';
import { PayMetricEvent, type MetricName } from '../events/pay-metric.js';
import { PayPaidEvent } from '../events/pay-paid.js';
import { PayReadyEvent } from '../events/pay-ready.js';
import { PayStateChangeEvent } from '../events/pay-statechange.js';
import { PayUnconfirmedEvent } from '../events/pay-unconfirmed.js';
import type { FlowState } from './checkout-flow.js';
import type { Way } from './modes.js';
import type { OutcomePhase, Phase } from './phases.js';
import { settlementOf, type Settlement } from './settlement.js';

/** The event of each phase that tells what became of the payment. */
export const OUTCOME_EVENTS: Readonly<
  Record<OutcomePhase, new (checkout: string, order: string | null) => Event>
> = {
  paid: PayPaidEvent,
  failed: PayFailedEvent,
  cancelled: PayCancelEvent,
  left: PayBackEvent,
  expired: PayExpiredEvent,
  unconfirmed: PayUnconfirmedEvent,
};

/** Whether `phase` tells what became of the payment. */
export function isOutcome(phase: Phase): phase is OutcomePhase {
  return phase in OUTCOME_EVENTS;
}

/**
 * Tells the page what became of the flow, and how long it took: in a promise, in DOM events, and in
 * User Timing measures of which each name keeps the last. Nobody else is told.
 */
export class FlowTeller {
  readonly #target: EventTarget;
  readonly #told = new Set<string>();
  #settlement = Promise.withResolvers<Settlement>();
  #connectedAt: number | undefined;
  #startedAt: number | undefined;

  constructor(target: EventTarget) {
    this.#target = target;
  }

  /** The latest outcome, or the next one. */
  get whenSettled(): Promise<Settlement> {
    return this.#settlement.promise;
  }

  connect(): void {
    this.#connectedAt = performance.now();
  }

  /** Measures `name` from the start of the payment, or from connecting for what comes before one. */
  measure(name: MetricName): void {
    const start = name === 'paint' || name === 'loader' ? this.#connectedAt : this.#startedAt;
    if (!start) return;
    const label = `pay-checkout:${name}`;
    performance.clearMeasures(label);
    const { duration } = performance.measure(label, {
      __proto__: null,
      start,
    } as PerformanceMeasureOptions);
    this.#target.dispatchEvent(new PayMetricEvent(name, start, duration));
  }

  /** Tells the move from one state to the next: each outcome of a checkout once. */
  tell(previous: FlowState, state: FlowState, way: Way): void {
    const { phase, known } = state;
    const say = (event: Event): unknown => this.#target.dispatchEvent(event);
    const isNew = phase !== previous.phase;
    if (isNew) {
      if (isOutcome(previous.phase)) this.#settlement = Promise.withResolvers();
      // All of it before anybody hears: who does may start anew.
      if (known && isOutcome(phase)) {
        this.#settlement.resolve(settlementOf(phase, known));
        this.measure('outcome');
        this.#startedAt = 0;
      }
      if (phase === 'opening' && previous.phase !== 'address') this.#startedAt = performance.now();
      say(new PayStateChangeEvent(phase, previous.phase, way));
      if (phase === 'problem') {
        const { code, remedy, requestId } = state.trouble;
        say(new PayErrorEvent(code, Boolean(remedy), requestId));
      }
      if (phase === 'ready') {
        say(new PayReadyEvent(known.checkout, known.order));
        this.measure('ready');
      }
    }
    if (!known || !isOutcome(phase)) return;
    const { checkout, order, revision } = known;
    const key = phase === 'paid' ? checkout : `${checkout} ${phase} ${revision}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    say(new OUTCOME_EVENTS[phase](checkout, order));
  }
}
