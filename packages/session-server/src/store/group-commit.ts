import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crashPoint } from '../crash-points.js';
import { DiskFailedError } from './disk-failed-error.js';

/**
 * How many writes of a group may be told of before they are on the disk: so many at most are lost
 * whose outcome somebody has acted on.
 */
export const MAX_AHEAD = 256;
/**
 * Turns of the event loop in which a group gathers when all in it are patient. A loop that has
 * nothing else to do takes them in microseconds; one that has much to do takes no more than
 * {@link PATIENT_MS}.
 */
const PATIENT_TURNS = 16;
const PATIENT_MS = 5;

export interface WriteOptions<T> {
  /**
   * Whether this outcome may be acted on as soon as it is committed, while the disk is still at work:
   * a power cut may then take it back, but no later write survives one without it. Default: none may.
   */
  readonly mayGoAhead?: (value: T) => boolean;
  /**
   * Lets others that come a little later share its commit, for what waits for somebody else anyway.
   * Default: it is committed in the next turn of the event loop.
   */
  readonly isPatient?: boolean;
}

/** One write of a group. */
class Job<T = unknown> {
  readonly #work: () => T;
  readonly #mayGoAhead: WriteOptions<T>['mayGoAhead'];
  readonly #resolve: (value: T) => void;
  readonly #reject: (reason: Error) => void;
  #done: { readonly value: T } | undefined;
  #refusal: Error | undefined;

  constructor(
    work: () => T,
    mayGoAhead: WriteOptions<T>['mayGoAhead'],
    resolve: (value: T) => void,
    reject: (reason: Error) => void,
  ) {
    this.#work = work;
    this.#mayGoAhead = mayGoAhead;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Does the work; what it throws is thrown. */
  run(): void {
    this.#done = { value: this.#work() };
  }

  /** Whether the disk need not be waited for. */
  get goesAhead(): boolean {
    return this.#done !== undefined && this.#mayGoAhead?.(this.#done.value) === true;
  }

  /** Why it was undone, while the others of its group were kept. */
  refuse(reason: Error): void {
    this.#refusal = reason;
  }

  /** @param failure why the whole group was undone, if it was */
  settle(failure: Error | undefined): void {
    const refusal = failure ?? this.#refusal;
    if (refusal) this.#reject(refusal);
    else if (this.#done) this.#resolve(this.#done.value);
  }
}

/**
 * Writes that are asked for together are committed together, and while the disk makes one group
 * durable the next one gathers: one sync serves them all, and none is answered before it.
 *
 * A write that throws undoes nothing but itself: its group is run anew, each write under a savepoint.
 * So the work of a write may run twice, and must do nothing but write to the database; what is to be
 * told of it is told with {@link GroupCommit.afterCommit}.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #sync: (() => Promise<void>) | undefined;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #changes: StatementSync;
  #queue: Job[] = [];
  #isScheduled = false;
  /** Turns that the group may gather. */
  #turns = PATIENT_TURNS;
  #syncing: Promise<void> | undefined;
  #changesBefore = 0;
  /** What is to be told when the group that is being run is committed. */
  #news: (() => void)[] = [];
  /** Why nothing is written or read any more. */
  #failure: DiskFailedError | undefined;

  /** @param sync makes what was committed durable; left out when the commit itself does */
  constructor(database: DatabaseSync, sync?: () => Promise<void>) {
    this.#database = database;
    this.#sync = sync;
    this.#savepoint = database.prepare('SAVEPOINT job');
    this.#release = database.prepare('RELEASE job');
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#changes = database.prepare('SELECT total_changes() AS count');
  }

  /** Runs `work` inside a transaction; resolves when it is on the disk. */
  write<T>(work: () => T, { mayGoAhead, isPatient }: WriteOptions<T> = {}): Promise<T> {
    if (isPatient !== true) this.#turns = 1;
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(new Job(work, mayGoAhead, resolve, reject) as Job);
      this.#schedule();
    });
  }

  /** Called inside a write: `tell` runs if that is committed, before anybody is answered. */
  afterCommit(tell: () => void): void {
    this.#news.push(tell);
  }

  /**
   * Reads what is on the disk: waits for it when it has only just been committed.
   *
   * @throws {DiskFailedError} when the disk did not keep it
   */
  async read<T>(work: () => T): Promise<T> {
    this.#refuseAfterFailure();
    const value = work();
    if (this.#syncing) {
      await this.#syncing;
      this.#refuseAfterFailure();
    }
    return value;
  }

  /** Commits what is waiting, and resolves when it is on the disk. */
  async flush(): Promise<void> {
    while (this.#syncing || this.#queue.length > 0) {
      this.#commitGroup();
      await this.#syncing;
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#syncing) return;
    this.#isScheduled = true;
    const startedAt = performance.now();
    let turns = 0;
    const gather = (): void => {
      turns += 1;
      if (turns < this.#turns && performance.now() - startedAt < PATIENT_MS) {
        setImmediate(gather);
        return;
      }
      this.#isScheduled = false;
      this.#commitGroup();
    };
    setImmediate(gather);
  }

  #commitGroup(): void {
    if (this.#syncing || this.#queue.length === 0) return;
    const jobs = this.#queue;
    this.#queue = [];
    this.#turns = PATIENT_TURNS;
    const failure = this.#failure ?? this.#runAll(jobs);
    if (failure === undefined && this.#sync && this.#hasChanged()) {
      this.#syncing = this.#settleWhenDurable(settleAhead(jobs), this.#sync);
    } else {
      for (const job of jobs) job.settle(failure);
    }
  }

  /** Runs the jobs in one transaction; answers why it failed, if it did. */
  #runAll(jobs: readonly Job[]): Error | undefined {
    try {
      this.#begin.run();
      if (!this.#runTogether(jobs)) this.#runEach(jobs);
      crashPoint('store:written');
      this.#commit.run();
      crashPoint('store:committed');
    } catch (error) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('ROLLBACK');
      this.#news = [];
      return asError(error);
    }
    const news = this.#news;
    this.#news = [];
    for (const tell of news) tell();
    return undefined;
  }

  /** Whether all went well; when one did not, it is as if none had been run. */
  #runTogether(jobs: readonly Job[]): boolean {
    try {
      for (const job of jobs) job.run();
      return true;
    } catch {
      // SQLite may have undone all of it already, when the disk is full for example.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      this.#begin.run();
      this.#news = [];
      return false;
    }
  }

  #runEach(jobs: readonly Job[]): void {
    for (const job of jobs) {
      const told = this.#news.length;
      this.#savepoint.run();
      try {
        job.run();
      } catch (reason) {
        if (!this.#database.isTransaction) throw reason;
        this.#database.exec('ROLLBACK TO job');
        this.#news.length = told;
        job.refuse(asError(reason));
      }
      this.#release.run();
    }
  }

  async #settleWhenDurable(jobs: readonly Job[], sync: () => Promise<void>): Promise<void> {
    try {
      await sync();
      crashPoint('store:synced');
    } catch (error) {
      this.#failure = new DiskFailedError(error);
    }
    this.#syncing = undefined;
    for (const job of jobs) job.settle(this.#failure);
    if (this.#queue.length > 0) this.#schedule();
  }

  #refuseAfterFailure(): void {
    if (this.#failure) throw this.#failure;
  }

  #hasChanged(): boolean {
    const before = this.#changesBefore;
    this.#changesBefore = Number(this.#changes.get()?.['count']);
    return this.#changesBefore !== before;
  }
}

/** Settles the jobs that need not wait for the disk; answers the others. */
function settleAhead(jobs: readonly Job[]): Job[] {
  let ahead = 0;
  return jobs.filter((job) => {
    if (ahead === MAX_AHEAD || !job.goesAhead) return true;
    ahead += 1;
    job.settle(undefined);
    return false;
  });
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('a write failed', { cause: thrown });
}
