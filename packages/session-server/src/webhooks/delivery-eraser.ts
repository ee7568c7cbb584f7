import type { Clock } from '../clock.js';
import { crashPoint } from '../crash-points.js';
import type { DeliveryStore } from './delivery-store.js';

const BATCH = 100;
const INTERVAL_MS = 60_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export interface DeliveryEraserOptions {
  readonly store: Pick<DeliveryStore, 'eraseDeliveries' | 'purgeErased'>;
  readonly clock: Clock;
  readonly limits: ErasingLimits;
}

export interface ErasingLimits {
  /** How long bodies are kept, worked on or not. */
  readonly keepDays: number;
  readonly parkedHours: number;
}

/** Erases deliveries that have been kept for long enough, once a minute. */
export class DeliveryEraser {
  readonly #options: DeliveryEraserOptions;
  #eraseAt = -Infinity;
  /** Whether the log may still hold what was erased. */
  #hasTraces = false;
  /** Whether it is to be emptied at the next quiet moment: tried once for each time of erasing. */
  #isLogDue = false;

  constructor(options: DeliveryEraserOptions) {
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
    const { keepDays, parkedHours } = this.#options.limits;
    const erased = await this.#options.store.eraseDeliveries({
      receivedBefore: now - keepDays * DAY_MS,
      parkedBefore: now - parkedHours * HOUR_MS,
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
