import { Worker } from 'node:worker_threads';

/** Commits after which the log is moved: some thousands of pages. */
const COMMITS = 400;

/** What the thread is started with. */
export interface LogMoverData {
  /** Path of the data file. */
  readonly file: string;
}

export interface LogMoverOptions {
  /** Commits after which the log is moved. Default 400. */
  readonly commits?: number;
}

/**
 * Moves what is in the log into the data file, in a thread of its own. SQLite would do it within a
 * commit, and everybody who waits for the server would wait for that, some ten milliseconds or more.
 *
 * It is a help and no duty: where the thread cannot work, or cannot keep up, the log grows until
 * SQLite moves it after all.
 */
export class LogMover {
  readonly #file: string;
  readonly #commits: number;
  #committed = 0;
  #isMoving = false;
  /** Started when it is needed for the first time. */
  #thread: Worker | undefined;
  /** Whether it was closed, or the thread cannot work. */
  #isOver = false;

  /** @param file a data file that this process holds, with no link in its path */
  constructor(file: string, { commits = COMMITS }: LogMoverOptions = {}) {
    this.#file = file;
    this.#commits = commits;
  }

  /** Something was committed. */
  noteCommit(): void {
    this.#committed += 1;
    this.#moveWhenDue();
  }

  /** Resolves when the thread has closed the file. */
  async close(): Promise<void> {
    this.#isOver = true;
    const thread = this.#thread;
    if (!thread) return;
    thread.ref();
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    thread.postMessage('close');
    await ended;
  }

  #moveWhenDue(): void {
    if (this.#committed < this.#commits || this.#isMoving || this.#isOver) return;
    this.#committed = 0;
    this.#isMoving = true;
    this.#thread ??= this.#start();
    this.#thread.postMessage('move');
  }

  #start(): Worker {
    // The thread is of the same kind as this module: compiled, or as it was written.
    const module = new URL(import.meta.url.replace(/log-mover\.(\w+)$/, 'log-mover-thread.$1'));
    const workerData: LogMoverData = { file: this.#file };
    const thread = new Worker(module, { workerData });
    // It keeps no process alive.
    thread.unref();
    thread.on('message', () => {
      this.#isMoving = false;
      this.#moveWhenDue();
    });
    thread.on('error', () => {
      this.#isOver = true;
    });
    thread.on('exit', () => {
      this.#thread = undefined;
    });
    return thread;
  }
}
