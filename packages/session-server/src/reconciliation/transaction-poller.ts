import type { Span } from '@opentelemetry/api';
import { AppError } from '../errors.js';
import { describeError } from '../logger.js';
import type { Observer } from '../observer.js';
import { Backfill, RECENT_MS } from './backfill.js';
import { BackOff, PageQuota, remainingMs, sleep, waitForPage } from './pacing.js';
import { PageReader, type PageReaderOptions } from './page-reader.js';
import type { Database } from '../store/database.js';
import { fail, inSpan } from '../tracing/spans.js';
import type { PollResult } from './poll-log.js';
import { ReadTurns, type Turn } from './read-turns.js';
import { RecentPoll } from './recent-poll.js';

export interface TransactionPollerOptions extends PageReaderOptions {
  /** Shortest time between the starts of two polls. */
  readonly intervalMs: number;
  /** Pages that all polls together may request in a minute. */
  readonly pagesPerMinute: number;
  readonly observer: Pick<Observer, 'polled'>;
  /** Set where several servers share a database and a read lease. Default: this is the only one. */
  readonly shared?: Database | undefined;
}

/** How far back to poll, in milliseconds since 1970; `Infinity` where no one asked. */
interface Depths {
  recentMs: number;
  backfillMs: number;
}

/** What the next poll is asked for. */
interface PollRequest extends Depths {
  /** When it was last asked for. */
  askedAt: number;
  readonly recent: PromiseWithResolvers<PollResult>;
  readonly backfill: PromiseWithResolvers<PollResult>;
}

/** A backfill that used up its quota continues after this. */
const RESUME_MS = 60_000;
const NO_DEPTHS: Readonly<Depths> = { recentMs: Infinity, backfillMs: Infinity };

/**
 * The only reader of a list of transactions, newest first: however many wait, one poll
 * runs at a time, and polls start at least `intervalMs` apart. Requests that arrive during a poll share
 * the next one. A poll reads what is recent, and then goes on with the backfill; both share one quota.
 */
export class TransactionPoller {
  readonly #options: TransactionPollerOptions;
  readonly #stop = new AbortController();
  readonly #quota: PageQuota;
  readonly #reader: PageReader;
  readonly #backfill: Backfill;
  readonly #recentPoll: RecentPoll;
  /** After a failure of a recent poll, or when the provider asks for a pause: nothing is read. */
  readonly #backOff: BackOff;
  readonly #turns: ReadTurns | undefined;
  #next: PollRequest | undefined;
  #running: Promise<void> | undefined;
  /** Goes on with the backfill when no one asks for a poll before. */
  #resume: NodeJS.Timeout | undefined;
  #lastStartedAt = -Infinity;
  /** What a failed poll should have read: the next one makes up for it. */
  #retry: Readonly<Depths> = NO_DEPTHS;

  constructor(options: TransactionPollerOptions) {
    this.#options = options;
    const { clock, intervalMs, pagesPerMinute } = options;
    this.#quota = new PageQuota(clock, pagesPerMinute);
    this.#backOff = new BackOff(clock, intervalMs);
    const { account, providerMerchantId, shared: database } = options;
    const list = { account, providerMerchantId };
    const quota = this.#quota;
    this.#turns = database && new ReadTurns({ database, clock, list, quota, intervalMs });
    const spendPage = this.#turns?.spendPage.bind(this.#turns);
    this.#reader = new PageReader({ ...options, spendPage }, quota, this.#stop.signal);
    this.#backfill = new Backfill(this.#reader, this.#quota, options);
    this.#recentPoll = new RecentPoll(this.#reader, this.#quota, this.#backfill);
  }

  /**
   * Resolves when a poll that started after this call has settled; when everything is of the last
   * hour, once its recent part has settled.
   */
  poll(sinceMs: number): Promise<PollResult> {
    if (this.#stop.signal.aborted) return Promise.resolve('failed');
    const request = this.#request();
    request.askedAt = this.#options.clock.now();
    const isRecent = this.#isRecent(sinceMs);
    if (isRecent) request.recentMs = Math.min(request.recentMs, sinceMs);
    else request.backfillMs = Math.min(request.backfillMs, sinceMs);
    clearTimeout(this.#resume);
    this.#running ??= this.#run();
    return (isRecent ? request.recent : request.backfill).promise;
  }

  /**
   * As {@link poll} for several times at once, but resolves when the recent part has ended: who waits
   * for a payment need not wait for the backfill.
   */
  pollRecent(times: readonly number[]): Promise<PollResult> {
    const now = this.#options.clock.now();
    const older = times.filter((time) => !this.#isRecent(time));
    if (older.length > 0) void this.poll(Math.min(...older));
    return this.poll(Math.min(now, ...times.filter((time) => this.#isRecent(time))));
  }

  /** Waits for a page of the quota for a reader that no shopper waits for, and takes it; not while the provider wants a pause. */
  async waitForPage(signal: AbortSignal): Promise<void> {
    const pages = this.#turns ?? this.#quota;
    const takePage = () => !this.isBackingOff() && pages.takePage();
    this.#quota.waitingReaders += 1;
    await waitForPage({ takePage }, AbortSignal.any([signal, this.#stop.signal])).finally(() => {
      this.#quota.waitingReaders -= 1;
    });
  }

  /** Whether it pauses because the provider failed or asked for it. */
  isBackingOff(): boolean {
    return this.#backOff.remainingMs > 0;
  }

  /** When the running backfill started; undefined when there is none. */
  get backfillSince(): number | undefined {
    return this.#backfill.startedAt;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    clearTimeout(this.#resume);
  }

  #request(): PollRequest {
    return (this.#next ??= {
      ...NO_DEPTHS,
      askedAt: this.#options.clock.now(),
      recent: Promise.withResolvers(),
      backfill: Promise.withResolvers(),
    });
  }

  #isRecent(sinceMs: number): boolean {
    return sinceMs >= this.#options.clock.now() - RECENT_MS;
  }

  async #run(): Promise<void> {
    while (this.#next && !this.#stop.signal.aborted) {
      await this.#pause();
      const asked = { ...this.#next };
      const turn = await this.#takeTurn(asked);
      const request = this.#next;
      // No other server has read what was requested in the meantime.
      const hasGrown = request.askedAt > asked.askedAt;
      if (turn.kind === 'wait' || (turn.kind === 'covered' && hasGrown)) {
        await sleep(turn.kind === 'wait' ? turn.ms : 0, this.#stop.signal);
        continue;
      }
      this.#next = undefined;
      // Where it was covered, another server has read it.
      let result: PollResult = 'read';
      if (turn.kind === 'taken' && !this.#stop.signal.aborted) {
        this.#lastStartedAt = this.#options.clock.now();
        const { account } = this.#options;
        const about = { attributes: { 'pay_checkout.account': account }, root: true };
        result = await inSpan('transactions.poll', about, (span) => this.#pollOnce(request, span));
        await this.#endTurn(request);
        // It yielded to another server: the rest waits for its next lease.
        if (this.#turns?.isWanted === true && this.#backfill.isPending) this.#request();
      }
      resolve(request, result);
    }
    if (this.#next) resolve(this.#next, 'failed');
    this.#next = undefined;
    this.#running = undefined;
    if (this.#backfill.startedAt === undefined || this.#stop.signal.aborted) return;
    // Scheduled polls come together, hours apart: the pages that are left do not wait for the next ones.
    this.#resume = setTimeout(() => void this.poll(this.#options.clock.now()), RESUME_MS);
  }

  /** At once where there is no other server. */
  async #takeTurn({ askedAt, recentMs, backfillMs }: PollRequest): Promise<Turn> {
    if (!this.#turns || this.#stop.signal.aborted) return { kind: 'taken' };
    const isOnlyRecent = backfillMs === Infinity && this.#retry.backfillMs === Infinity;
    const sinceMs = isOnlyRecent ? Math.min(recentMs, this.#retry.recentMs) : undefined;
    try {
      return await this.#turns.take({ askedAt, sinceMs }, this.#backfill.isPending);
    } catch (error) {
      this.#logFailure(error, this.#backOff.fail());
      return { kind: 'wait', ms: 0 };
    }
  }

  async #endTurn({ recentMs }: PollRequest): Promise<void> {
    const isRead = this.#retry === NO_DEPTHS && !this.#recentPoll.hasBacklog;
    const sinceMs = isRead && recentMs < Infinity ? recentMs : undefined;
    await this.#turns
      ?.end(sinceMs, this.#backOff.remainingMs)
      // Its lease runs out.
      .catch((error: unknown) => {
        this.#logFailure(error, 0);
      });
  }

  async #pollOnce(request: PollRequest, span: Span): Promise<PollResult> {
    const { account, clock, observer } = this.#options;
    const startedAt = clock.now();
    const calledAt = performance.now();
    this.#reader.pages = 0;
    this.#reader.incompletePages = 0;
    this.#reader.unreadableRows = 0;
    const isRead = await this.#readRecent(request, startedAt);
    const isComplete = isRead && this.#recentPoll.isComplete;
    const completeAt = isComplete ? startedAt : undefined;
    const result = isRead ? await this.#readBackfill(request, isComplete) : 'failed';
    const isOk = result !== 'failed';
    const { pages, incompletePages, unreadableRows } = this.#reader;
    const seconds = (performance.now() - calledAt) / 1000;
    span.setAttribute('pay_checkout.pages', pages);
    if (!isOk) fail(span, 'poll_failed');
    const counts = { pages, incompletePages, unreadableRows };
    observer.polled({ account, completeAt, ...counts, seconds, isOk });
    return result;
  }

  async #readRecent(request: PollRequest, startedAt: number): Promise<boolean> {
    const { account, providerMerchantId } = this.#options;
    const sinceMs = Math.min(request.recentMs, this.#retry.recentMs, startedAt);
    const backfillMs = Math.min(request.backfillMs, this.#retry.backfillMs);
    const windowMs = Math.min(sinceMs, backfillMs, this.#backfill.sinceMs);
    try {
      const start = { account, providerMerchantId, startedAt, sinceMs };
      const newest = await this.#recentPoll.run(start, windowMs);
      if (backfillMs < Infinity) {
        if (!this.#recentPoll.hasBacklog) await this.#backfill.reRead(newest);
        this.#backfill.request(newest, backfillMs);
      }
    } catch (error) {
      this.#logFailure(error, this.#backOff.fail(retryAfterOf(error)));
      // A page further down that fails each time is tried once more: it must not delay recent rows.
      const { recentMs, backfillMs } = this.#reader.pages > 1 ? NO_DEPTHS : this.#retry;
      this.#retry = {
        recentMs: Math.min(request.recentMs, recentMs),
        backfillMs: Math.min(request.backfillMs, backfillMs),
      };
      return false;
    }
    this.#backOff.reset();
    this.#retry = NO_DEPTHS;
    return true;
  }

  async #readBackfill({ recent }: PollRequest, isRecentComplete: boolean): Promise<PollResult> {
    const result = isRecentComplete ? 'read' : 'incomplete';
    if (this.#backfill.startedAt === undefined) return result;
    recent.resolve(result);
    try {
      const nextMs = await this.#backfill.run(() => this.#isRecentPollDue());
      if (nextMs < Infinity) void this.poll(nextMs);
      return nextMs < Infinity || this.#backfill.startedAt !== undefined ? 'incomplete' : result;
    } catch (error) {
      const retryAfterSeconds = retryAfterOf(error);
      if (retryAfterSeconds !== undefined) this.#backOff.fail(retryAfterSeconds);
      this.#logFailure(error, this.#backfill.fail(retryAfterSeconds));
      return 'failed';
    }
  }

  /** Whether someone waits for recent rows, and the interval is over. */
  #isRecentPollDue(): boolean {
    const { clock, intervalMs } = this.#options;
    const isAsked = this.#next !== undefined && this.#next.recentMs < Infinity;
    return (
      (isAsked || this.#turns?.isWanted === true) &&
      remainingMs(this.#lastStartedAt, intervalMs, clock.now()) <= 0
    );
  }

  #logFailure(error: unknown, failures: number): void {
    const { account, providerMerchantId, logger } = this.#options;
    logger.warn(
      { account, providerMerchantId, failures, ...describeError(error) },
      'the list of transactions could not be read',
    );
  }

  /** Waits until the interval, the back-off and the quota allow another poll. */
  #pause(): Promise<void> {
    const { intervalMs, clock } = this.#options;
    const pauseMs = Math.max(
      remainingMs(this.#lastStartedAt, intervalMs, clock.now()),
      this.#backOff.remainingMs,
      this.#quota.recentWaitMs(this.#backfill.isPending),
    );
    return sleep(pauseMs, this.#stop.signal);
  }
}

function retryAfterOf(error: unknown): number | undefined {
  return error instanceof AppError ? error.retryAfterSeconds : undefined;
}

function resolve({ recent, backfill }: PollRequest, result: PollResult): void {
  recent.resolve(result);
  backfill.resolve(result);
}
