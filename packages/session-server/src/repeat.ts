import { describeError, type Logger } from './logger.js';

/** A job that runs again and again, one run at a time, until it is closed. */
export interface Repeating {
  /** Runs it now, or once more after the run that is under way. */
  wake(): void;
  close(): Promise<void>;
}

export interface RepeatOptions {
  readonly name: string;
  readonly logger: Logger;
  /** The longest pause between two runs, in milliseconds. */
  readonly pauseMs: number;
  /** Answers how many milliseconds to wait at most before the next run; undefined means `pauseMs`. */
  readonly run: (signal: AbortSignal) => Promise<number | undefined>;
}

/** Starts a repeating job; a run that throws is logged and does not end it. */
export function repeat(options: RepeatOptions): Repeating {
  const stop = new AbortController();
  let wakeUp: () => void = () => undefined;
  let isWoken = false;

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (isWoken || stop.signal.aborted) {
        resolve();
        return;
      }
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      isWoken = false;
      let wait: number | undefined;
      try {
        wait = await options.run(stop.signal);
      } catch (error) {
        options.logger.error({ job: options.name, ...describeError(error) }, 'a run failed');
      }
      await pause(Math.max(0, Math.min(wait ?? options.pauseMs, options.pauseMs)));
    }
  };

  const running = loop();
  const wake = (): void => {
    isWoken = true;
    wakeUp();
  };
  return {
    wake,
    async close() {
      stop.abort();
      wake();
      await running;
    },
  };
}
