import type { Response } from 'express';
import { ApiError } from './api/api-error.js';
import type { LoggedRequest, Operation } from './request-log.js';

/**
 * What goes wrong.
 * - `hold`: the work is done, the answer waits until the faults are released.
 * - `drop-after-commit`: the work is done, then the connection is cut.
 * - `error`: nothing is done, the answer is `status`.
 */
export type FaultKind = 'hold' | 'drop-after-commit' | 'error';

/** An order to misbehave, given through the control API. */
export interface FaultOrder {
  readonly operation: Operation;
  readonly fault: FaultKind;
  /** Status of an `error`. Default 500. */
  readonly status?: number | undefined;
  /** `Retry-After` of an `error`. Default 1 for 429 and 503, else none. */
  readonly retryAfterSeconds?: number | undefined;
  /** How many calls it hits. Default 1. */
  readonly times?: number | undefined;
}

/** The queue of faults: each good call (key and body accepted) takes the first one of its operation. */
export class Faults {
  #queue: { readonly order: FaultOrder; left: number }[] = [];
  #releases = new Set<() => void>();

  add(order: FaultOrder): void {
    this.#queue.push({ order, left: order.times ?? 1 });
  }

  list(): FaultOrder[] {
    return this.#queue.map(({ order, left }) => ({ ...order, times: left }));
  }

  /** How many calls wait for their answer. */
  get heldCount(): number {
    return this.#releases.size;
  }

  take(operation: Operation): FaultOrder | undefined {
    const entry = this.#queue.find(({ order }) => order.operation === operation);
    if (entry === undefined) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) this.#queue.splice(this.#queue.indexOf(entry), 1);
    return entry.order;
  }

  /** Forgets the queue and lets every held call be answered. */
  release(): void {
    this.#queue = [];
    for (const release of this.#releases) release();
    this.#releases.clear();
  }

  /** Waits until {@link release} is called. */
  async hold(): Promise<void> {
    await new Promise<void>((resolve) => this.#releases.add(resolve));
  }

  /** Throws when the fault says that the call fails before any work. */
  static failBeforeWork(fault: FaultOrder | undefined): void {
    if (fault?.fault !== 'error') return;
    const status = fault.status ?? 500;
    const pause = fault.retryAfterSeconds ?? (status === 429 || status === 503 ? 1 : undefined);
    throw new ApiError(
      status,
      'This failure was ordered through the control routes.',
      pause === undefined ? {} : { retryAfterSeconds: pause },
    );
  }

  /** Plays the fault after the work. @returns whether there is still somebody to answer. */
  async playAfterWork(
    fault: FaultOrder | undefined,
    response: Response,
    entry: LoggedRequest,
  ): Promise<boolean> {
    if (fault?.fault === 'drop-after-commit') {
      response.destroy();
      return false;
    }
    if (fault?.fault === 'hold') {
      entry.state = 'held';
      await this.hold();
    }
    return !response.destroyed;
  }
}
