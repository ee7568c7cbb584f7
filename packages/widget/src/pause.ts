/** Waits, or stops waiting when `signal` aborts. It never rejects: check the signal after it. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => resolve());
  });
}

/**
 * What others wait for too. Once `signal` aborts it never settles, and `shared` retains nothing of what
 * waits: a pending promise would.
 */
export function joinShared<Result>(shared: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  let waiter: PromiseWithResolvers<Result> | undefined = Promise.withResolvers();
  const { promise } = waiter;
  const settle = (): void => waiter?.resolve(shared);
  shared.then(settle, settle);
  signal.addEventListener('abort', () => (waiter = undefined));
  return promise;
}

/** Exponential back-off before try number `tries` (from 1): 0.5, 1, 2, 4, 8, then 15 s, ±25 %. */
export function backOffMs(tries: number): number {
  return Math.min(15_000, 250 * 2 ** tries) * (0.75 + Math.random() / 2);
}
