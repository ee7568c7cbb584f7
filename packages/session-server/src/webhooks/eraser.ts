import type { Clock } from '../clock.js';
import { crashPoint } from '../crash-points.js';
import type { WebhookRepository } from './repository.js';

const BATCH = 100;
const INTERVAL_MS = 60_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export interface WebhookEraserOptions {
  readonly store: Pick<WebhookRepository, 'eraseWebhooks' | 'purgeErased'>;
  readonly clock: Clock;
  readonly limits: RetentionLimits;
}

export interface RetentionLimits {
  /** How long bodies are kept, worked on or not. */
  readonly keepDays: number;
  readonly unmatchedHours: number;
}

/** Erases deliveries that have been kept for long enough, once a minute. */
export class WebhookEraser {
  readonly #options: WebhookEraserOptions;
  #eraseAt = -Infinity;
  /** Whether the log may still hold what was erased. */
  #hasTraces = false;
  /** Whether it is to be emptied at the next quiet moment: tried once for each time of erasing. */
  #isLogDue = false;

  constructor(options: WebhookEraserOptions) {
    this.#options = options;
  }

  /**
   * Erases what is due. Answers whether there is more of it.
   *
   * @param isQuiet all that came has been worked on: the time to empty the log
   */
  async run(isQuiet: boolean): Promise<boolean> {
    const { store, clock } = this.#options;
    const hasMore = clock.now() >= this.#eraseAt && (await this.#erase(clock.now()));
    if (!hasMore && this.#isLogDue && isQuiet) {
      this.#isLogDue = false;
      this.#hasTraces = !(await store.purgeErased());
    }
    return hasMore;
  }

  async #erase(now: number): Promise<boolean> {
    const { keepDays, unmatchedHours } = this.#options.limits;
    const erased = await this.#options.store.eraseWebhooks({
      receivedBefore: now - keepDays * DAY_MS,
      parkedBefore: now - unmatchedHours * HOUR_MS,
      limit: BATCH,
    });
    crashPoint('webhook:erased');
    if (erased > 0) this.#hasTraces = true;
    if (erased >= BATCH) return true;
    this.#eraseAt = now + INTERVAL_MS;
    this.#isLogDue = this.#hasTraces;
    return false;
  }
}
