import type { PaginationProblem } from '@pay-checkout/partner-api';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import type {
  PartnerGateway,
  TransactionList,
  TransactionPage,
  TransactionRow,
  UnreadableRows,
} from '../provider/gateway.js';
import type { CompleteRead } from './failures.js';
import { type PageQuota, remainingMs, sleep } from './pacing.js';
import { type PageRange, readNextPage } from './page-range.js';

/** The longest pause after a slow call. */
const MAX_PAUSE_MS = 10_000;
/** Polls re-read the same rows: a problem with them is logged at most once in this time. */
const LOG_INTERVAL_MS = 3_600_000;

export interface PageReaderOptions extends TransactionList {
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Counts a page before it is requested. Default: in the quota alone. */
  readonly spendPage?: ((isBackfill: boolean) => Promise<void>) | undefined;
  /** Called with each page; resolves when the payments that it proves are stored. */
  readonly onRows: (rows: readonly TransactionRow[]) => Promise<void>;
  /** Called when a range was read completely. */
  readonly onComplete: (read: CompleteRead) => Promise<void>;
}

/**
 * Reads pages for the recent poll and the backfill. No call starts before a pause as long as the
 * call before it, which spares a slow provider.
 */
export class PageReader {
  /**
   * How many pages the poll in progress has requested, how many of them were cut off, and how many
   * rows were unreadable.
   */
  pages = 0;
  incompletePages = 0;
  unreadableRows = 0;
  readonly #options: PageReaderOptions;
  readonly #quota: PageQuota;
  readonly #signal: AbortSignal;
  #unreadableLoggedAt = -Infinity;
  #incompleteLoggedAt = -Infinity;

  constructor(options: PageReaderOptions, quota: PageQuota, signal: AbortSignal) {
    this.#options = options;
    this.#quota = quota;
    this.#signal = signal;
  }

  /**
   * Reads a range until it is read, or may not be continued for now. The first page of a poll is
   * always read, since the poll has waited for it.
   */
  async read(
    range: PageRange,
    { isBackfill, mayContinue }: { isBackfill: boolean; mayContinue: () => boolean },
  ): Promise<void> {
    while (!range.isRead && (this.pages === 0 || (!this.#signal.aborted && mayContinue()))) {
      this.pages += 1;
      if (this.#options.spendPage) await this.#options.spendPage(isBackfill);
      else this.#quota.spend(isBackfill);
      const calledAt = performance.now();
      await readNextPage(this.#options.gateway, range, (page, problem) => {
        if (problem) this.#noteIncomplete(problem);
        return this.#process(page, calledAt);
      });
    }
    if (range.isRead && range.unreadDays.length === 0) await this.#options.onComplete(range);
  }

  async #process({ rows, unreadable }: TransactionPage, calledAt: number): Promise<void> {
    const answeredAt = performance.now();
    if (unreadable) this.#noteUnreadable(unreadable);
    await this.#options.onRows(rows);
    const pauseMs = Math.min(answeredAt - calledAt, MAX_PAUSE_MS);
    await sleep(Math.floor(pauseMs - (performance.now() - answeredAt)), this.#signal);
  }

  #noteIncomplete(problem: PaginationProblem): void {
    this.incompletePages += 1;
    const { account, providerMerchantId, logger, clock } = this.#options;
    const now = clock.now();
    if (remainingMs(this.#incompleteLoggedAt, LOG_INTERVAL_MS, now) > 0) return;
    this.#incompleteLoggedAt = now;
    logger.warn(
      { account, providerMerchantId, page: this.pages, problem },
      'the list of transactions was cut off; the rest is requested by days',
    );
  }

  /** The other rows count as usual. An unreadable row may be a payment, so someone must check it. */
  #noteUnreadable({ count, first }: UnreadableRows): void {
    this.unreadableRows += count;
    const { account, providerMerchantId, logger, clock } = this.#options;
    const now = clock.now();
    if (remainingMs(this.#unreadableLoggedAt, LOG_INTERVAL_MS, now) > 0) return;
    this.#unreadableLoggedAt = now;
    const places = first.map(({ index, kind }) => `${String(index)}: ${kind}`);
    logger.warn(
      { account, providerMerchantId, page: this.pages, count, places },
      'rows of the list of transactions could not be read',
    );
  }
}
