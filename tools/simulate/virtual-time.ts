import { setImmediate as nextTurn } from 'node:timers/promises';
import FakeTimers from '@sinonjs/fake-timers';
import type { Clock } from '../../packages/session-server/dist/clock.js';

/**
 * A clock that jumps to the next timer as soon as nothing is left to do: a month passes as fast as the
 * code can run. Until `restore()`, `setTimeout` and `performance.now` of the whole process follow it;
 * `setImmediate`, which the data file commits with, stays real.
 */
export class VirtualTime implements Clock {
  readonly #timers: ReturnType<typeof FakeTimers.install>;

  constructor(startAt: number) {
    this.#timers = FakeTimers.install({
      now: startAt,
      toFake: ['setTimeout', 'clearTimeout', 'performance'],
    });
  }

  now(): number {
    return this.#timers.now;
  }

  /**
   * Lets time pass.
   *
   * @param isBusy whether something runs that no timer will end
   */
  async pass(ms: number, isBusy: () => boolean): Promise<void> {
    let isOver = false;
    setTimeout(() => {
      isOver = true;
    }, ms);
    while (!isOver) {
      await settle(isBusy);
      this.#timers.next();
    }
    await settle(isBusy);
  }

  restore(): void {
    this.#timers.uninstall();
  }
}

async function settle(isBusy: () => boolean): Promise<void> {
  do await nextTurn();
  while (isBusy());
}

export async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
