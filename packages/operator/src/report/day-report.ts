/** Compares a day of the provider's list with the orders that are known here. Changes nothing. */
import {
  AppError,
  type Clock,
  combineSplit,
  formatMinor,
  keyOf,
  type Merchant,
  newestRange,
  type PageRange,
  type PartnerGateway,
  type Reader,
  readNextPage,
  sleep,
  splitAmount,
  type SplitShare,
  timeOf,
  type TransactionList,
  type TransactionRow,
} from '@pay-checkout/session-server/internals';
import { DecimalSum } from './decimal-sum.js';
import type {
  CountedAmount,
  ReportKind,
  ReportRow,
  ReportSummary,
  ReportTotal,
} from './report-view.js';
import { findKnownInRange, findKnownTransactions, type KnownTransaction } from './repository.js';

const DAY_MS = 86_400_000;
/** A page that fails so often ends the read. */
const MAX_TRIES = 3;
const MAX_PAUSE_MS = 60_000;
/** Without a pause that the provider asks for. */
const PAUSE_MS = 1000;
/** Known transactions that are read together. */
const KNOWN_ROWS = 500;

export interface ReportOptions {
  readonly day: string;
  /** Whose transactions. */
  readonly merchants: readonly Merchant[];
  /** The lists that show them. */
  readonly lists: readonly TransactionList[];
  readonly database: Reader;
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  readonly clock: Clock;
  /** Ends the read, which is incomplete then. */
  readonly signal?: AbortSignal | undefined;
  /** Waits until a page of a list may be read without delaying the polls that shoppers wait for. */
  readonly waitForPage: (list: TransactionList, signal: AbortSignal) => Promise<void>;
}

/** @throws {AppError} 400 unless it is a day that has begun */
export function parseDay(text: string, now: number): string {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  const isDay = !Number.isNaN(start) && new Date(start).toISOString().startsWith(text);
  if (isDay && start <= now) return text;
  throw new AppError(400, 'invalid_request', 'expected a day that has begun, such as 2026-03-01');
}

/** Given the transactions of a day as they are read, some at a time; the next are read when it has ended. */
export type OnRows = (rows: readonly ReportRow[]) => Promise<void> | void;

/** Reads a day, and answers what its transactions come to. */
export async function reportDay(options: ReportOptions, onRows: OnRows): Promise<ReportSummary> {
  const report = new DayReport(options, onRows);
  for (const list of options.lists) await report.read(list);
  return report.summary();
}

class DayReport {
  readonly #options: ReportOptions;
  readonly #onRows: OnRows;
  readonly #startedAt: number;
  readonly #fromMs: number;
  readonly #signal: AbortSignal;
  readonly #totals = new Map<string, RunningTotal>();
  readonly #problems: string[] = [];
  readonly #merchants: ReadonlyMap<string, Merchant>;
  /** The entries of each id at the provider. */
  readonly #at = new Map<string, string[]>();
  #pages = 0;

  constructor(options: ReportOptions, onRows: OnRows) {
    const { day, merchants, clock, signal } = options;
    this.#options = options;
    this.#onRows = onRows;
    this.#startedAt = clock.now();
    this.#fromMs = Date.parse(`${day}T00:00:00Z`);
    this.#signal = signal ?? new AbortController().signal;
    this.#merchants = new Map(merchants.map((merchant) => [merchant.id, merchant]));
    for (const merchant of merchants) {
      const key = keyOf(merchant);
      this.#at.set(key, [...(this.#at.get(key) ?? []), merchant.id]);
    }
  }

  async read(list: TransactionList): Promise<void> {
    const startedAt = Math.min(this.#startedAt, this.#fromMs + DAY_MS);
    const range = newestRange({ ...list, startedAt, sinceMs: this.#fromMs }, this.#fromMs);
    /** Of the day: a row may be listed twice when the list is continued by days. */
    const seen = new Set<string>();
    const problems = this.#problems.length;
    while (!range.isRead) {
      const rows = await this.#readPage(range);
      if (!rows) break;
      const fresh = rows.filter(({ id }) => id === undefined || !seen.has(id));
      for (const { id } of fresh) if (id !== undefined) seen.add(id);
      await this.#onRows(await this.#compare(list, fresh));
    }
    const [unread] = range.unreadDays;
    if (unread !== undefined) this.#note(list, 'the provider cut its list off');
    if (this.#problems.length === problems) await this.#findMissing(list, seen);
  }

  summary(): ReportSummary {
    return {
      day: this.#options.day,
      isComplete: this.#problems.length === 0,
      problems: this.#problems,
      pages: this.#pages,
      totals: [...this.#totals.values()].map((total) => total.toTotal()),
    };
  }

  /** The rows of the day on the next page; undefined where the list cannot be read further. */
  async #readPage(range: PageRange): Promise<readonly TransactionRow[] | undefined> {
    for (let tries = 1; ; tries += 1) {
      await this.#options.waitForPage(range, this.#signal);
      if (this.#signal.aborted) {
        this.#note(range, 'it was ended before');
        return undefined;
      }
      this.#pages += 1;
      let rows: readonly TransactionRow[] = [];
      try {
        await readNextPage(this.#options.gateway, range, (page) => {
          rows = page.rows;
          const unreadable = page.unreadable?.count ?? 0;
          if (unreadable > 0) this.#note(range, `${String(unreadable)} rows could not be read`);
        });
        return this.#ofDay(range, rows);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (tries === MAX_TRIES) {
          this.#note(range, error.message);
          return undefined;
        }
        const pauseMs = Math.min((error.retryAfterSeconds ?? 0) * 1000, MAX_PAUSE_MS);
        await sleep(Math.max(pauseMs, PAUSE_MS), this.#signal);
      }
    }
  }

  /** Those of other merchants are left out, should the provider list them. */
  #ofDay(list: PageRange, rows: readonly TransactionRow[]): readonly TransactionRow[] {
    const untimed = rows.filter((row) => timeOf(row) === undefined).length;
    if (untimed > 0) this.#note(list, `${String(untimed)} rows have no time that could be read`);
    const ofDay = rows.filter((row) => {
      const time = timeOf(row) ?? NaN;
      return time >= this.#fromMs && time < this.#fromMs + DAY_MS;
    });
    const withoutMerchant = ofDay.filter((row) => placeOf(list, row) === undefined).length;
    if (withoutMerchant > 0) this.#note(list, `${String(withoutMerchant)} rows have no merchantId`);
    return ofDay.filter((row) => this.#at.has(placeOf(list, row) ?? ''));
  }

  async #compare(list: TransactionList, rows: readonly TransactionRow[]): Promise<ReportRow[]> {
    const { database } = this.#options;
    const ids = rows.flatMap(({ id }) => id ?? []);
    const known = await findKnownTransactions(database, list.account, ids);
    return rows.flatMap((row) => {
      const transaction = known.get(row.id ?? '');
      if (transaction && !this.#merchant(transaction.merchant)) return [];
      const kind: ReportKind = transaction?.counts === true ? 'matched' : 'unknown';
      const reported: ReportRow = {
        kind,
        merchant: transaction?.merchant ?? this.#onlyMerchantAt(list, row),
        account: list.account,
        transaction: row.id ?? '',
        transactionTime: row.transactionTime ?? '',
        status: row.status ?? '',
        amount: row.amount ?? '',
        currency: row.currencyCode ?? '',
        serviceFee: row.serviceFee ?? '',
        order: transaction?.order ?? '',
        checkout: transaction?.checkout ?? '',
      };
      this.#add(reported, transaction);
      return [reported];
    });
  }

  /** What is known here of the day, and was not listed. */
  async #findMissing(list: TransactionList, seen: ReadonlySet<string>): Promise<void> {
    const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const range = {
      ...list,
      // Texts with a zone may name the day before or after.
      from: dayOf(this.#fromMs - DAY_MS),
      to: dayOf(this.#fromMs + 3 * DAY_MS),
      // What came while the list was read may be newer than its page.
      recordedBy: this.#startedAt,
    };
    let after: KnownTransaction | undefined;
    for (;;) {
      const known = await findKnownInRange(this.#options.database, range, after, KNOWN_ROWS);
      const missing = known.filter((transaction) => {
        const time = timeOf(transaction) ?? NaN;
        const isOfDay = time >= this.#fromMs && time < this.#fromMs + DAY_MS;
        return isOfDay && !seen.has(transaction.id) && this.#merchant(transaction.merchant);
      });
      const rows = missing.map((transaction): ReportRow => {
        const { id, merchant, order, checkout, status, amount, currency, transactionTime } =
          transaction;
        return {
          ...{ kind: 'missing', merchant, account: list.account, transaction: id, order, checkout },
          ...{ status, amount, currency, transactionTime, serviceFee: '' },
        };
      });
      for (const row of rows) this.#add(row, undefined);
      await this.#onRows(rows);
      after = known.at(-1);
      if (known.length < KNOWN_ROWS) return;
    }
  }

  #add(row: ReportRow, known: KnownTransaction | undefined): void {
    const { merchant, currency } = row;
    const key = `${merchant}\n${currency}`;
    const total = this.#totals.get(key) ?? new RunningTotal(merchant, currency);
    this.#totals.set(key, total);
    const hasAmount = total.add(row, known);
    if (!hasAmount) this.#note({ account: row.account }, 'a row has no exact amount');
    const entry = this.#merchant(merchant);
    if (!known || !entry || row.kind !== 'matched') return;
    const hasSplit = total.addSplit(known, entry);
    if (!hasSplit)
      this.#note(row, 'the split of an order cannot be computed by the rules of today');
  }

  #merchant(id: string): Merchant | undefined {
    return this.#merchants.get(id);
  }

  /** Undefined when several entries share one id at the provider, so that the row is ambiguous. */
  #onlyMerchantAt(list: TransactionList, row: TransactionRow): string {
    const [only = '', ...others] = this.#at.get(placeOf(list, row) ?? '') ?? [];
    return others.length === 0 ? only : '';
  }

  #note({ account }: Pick<TransactionList, 'account'>, problem: string): void {
    const text = `${account}: ${problem}`;
    if (!this.#problems.includes(text)) this.#problems.push(text);
  }
}

/** Undefined where the rules have changed, and come to more than the order now. */
function sharesOf(
  { amountMinor, decimals, split }: KnownTransaction,
  merchant: Merchant,
): readonly SplitShare[] | undefined {
  const { rules, mistakes } = combineSplit(merchant, split);
  if (mistakes.length > 0) return undefined;
  try {
    return splitAmount(amountMinor, decimals, rules, merchant.splitValueType);
  } catch {
    return undefined;
  }
}

/** The provider merchant of a row; undefined where neither the row nor the list names it. */
function placeOf(
  { account, providerMerchantId: ofList }: TransactionList,
  { merchantId = ofList }: TransactionRow,
): string | undefined {
  const isOfList = ofList === undefined || merchantId === ofList;
  if (merchantId === undefined) return undefined;
  return isOfList ? keyOf({ account, providerMerchantId: merchantId }) : '';
}

class RunningTotal {
  readonly #merchant: string;
  readonly #currency: string;
  readonly #counts: Record<ReportKind, number> = { matched: 0, unknown: 0, missing: 0 };
  readonly #amounts: Record<ReportKind, DecimalSum> = {
    matched: new DecimalSum(),
    unknown: new DecimalSum(),
    missing: new DecimalSum(),
  };
  readonly #refunded = new DecimalSum();
  readonly #fees = new DecimalSum();
  readonly #splits = new Map<
    string,
    { partnerMerchantId: number; typeId: number; sum: DecimalSum }
  >();

  constructor(merchant: string, currency: string) {
    this.#merchant = merchant;
    this.#currency = currency;
  }

  /** Returns whether the row has an amount. */
  add({ kind, amount, serviceFee }: ReportRow, known: KnownTransaction | undefined): boolean {
    this.#counts[kind] += 1;
    if (known) this.#refunded.add(formatMinor(known.refundedMinor, known.decimals));
    if (serviceFee !== '') this.#fees.add(serviceFee);
    if (known?.isRefundRow) return true;
    if (amount !== '') this.#amounts[kind].add(amount);
    return amount !== '';
  }

  /** Returns whether the shares could be computed. */
  addSplit(known: KnownTransaction, merchant: Merchant): boolean {
    if (known.isRefundRow) return true;
    const { decimals } = known;
    const shares = sharesOf(known, merchant);
    for (const share of shares ?? []) {
      const { partnerMerchantId, typeId, minor } = share;
      const key = `${String(partnerMerchantId)} ${String(typeId)}`;
      const split = this.#splits.get(key) ?? { partnerMerchantId, typeId, sum: new DecimalSum() };
      this.#splits.set(key, split);
      split.sum.add(formatMinor(minor, decimals));
    }
    return shares !== undefined;
  }

  toTotal(): ReportTotal {
    const counted = (kind: ReportKind): CountedAmount => ({
      count: this.#counts[kind],
      amount: String(this.#amounts[kind]),
    });
    return {
      merchant: this.#merchant,
      currency: this.#currency,
      matched: counted('matched'),
      unknown: counted('unknown'),
      missing: counted('missing'),
      refunded: String(this.#refunded),
      fees: String(this.#fees),
      splits: [...this.#splits.values()].map(({ partnerMerchantId, typeId, sum }) => ({
        ...{ partnerMerchantId, typeId, amount: String(sum) },
      })),
    };
  }
}
