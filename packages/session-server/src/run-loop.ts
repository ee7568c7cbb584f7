import type { Clock } from './clock.js';
import { describeError, type Logger } from './logger.js';
import type { Reader } from './store/database.js';
import { type Sql, sql } from './store/sql.js';

/** A job that runs repeatedly, one run at a time, until it is closed. */
export interface RunLoop {
  /** Runs the job now, or once more after the run in progress. */
  wake(): void;
  close(): Promise<void>;
}

export interface Job {
  readonly name: string;
  /**
   * Selects one number: when something that is stored is next due, in milliseconds since 1970. NULL when
   * nothing is. Default: nothing stored is ever due.
   */
  readonly nextDue?: Sql;
  /**
   * Returns in how many milliseconds to run again, whatever is stored; undefined to wait until something is
   * due, or a wake.
   */
  readonly run: (signal: AbortSignal) => Promise<number | undefined>;
}

export interface RunLoopsOptions {
  readonly database: Reader;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often the store is asked what is due: what another process has stored is seen after this. */
  readonly tickMs: number;
}

/** A loop that is woken, and one that looks after its parts on the side: both close together. */
export function withUpkeep(loop: RunLoop, upkeep: RunLoop): RunLoop {
  return {
    wake: () => {
      loop.wake();
    },
    close: async () => {
      await Promise.all([loop.close(), upkeep.close()]);
    },
  };
}

/** When a run has failed, and nothing that is stored is due. */
const FAILED_PAUSE_MS = 60_000;

/**
 * The background jobs of a server. Each runs at its start, when it is woken, and when something is due. One
 * query in each tick asks for all of them: an idle server sends no other statement.
 */
export class RunLoops {
  readonly #options: RunLoopsOptions;
  readonly #loops = new Set<JobLoop>();
  #timer: NodeJS.Timeout | undefined;
  #tick: Promise<void> = Promise.resolve();

  constructor(options: RunLoopsOptions) {
    this.#options = options;
  }

  start(job: Job): RunLoop {
    const loop = new JobLoop(job, this.#options);
    this.#loops.add(loop);
    if (this.#loops.size === 1) this.#planTick();
    return {
      wake: () => {
        loop.wake();
      },
      close: async () => {
        this.#loops.delete(loop);
        if (this.#loops.size === 0) clearTimeout(this.#timer);
        await Promise.all([loop.close(), this.#tick]);
      },
    };
  }

  #planTick(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#tick = this.#wakeDue().then(() => {
        if (this.#loops.size > 0) this.#planTick();
      });
    }, this.#options.tickMs);
  }

  async #wakeDue(): Promise<void> {
    for (const loop of this.#loops) loop.runWhenAsked();
    const loops = [...this.#loops].filter(({ job }) => job.nextDue);
    if (loops.length === 0) return;
    const query = loops
      .map(({ job }) => sql`SELECT ${job.name} AS job, (${job.nextDue ?? null}) AS due`)
      .reduce((others, one) => sql`${others} UNION ALL ${one}`);
    try {
      for (const { job: name, due } of await this.#options.database.all(query)) {
        const loop = loops.find(({ job }) => job.name === name);
        // One that is running may be about to settle what is due.
        if (loop?.isRunning === false && typeof due === 'number') loop.runBy(due);
      }
    } catch (error) {
      this.#options.logger.error(describeError(error), 'the store could not say what is due');
    }
  }
}

class JobLoop implements RunLoop {
  readonly job: Job;
  isRunning = false;
  readonly #options: RunLoopsOptions;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  /** When it asked to be run again, whatever is stored: by the clock, and by one that is never set. */
  #next = { at: Infinity, onTimer: Infinity };
  #isWoken = false;
  #endPause: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(job: Job, options: RunLoopsOptions) {
    this.job = job;
    this.#options = options;
    this.#ended = this.#loop();
  }

  wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  /** As it asked for: no later where the clock was set back since. */
  runWhenAsked(): void {
    const { at, onTimer } = this.#next;
    this.runBy(Math.min(at, this.#options.clock.now() + onTimer - performance.now()));
  }

  /** Times that are further away are left to a later tick: the clock may be set forward until then. */
  runBy(at: number): void {
    const ms = at - this.#options.clock.now();
    if (ms > this.#options.tickMs) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.wake();
      },
      Math.max(0, ms),
    );
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    this.wake();
    await this.#ended;
  }

  async #loop(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#isWoken = false;
      await this.#run();
      if (!this.#stop.signal.aborted) this.runWhenAsked();
      await new Promise<void>((resolve) => {
        this.#endPause = resolve;
        if (this.#isWoken) resolve();
      });
    }
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#options;
    const { name, run } = this.job;
    this.isRunning = true;
    clearTimeout(this.#timer);
    this.#next = { at: Infinity, onTimer: Infinity };
    let pauseMs: number;
    try {
      pauseMs = (await run(this.#stop.signal)) ?? Infinity;
    } catch (error) {
      logger.error({ job: name, ...describeError(error) }, 'a run failed');
      pauseMs = FAILED_PAUSE_MS;
    }
    this.#next = { at: clock.now() + pauseMs, onTimer: performance.now() + pauseMs };
    this.isRunning = false;
  }
}
