import {
  AppError,
  type Clock,
  type Database,
  hasAccountList,
  keyOf,
  type Merchant,
  type MerchantSource,
  type PartnerGateway,
  type ReconciliationService,
  type TransactionList,
} from '@pay-checkout/session-server/internals';
import { type OnRows, parseDay, reportDay } from './day-report.js';
import type { ReportKind, ReportRow, ReportSummary, ReportView } from './report-view.js';

/** How many transactions of each kind a view has. All are in the CSV. */
const MAX_SHOWN = 200;
/** How long a view answers the same question. */
const VIEW_MS = 300_000;

/** What is asked for. */
export interface ReportQuery {
  readonly day: string;
  readonly merchant?: string | undefined;
}

export interface ReportServiceOptions {
  readonly database: Database;
  readonly merchants: MerchantSource;
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  readonly clock: Clock;
  /** Whose quota of pages the report shares. */
  readonly reconciliation: Pick<ReconciliationService, 'waitForPage'>;
}

/** Reads the provider's list for one report at a time: the polls, for which shoppers wait, come first. */
export class ReportService {
  readonly #options: ReportServiceOptions;
  #isReading = false;
  #view: { readonly key: string; readonly at: number; readonly view: ReportView } | undefined;

  constructor(options: ReportServiceOptions) {
    this.#options = options;
  }

  /**
   * Checks what is asked for; the answer reads it, once.
   *
   * @throws {AppError} 400 `invalid_request`, 404 `unknown_merchant`; 429 while another is read
   */
  async open(
    { day, merchant }: ReportQuery,
    signal?: AbortSignal,
  ): Promise<(onRows: OnRows) => Promise<ReportSummary>> {
    const { database, gateway, clock, reconciliation } = this.#options;
    const all = await this.#options.merchants.all();
    const merchants = all.filter(({ id }) => merchant === undefined || id === merchant);
    if (merchant !== undefined && merchants.length === 0) {
      throw new AppError(404, 'unknown_merchant', 'No such merchant.');
    }
    const options = {
      ...{ database, gateway, clock, merchants, signal, day: parseDay(day, clock.now()) },
      lists: await this.#listsOf(merchants, merchant !== undefined),
      waitForPage: reconciliation.waitForPage.bind(reconciliation),
    };
    if (this.#isReading) {
      const message = 'Another report is being read. Wait for it.';
      throw new AppError(429, 'too_many_requests', message, { retryAfterSeconds: 5 });
    }
    this.#isReading = true;
    return (onRows) =>
      reportDay(options, onRows).finally(() => {
        this.#isReading = false;
      });
  }

  /** The same question gets the same answer for five minutes. */
  async view(query: ReportQuery, signal?: AbortSignal): Promise<ReportView> {
    const key = JSON.stringify([query.day, query.merchant]);
    const now = this.#options.clock.now();
    const known = this.#view;
    if (known?.key === key && now - known.at < VIEW_MS && now >= known.at) return known.view;
    const shown: Record<ReportKind, ReportRow[]> = { matched: [], unknown: [], missing: [] };
    const read = await this.open(query, signal);
    const summary = await read((rows) => {
      for (const row of rows) {
        if (shown[row.kind].length < MAX_SHOWN) shown[row.kind].push(row);
      }
    });
    const view = { ...summary, ...shown };
    if (view.isComplete) this.#view = { key, at: now, view };
    return view;
  }

  /** The list of a merchant, or of each account where it shows all of its merchants. */
  async #listsOf(merchants: readonly Merchant[], isOfOne: boolean): Promise<TransactionList[]> {
    const lists: TransactionList[] = [];
    for (const { account, providerMerchantId } of merchants) {
      const isCovered = !isOfOne && (await hasAccountList(this.#options.merchants, account));
      lists.push(isCovered ? { account } : { account, providerMerchantId });
    }
    return [...new Map(lists.map((list) => [keyOf(list), list])).values()];
  }
}
