/** A later task, after every microtask and message that is already on its way. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    port2.postMessage(null);
  });
}

/** Ends what hangs, before the runner does: a busy machine takes many times as long as an idle one. */
const GIVE_UP_MS = 50_000;

/** Waits until a condition without an event holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + GIVE_UP_MS;
  while (!(await condition())) {
    if (Date.now() > giveUpAt) throw new Error('what was waited for never came');
    await nextTask();
  }
}

/** Lets waits of exactly `milliseconds` be over at once in `page`; what is returned undoes it. */
export function speedUpWait(page: typeof globalThis, milliseconds: number): () => void {
  const real = page.setTimeout;
  const { AbortSignal } = page;
  const realDeadline = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (wait) => realDeadline(wait === milliseconds ? 50 : wait);
  page.setTimeout = ((run: TimerHandler, wait?: number, ...rest: unknown[]) =>
    real(run, wait === milliseconds ? 50 : wait, ...rest)) as typeof page.setTimeout;
  return () => {
    page.setTimeout = real;
    AbortSignal.timeout = realDeadline;
  };
}

/** Lets every wait of `page` be over ten times as soon; what is returned undoes it. */
export function speedUp(page: typeof globalThis): () => void {
  const real = page.setTimeout;
  page.setTimeout = ((run: TimerHandler, wait = 0, ...rest: unknown[]) =>
    real(run, wait / 10, ...rest)) as typeof page.setTimeout;
  return () => {
    page.setTimeout = real;
  };
}
