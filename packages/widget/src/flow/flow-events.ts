import { attempt } from '../attempt.js';
import {
  CheckoutEvent,
  PayErrorEvent,
  PayMetricEvent,
  PayStateChangeEvent,
  type MetricName,
} from '../events.js';
import type { FlowState } from './checkout-flow.js';
import { isCertain, isOutcome, OUTCOME_EVENTS, type OutcomePhase } from './phases.js';
import type { Presentation } from './presentation.js';

const now = (): number | undefined => attempt(() => performance.now());

/** The outcome of a payment, as far as it is known. */
export interface Settlement {
  readonly outcome: OutcomePhase;
  /** Whether evidence confirms it. Never release stock on an uncertain one. */
  readonly certain: boolean;
  readonly checkout: string;
  readonly order: string | null;
}

/**
 * Reports the flow to the page: as a promise, as DOM events, and as User Timing measures (the latest
 * of each name).
 */
export class FlowEvents {
  readonly #target: EventTarget;
  readonly #sent = new Set<string>();
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
    this.#connectedAt = now();
  }

  /** Measures from the start of the payment, or from connecting for what comes before one. */
  measure(name: MetricName): void {
    const start = name === 'paint' || name === 'loader' ? this.#connectedAt : this.#startedAt;
    if (!start) return;
    attempt(() => {
      const label = `pay-checkout:${name}`;
      performance.clearMeasures(label);
      // Without a prototype, so that nothing that a script added to Object.prototype is an option.
      const options = { __proto__: null, start } as PerformanceMeasureOptions;
      const { duration } = performance.measure(label, options);
      this.#target.dispatchEvent(new PayMetricEvent(name, start, duration));
    });
  }

  /** Sends the events of a transition: each outcome of a checkout once. */
  publish(previous: FlowState, state: FlowState, presentation: Presentation): void {
    if (state.phase !== previous.phase) this.#publishPhase(previous, state, presentation);
    else if (state.phase === 'ready' && previous.phase === 'ready') {
      if (state.declines > previous.declines) this.#send('pay-declined', state);
    }
    const { phase, known } = state;
    if (!known || !isOutcome(phase)) return;
    const { checkout, revision } = known;
    const key = phase === 'paid' ? checkout : `${checkout} ${phase} ${revision}`;
    if (this.#sent.has(key)) return;
    this.#sent.add(key);
    this.#send(OUTCOME_EVENTS[phase], state);
  }

  #publishPhase(previous: FlowState, state: FlowState, presentation: Presentation): void {
    const { phase } = state;
    if (isOutcome(previous.phase)) this.#settlement = Promise.withResolvers();
    // Before any event: a listener may start the next payment.
    if (isOutcome(phase) && state.known) {
      const { checkout, order } = state.known;
      this.#settlement.resolve({ outcome: phase, certain: isCertain(phase), checkout, order });
      this.measure('outcome');
      this.#startedAt = undefined;
    }
    if (phase === 'opening' && previous.phase !== 'address') this.#startedAt = now();
    this.#target.dispatchEvent(new PayStateChangeEvent(phase, previous.phase, presentation));
    if (phase === 'problem') {
      this.#target.dispatchEvent(new PayErrorEvent(state.error));
    }
    if (phase === 'ready') {
      this.#send('pay-ready', state);
      this.measure('ready');
    }
  }

  #send(type: keyof GlobalEventHandlersEventMap, { known }: FlowState): void {
    if (known) this.#target.dispatchEvent(new CheckoutEvent(type, known.checkout, known.order));
  }
}
