import { EventEmitter } from 'node:events';

/**
 * Notifies waiters inside this process that a checkout moved. It is a hint to read again, not a
 * message: a waiter reads the store, and reads it again now and then in case a replica moved it.
 */
export class ChangeFeed {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  notify(checkout: string): void {
    this.#emitter.emit(checkout);
  }

  /** Resolves true when one of the checkouts moved, false when the time is over or the signal fired. */
  async wait(
    checkouts: readonly string[],
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<boolean> {
    if (signal?.aborted) return false;
    let finish: (moved: boolean) => void = () => undefined;
    const moved = new Promise<boolean>((resolve) => {
      finish = resolve;
    });
    const onMove = (): void => {
      finish(true);
    };
    const onStop = (): void => {
      finish(false);
    };
    const timer = setTimeout(onStop, timeoutMs);
    signal?.addEventListener('abort', onStop);
    for (const checkout of checkouts) this.#emitter.on(checkout, onMove);
    try {
      return await moved;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onStop);
      for (const checkout of checkouts) this.#emitter.off(checkout, onMove);
    }
  }
}
