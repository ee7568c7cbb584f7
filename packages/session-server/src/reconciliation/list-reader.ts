import type { PaginationProblem } from '@pay-checkout/partner-api';
import type { Span } from '@opentelemetry/api';
import type { Clock } from '../clock.js';
import { AppError } from '../errors.js';
import { describeError, type Logger } from '../logger.js';
import type { Observer } from '../observer.js';
import type {
  PartnerGateway,
  TransactionList,
  TransactionPage,
  TransactionRow,
  UnreadableRows,
} from '../provider/gateway.js';
import type { RunLoop, RunLoops } from '../run-loop.js';
import { fail, inSpan } from '../tracing/spans.js';
import { BackOff, PageQuota, remainingMs, sleep, waitForPage } from './pacing.js';
import { newestRange, type PageRange, readNextPage, retryRange } from './page-range.js';
import { LeaseLostError, type ReadLease } from './read-lease.js';

/** What is older is read by the backfill. */
const RECENT_MS = 3_600_000;
/** The longest pause after a slow call. */
const MAX_PAUSE_MS = 10_000;
/** How often a server that lacks the lease tries to take it. */
const LEASE_PAUSE_MS = 5000;
/** The pause after a failure of the store. */
const STORE_PAUSE_MS = 1000;
/** Polls re-read the same rows: a problem with them is logged at most once in this time. */
const LOG_INTERVAL_MS = 3_600_000;

/** `incomplete`: rows may be missing, because the quota ended or a day could not be read. */
export type PollResult = 'read' | 'incomplete' | 'failed';

/** A reason to read the list. */
export interface DuePoll {
  /** Tells it from all others, also from itself before another hint. */
  readonly key: string;
  /** How far back to read, in milliseconds since 1970. */
  readonly sinceMs: number;
}

/** A chain of pages from the newest row back to a time. */
export interface ListRead extends TransactionList {
  /** When its newest page was requested, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly sinceMs: number;
}

export interface ListReaderOptions<Due extends DuePoll = DuePoll> extends TransactionList {
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly loops: RunLoops;
  readonly observer: Pick<Observer, 'polled'>;
  /** Shortest time between the starts of two polls. */
  readonly intervalMs: number;
  /** Pages that may be requested in a minute. */
  readonly pagesPerMinute: number;
  /** The pause that the provider asks for counts for all lists of an account. Default: this is the only one. */
  readonly accountBackOff?: BackOff | undefined;
  /** Makes the lease of servers that share a database. Default: this is the only one. */
  readonly lease?: ((quota: PageQuota) => ReadLease) | undefined;
  /** What the list is to be read for now. */
  readonly findDue: (now: number) => Promise<readonly Due[]>;
  /** Called with each page; resolves when the payments that it proves are stored. */
  readonly onRows: (rows: readonly TransactionRow[]) => Promise<void>;
  /**
   * Called when the list was read back to all of these polls. When the result is `read`, a row that was
   * not met does not exist.
   */
  readonly onRead: (
    read: ListRead,
    polls: readonly Due[],
    result: Exclude<PollResult, 'failed'>,
    lease: ReadLease | undefined,
  ) => Promise<void>;
  /** Called when it was not, for now. Default: nothing. */
  readonly onUnread?: (
    polls: readonly Due[],
    result: Exclude<PollResult, 'read'>,
    lease: ReadLease | undefined,
  ) => Promise<void>;
}

/** Pages that are read for the same polls. */
interface Job<Due extends DuePoll> {
  readonly polls: readonly (Due | Request)[];
  range: PageRange;
}

/** A poll that is not stored. */
interface Request extends DuePoll {
  readonly done: PromiseWithResolvers<PollResult>;
}

/** What a poll has met so far. */
interface Counts {
  pages: number;
  incompletePages: number;
  unreadableRows: number;
}

/**
 * The only reader of a list of transactions, newest first. Each poll is a chain of pages that starts with
 * the newest row. What is due and of the last hour is read first; what is older, or what the quota cuts
 * off, is read by one backfill at a time, which keeps its place and has half of the quota.
 */
export class ListReader<Due extends DuePoll = DuePoll> {
  readonly #options: ListReaderOptions<Due>;
  readonly #stop = new AbortController();
  readonly #quota: PageQuota;
  readonly #lease: ReadLease | undefined;
  /** After a failure of the newest page: nothing is read. */
  readonly #backOff: BackOff;
  /** When the provider asks for a pause: neither is any other list of the account. */
  readonly #accountBackOff: BackOff;
  readonly #backfillBackOff: BackOff;
  readonly #loop: RunLoop;
  #backfill: Job<Due> | undefined;
  /** Polls of the backfill and of the next one, by their keys. */
  #backfilled = new Set<string>();
  #requests: Request[] = [];
  #requestCount = 0;
  #isWoken = false;
  #lookedAt = -Infinity;
  #completeAt = -Infinity;
  #unreadableLoggedAt = -Infinity;
  #incompleteLoggedAt = -Infinity;

  constructor(options: ListReaderOptions<Due>) {
    this.#options = options;
    const { clock, intervalMs, pagesPerMinute, loops } = options;
    this.#quota = new PageQuota(clock, pagesPerMinute);
    this.#backOff = new BackOff(clock, intervalMs);
    this.#accountBackOff = options.accountBackOff ?? new BackOff(clock, intervalMs);
    this.#backfillBackOff = new BackOff(clock, intervalMs);
    this.#lease = options.lease?.(this.#quota);
    this.#loop = loops.start({ name: 'list reader', run: () => this.#run() });
  }

  /** Something may be due. */
  wake(): void {
    this.#isWoken = true;
    this.#loop.wake();
  }

  /** Reads the list once, from its newest row; resolves when that has ended or failed. A failed one is repeated. */
  poll(sinceMs: number): Promise<PollResult> {
    if (this.#stop.signal.aborted) return Promise.resolve('failed');
    this.#requestCount += 1;
    const key = `request ${String(this.#requestCount)}`;
    const request = { key, sinceMs, done: Promise.withResolvers<PollResult>() };
    this.#requests.push(request);
    this.wake();
    return request.done.promise;
  }

  /**
   * Waits for a page of the quota for a reader that no shopper waits for, and takes it; not while the
   * provider wants a pause.
   */
  async waitForPage(signal: AbortSignal): Promise<void> {
    const pages = this.#lease ?? this.#quota;
    const takePage = () => !this.isBackingOff() && pages.takePage();
    this.#quota.waitingReaders += 1;
    await waitForPage({ takePage }, AbortSignal.any([signal, this.#stop.signal])).finally(() => {
      this.#quota.waitingReaders -= 1;
    });
  }

  /** Whether it pauses because the provider failed or asked for it. */
  isBackingOff(): boolean {
    return this.#pauseMs > 0;
  }

  get #pauseMs(): number {
    return Math.max(this.#backOff.remainingMs, this.#accountBackOff.remainingMs);
  }

  /** When the running backfill started; undefined when there is none. */
  get backfillSince(): number | undefined {
    return this.#backfill?.range.startedAt;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#loop.close();
    for (const { done } of this.#requests) done.resolve('failed');
    await this.#lease?.release().catch((error: unknown) => {
      this.#logFailure(error, 0);
    });
  }

  /** Reads as long as there is something to read; returns how long to wait then. */
  async #run(): Promise<number | undefined> {
    for (;;) {
      if (this.#stop.signal.aborted) return undefined;
      try {
        const waitMs = await this.#step();
        if (waitMs !== 0) return waitMs;
      } catch (error) {
        this.#logFailure(error, 0);
        this.#isWoken = true;
        return STORE_PAUSE_MS;
      }
    }
  }

  /** Reads for what is due, or goes on with the backfill. Returns 0 when there may be more to do at once. */
  async #step(): Promise<number | undefined> {
    if (this.#pauseMs > 0) return this.#pauseMs;
    if (!this.#isWoken && !this.#backfill) {
      // The server that knows first of the next hint reads for it.
      await this.#lease?.release();
      return undefined;
    }
    if (this.#lease) {
      if (!(await this.#lease.hold())) return LEASE_PAUSE_MS;
      if (this.#lease.pauseMs > 0) return this.#lease.pauseMs;
    }
    const { clock, intervalMs } = this.#options;
    const now = clock.now();
    const lookInMs = this.#isWoken ? remainingMs(this.#lookedAt, intervalMs, now) : Infinity;
    const quotaMs = this.#quota.recentWaitMs(this.#isBackfillPending);
    if (lookInMs <= 0 && quotaMs <= 0) {
      this.#isWoken = false;
      this.#lookedAt = now;
      return this.#pollOnce(now);
    }
    if (this.#isBackfillPending && this.#quota.allowsBackfill()) return this.#continueBackfill();
    const backfillMs = this.#backfill ? this.#backfillWaitMs() : Infinity;
    const waitMs = Math.min(Math.max(lookInMs, quotaMs), backfillMs);
    return waitMs === Infinity ? undefined : Math.max(1, waitMs);
  }

  get #isBackfillPending(): boolean {
    return this.#backfill !== undefined && this.#backfillBackOff.remainingMs <= 0;
  }

  #backfillWaitMs(): number {
    return Math.max(this.#backfillBackOff.remainingMs, this.#quota.backfillWaitMs());
  }

  async #pollOnce(now: number): Promise<number> {
    const due = [...(await this.#options.findDue(now)), ...this.#requests];
    const keys = new Set(due.map(({ key }) => key));
    for (const key of this.#backfilled) if (!keys.has(key)) this.#backfilled.delete(key);
    const isOld = (poll: DuePoll) =>
      poll.sinceMs < now - RECENT_MS || this.#backfilled.has(poll.key);
    const recent = due.filter((poll) => !isOld(poll));
    const older = due.filter(isOld);
    if (!this.#backfill && older.length > 0) this.#backfill = this.#start(older, now);
    for (const { key } of older) this.#backfilled.add(key);
    if (recent.length > 0) await this.#readRecent(this.#start(recent, now));
    return 0;
  }

  #start(polls: Job<Due>['polls'], now: number): Job<Due> {
    const { account, providerMerchantId } = this.#options;
    const sinceMs = Math.min(now, ...polls.map((poll) => poll.sinceMs));
    return {
      polls,
      range: newestRange({ account, providerMerchantId, startedAt: now, sinceMs }, sinceMs),
    };
  }

  async #readRecent(job: Job<Due>): Promise<void> {
    const mayContinue = () => this.#quota.recentWaitMs(this.#isBackfillPending) <= 0;
    await this.#inPoll(async (counts) => {
      try {
        await this.#read(job, false, counts, mayContinue);
      } catch (error) {
        if (error instanceof LeaseLostError) throw error;
        const retryAfterSeconds = retryAfterOf(error);
        const isNewest = counts.pages <= 1;
        if (isNewest || retryAfterSeconds !== undefined) {
          this.#logFailure(error, await this.#pause(retryAfterSeconds));
        }
        // A page further down must not delay recent rows.
        if (!isNewest) {
          if (retryAfterSeconds === undefined) this.#logFailure(error, 1);
          this.#continueLater(job);
        }
        this.#isWoken = true;
        await this.#leaveUnread(job, 'failed');
        return false;
      }
      this.#backOff.reset();
      this.#accountBackOff.reset();
      if (job.range.isRead) return true;
      this.#continueLater(job);
      await this.#leaveUnread(job, 'incomplete');
      return true;
    });
  }

  async #continueBackfill(): Promise<0> {
    const job = this.#backfill;
    if (!job) return 0;
    const { clock, intervalMs } = this.#options;
    // Recent rows come first.
    const mayContinue = () =>
      this.#quota.allowsBackfill() &&
      !(this.#isWoken && remainingMs(this.#lookedAt, intervalMs, clock.now()) <= 0);
    await this.#inPoll(async (counts) => {
      try {
        await this.#read(job, true, counts, mayContinue);
      } catch (error) {
        if (error instanceof LeaseLostError) throw error;
        const retryAfterSeconds = retryAfterOf(error);
        if (retryAfterSeconds !== undefined) await this.#pause(retryAfterSeconds);
        job.range.failures += 1;
        // A page that fails again is bypassed: its cursor may have expired, and its day has not.
        if (job.range.failures > 1) job.range = retryRange(job.range);
        this.#logFailure(error, this.#backfillBackOff.fail(retryAfterSeconds));
        return false;
      }
      this.#backfillBackOff.reset();
      if (job.range.isRead) {
        this.#backfill = undefined;
        for (const { key } of job.polls) this.#backfilled.delete(key);
        // Polls that the quota cut off wait for the next one.
        this.#isWoken = true;
      }
      return true;
    });
    return 0;
  }

  /** The backfill goes on with it; where there is one already, the next one reads it. */
  #continueLater(job: Job<Due>): void {
    this.#backfill ??= job;
    for (const { key } of job.polls) this.#backfilled.add(key);
  }

  async #inPoll(read: (counts: Counts) => Promise<boolean>): Promise<void> {
    const { account, observer } = this.#options;
    const counts: Counts = { pages: 0, incompletePages: 0, unreadableRows: 0 };
    const calledAt = performance.now();
    const before = this.#completeAt;
    const about = { attributes: { 'pay_checkout.account': account }, root: true };
    await inSpan('transactions.poll', about, async (span: Span) => {
      const isOk = await read(counts).catch((error: unknown) => {
        this.#logFailure(error, 0);
        this.#isWoken = true;
        return false;
      });
      span.setAttribute('pay_checkout.pages', counts.pages);
      if (!isOk) fail(span, 'poll_failed');
      observer.polled({
        account,
        completeAt: this.#completeAt > before ? this.#completeAt : undefined,
        ...counts,
        seconds: (performance.now() - calledAt) / 1000,
        isOk,
      });
    });
  }

  /** Reads on until everything is read, or it may not continue for now. */
  async #read(
    job: Job<Due>,
    isBackfill: boolean,
    counts: Counts,
    mayContinue: () => boolean,
  ): Promise<void> {
    const { range } = job;
    const { signal } = this.#stop;
    while (!range.isRead && (counts.pages === 0 || (!signal.aborted && mayContinue()))) {
      counts.pages += 1;
      if (this.#lease) await this.#lease.spendPage(isBackfill);
      else this.#quota.spend(isBackfill);
      const calledAt = performance.now();
      await readNextPage(this.#options.gateway, range, (page, problem) => {
        if (problem) this.#noteIncomplete(problem, counts);
        return this.#process(page, calledAt, counts);
      });
    }
    if (!range.isRead) return;
    const result = range.unreadDays.length === 0 ? 'read' : 'incomplete';
    const { startedAt, sinceMs, account, providerMerchantId } = range;
    const read = { startedAt, sinceMs, account, providerMerchantId };
    const [requests, stored] = this.#split(job);
    await this.#options.onRead(read, stored, result, this.#lease);
    if (result === 'read') this.#completeAt = Math.max(this.#completeAt, startedAt);
    this.#requests = this.#requests.filter((request) => !requests.includes(request));
    for (const { done } of requests) done.resolve(result);
  }

  async #leaveUnread(job: Job<Due>, result: 'incomplete' | 'failed'): Promise<void> {
    const [requests, stored] = this.#split(job);
    if (stored.length > 0) await this.#options.onUnread?.(stored, result, this.#lease);
    // It stays: the next poll makes up for this one.
    if (result === 'failed') for (const { done } of requests) done.resolve(result);
  }

  #split({ polls }: Job<Due>): [Request[], Due[]] {
    const isRequest = (poll: Due | Request): poll is Request => 'done' in poll;
    return [polls.filter(isRequest), polls.filter((poll) => !isRequest(poll)) as Due[]];
  }

  async #process(
    { rows, unreadable }: TransactionPage,
    calledAt: number,
    counts: Counts,
  ): Promise<void> {
    const answeredAt = performance.now();
    if (unreadable) this.#noteUnreadable(unreadable, counts);
    await this.#options.onRows(rows);
    // No call starts before a pause as long as the call before it, which spares a slow provider.
    const pauseMs = Math.min(answeredAt - calledAt, MAX_PAUSE_MS);
    await sleep(Math.floor(pauseMs - (performance.now() - answeredAt)), this.#stop.signal);
  }

  #noteIncomplete(problem: PaginationProblem, counts: Counts): void {
    counts.incompletePages += 1;
    const { account, providerMerchantId, logger, clock } = this.#options;
    const now = clock.now();
    if (remainingMs(this.#incompleteLoggedAt, LOG_INTERVAL_MS, now) > 0) return;
    this.#incompleteLoggedAt = now;
    logger.warn(
      { account, providerMerchantId, page: counts.pages, problem },
      'the list of transactions was cut off; the rest is requested by days',
    );
  }

  /** The other rows count as usual. An unreadable row may be a payment, so someone must check it. */
  #noteUnreadable({ count, first }: UnreadableRows, counts: Counts): void {
    counts.unreadableRows += count;
    const { account, providerMerchantId, logger, clock } = this.#options;
    const now = clock.now();
    if (remainingMs(this.#unreadableLoggedAt, LOG_INTERVAL_MS, now) > 0) return;
    this.#unreadableLoggedAt = now;
    const places = first.map(({ index, kind }) => `${String(index)}: ${kind}`);
    logger.warn(
      { account, providerMerchantId, page: counts.pages, count, places },
      'rows of the list of transactions could not be read',
    );
  }

  /** Returns the number of failures in a row. */
  async #pause(retryAfterSeconds: number | undefined): Promise<number> {
    const backOff = retryAfterSeconds === undefined ? this.#backOff : this.#accountBackOff;
    const failures = backOff.fail(retryAfterSeconds);
    await this.#lease?.pause(this.#pauseMs);
    return failures;
  }

  #logFailure(error: unknown, failures: number): void {
    const { account, providerMerchantId, logger } = this.#options;
    logger.warn(
      { account, providerMerchantId, failures, ...describeError(error) },
      'the list of transactions could not be read',
    );
  }
}

function retryAfterOf(error: unknown): number | undefined {
  return error instanceof AppError ? error.retryAfterSeconds : undefined;
}
