/** Waits, or stops waiting when `signal` aborts. It never rejects: check the signal after it. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => resolve());
  });
}

/** Exponential back-off before try number `tries` (from 1): 0.5, 1, 2, 4, 8, then 15 s, ±25 %. */
export function backOffMs(tries: number): number {
  return Math.min(15_000, 250 * 2 ** tries) * (0.75 + Math.random() / 2);
}
