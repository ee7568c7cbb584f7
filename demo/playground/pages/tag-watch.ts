/** Watches one tag: its events, its phases, its timings and its outcome. */
import type { MetricName, Phase, Settlement, Presentation } from '@pay-checkout/widget';
import { render } from 'lit';
import type { PayTag } from './actions.js';
import { EVENT_NAMES, describeEvent, type LogEntry, type EventLog } from './event-log.js';
import { renderPhases, renderTimings, type Timings } from './tag-view.js';

export interface TagWatchOptions {
  readonly log: EventLog;
  readonly phasesHost: HTMLElement;
  readonly timingsHost: HTMLElement;
  /** Called after each event. */
  readonly onEvent: (event: Event) => void;
}

/** Stops with its tag. */
export class TagWatch {
  readonly #options: TagWatchOptions;
  readonly #placedAt = performance.now();
  readonly #listening = new AbortController();
  readonly #visited = new Set<Phase>();
  #phase: Phase = 'idle';
  #way: Presentation | undefined;
  #settlement: Settlement | undefined;
  #promise: Promise<Settlement> | undefined;
  #timings: Timings = {};

  constructor(tag: PayTag, options: TagWatchOptions) {
    this.#options = options;
    const { signal } = this.#listening;
    for (const name of EVENT_NAMES) {
      tag.addEventListener(
        name,
        (event) => {
          this.#hear(event);
          this.#awaitOutcome(tag);
          options.onEvent(event);
        },
        { signal },
      );
    }
    this.#draw();
  }

  /** Logs the events of a clone too. */
  watchClone(clone: PayTag): void {
    const { signal } = this.#listening;
    for (const name of EVENT_NAMES) {
      clone.addEventListener(
        name,
        (event) => {
          const entry = describeEvent(event, this.#age());
          this.#options.log.add({ ...entry, name: `clone: ${entry.name}` });
        },
        { signal },
      );
    }
  }

  /** A log line about an action of the page. */
  note(words: string, details: LogEntry['details'] = []): void {
    this.#options.log.add({ atMs: this.#age(), name: words, details, tone: 'did' });
  }

  stop(): void {
    this.#listening.abort();
  }

  #age(): number {
    return performance.now() - this.#placedAt;
  }

  #hear(event: Event): void {
    this.#options.log.add(describeEvent(event, this.#age()));
    // Events of a page in a frame are of that page's classes: their fields are what counts.
    const { phase, mode, name, duration } = event as Event & {
      phase?: Phase;
      mode?: Presentation;
      name?: MetricName;
      duration?: number;
    };
    if (event.type === 'pay-statechange' && phase !== undefined) {
      this.#visited.add(this.#phase);
      this.#phase = phase;
      this.#way = mode;
    }
    if (event.type === 'pay-metric' && name !== undefined && duration !== undefined) {
      this.#timings = { ...this.#timings, [name]: duration };
    }
    this.#draw();
  }

  /** The promise of the latest outcome is another one after each that is followed by more. */
  #awaitOutcome({ whenSettled }: PayTag): void {
    if (whenSettled === this.#promise) return;
    this.#promise = whenSettled;
    this.#settlement = undefined;
    void whenSettled.then((settlement) => {
      if (this.#promise !== whenSettled || this.#listening.signal.aborted) return;
      this.#settlement = settlement;
      this.#draw();
    });
  }

  #draw(): void {
    const { phasesHost, timingsHost } = this.#options;
    const phase = this.#phase;
    render(
      renderPhases({
        phase,
        visited: this.#visited,
        way: this.#way,
        settlement: this.#settlement,
      }),
      phasesHost,
    );
    render(renderTimings(this.#timings), timingsHost);
  }
}
