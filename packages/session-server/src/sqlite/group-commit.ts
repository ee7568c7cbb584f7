import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crashPoint } from '../crash-points.js';

interface Job {
  run(): void;
  settle(failure: unknown): void;
}

/**
 * Writes that are asked for together are committed together: one fsync serves them all, and none
 * is answered before it. Each write is a savepoint of its own, so that one that throws undoes
 * nothing but itself.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #queue: Job[] = [];
  #scheduled = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#savepoint = database.prepare('SAVEPOINT job');
    this.#release = database.prepare('RELEASE job');
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
  }

  /** Runs `work` inside a transaction; resolves when it is on the disk. */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let outcome: (() => void) | undefined;
      this.#queue.push({
        run: () => {
          try {
            this.#savepoint.run();
            const value = work();
            this.#release.run();
            outcome = () => {
              resolve(value);
            };
          } catch (error) {
            this.#database.exec('ROLLBACK TO job; RELEASE job');
            outcome = () => {
              reject(asError(error));
            };
          }
        },
        settle: (failure) => {
          if (failure === undefined) outcome?.();
          else reject(asError(failure));
        },
      });
      this.#schedule();
    });
  }

  /** Commits what is waiting, at once. */
  flush(): void {
    const jobs = this.#queue;
    this.#queue = [];
    if (jobs.length === 0) return;
    let failure: unknown;
    try {
      this.#begin.run();
      for (const job of jobs) job.run();
      crashPoint('store:written');
      this.#commit.run();
      crashPoint('store:committed');
    } catch (error) {
      failure = error;
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('ROLLBACK');
    }
    for (const job of jobs) job.settle(failure);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.flush();
    });
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('a write failed', { cause: thrown });
}
