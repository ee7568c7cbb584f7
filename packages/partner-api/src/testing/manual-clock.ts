import type { Clock } from '../http/retry.js';

/**
 * A clock that moves only when a test says so; it records which pauses were asked for. A pause of nothing
 * is over at once.
 */
export class ManualClock implements Clock {
  readonly timers = new Map<() => void, number>();
  #time = 0;

  now(): number {
    return Date.UTC(2026, 2, 1) + this.#time;
  }

  monotonic(): number {
    return this.#time;
  }

  startTimer(callback: () => void, milliseconds: number): () => void {
    this.timers.set(callback, this.#time + milliseconds);
    if (milliseconds === 0) queueMicrotask(() => this.advance(0));
    return () => this.timers.delete(callback);
  }

  /** Moves on, and fires what is due, the earliest first. */
  advance(milliseconds: number): void {
    this.#time += milliseconds;
    const due = [...this.timers].filter(([, at]) => at <= this.#time);
    for (const [callback] of due.sort(([, a], [, b]) => a - b)) {
      if (this.timers.delete(callback)) callback();
    }
  }
}
