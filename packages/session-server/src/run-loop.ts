import { describeError, type Logger } from './logger.js';

/** A job that runs repeatedly, one run at a time, until it is closed. */
export interface RunLoop {
  /** Runs the job now, or once more after the run in progress. */
  wake(): void;
  close(): Promise<void>;
}

export interface RunLoopOptions {
  readonly name: string;
  readonly logger: Logger;
  /** The longest pause between two runs, in milliseconds. */
  readonly pauseMs: number;
  /** Returns how many milliseconds to wait before the next run; undefined means `pauseMs`. */
  readonly run: (signal: AbortSignal) => Promise<number | undefined>;
}

/** Starts a run loop. A run that throws is logged and does not end the loop. */
export function startRunLoop({ name, logger, pauseMs, run }: RunLoopOptions): RunLoop {
  const stop = new AbortController();
  let endPause: () => void = () => undefined;
  let isWoken = false;

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (isWoken || stop.signal.aborted) {
        resolve();
        return;
      }
      const timer = setTimeout(resolve, ms);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      isWoken = false;
      let waitMs: number | undefined;
      try {
        waitMs = await run(stop.signal);
      } catch (error) {
        logger.error({ job: name, ...describeError(error) }, 'a run failed');
      }
      await pause(Math.max(0, Math.min(waitMs ?? pauseMs, pauseMs)));
    }
  };

  const running = loop();
  const wake = (): void => {
    isWoken = true;
    endPause();
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
