import { SeededRandom } from '../random.js';
import type { Merchant } from '../accounts.js';
import { makeHistoryRow, type RefundShare } from './history-row.js';
import type { TransactionRow, TransactionTraits } from './transaction.js';

/** Which past transactions a sandbox starts with. */
export interface HistoryOptions {
  /** How many. Default 0. Rows are made when they are listed: two million cost no memory. */
  readonly count?: number | undefined;
  /** Any text. The same seed, count, days, end and merchants give the same bytes. */
  readonly seed?: string | undefined;
  /** ISO 8601 time that every row is before. Default `2026-01-01T00:00:00.000Z`. */
  readonly until?: string | undefined;
  /** Over how many days they are spread. Default 365. */
  readonly days?: number | undefined;
}

export const DEFAULT_SEED = 'pay-sandbox';

/** More would not fit between two milliseconds of a year. */
export const MAX_HISTORY_COUNT = 10_000_000;

const DAY_MILLISECONDS = 86_400_000;
const PURPOSE = { time: 1, merchant: 2, refund: 3, id: 4 } as const;
const ID = /^txn_([0-9a-f]{8})([0-9a-f]{8})$/;

/**
 * Any number of past transactions, none of them stored. Row 0 is the newest. Each row follows from
 * its number and the seed, so the same seed gives the same bytes. Times fall strictly with the
 * number, so binary search finds a place in the list: 2,000,000 rows take 21 steps.
 */
export class History {
  readonly count: number;
  readonly #merchants: readonly Merchant[];
  readonly #random: SeededRandom;
  readonly #newest: number;
  readonly #stepMilliseconds: number;

  constructor(options: HistoryOptions, merchants: readonly Merchant[]) {
    this.count = options.count ?? 0;
    const days = options.days ?? 365;
    this.#merchants = merchants;
    this.#random = new SeededRandom(options.seed ?? DEFAULT_SEED);
    this.#newest = Date.parse(options.until ?? '2026-01-01T00:00:00.000Z') - 1;
    this.#stepMilliseconds = (days * DAY_MILLISECONDS) / Math.max(this.count, 1);
    if (!Number.isFinite(this.#newest)) throw new TypeError('until must be an ISO 8601 time.');
    if (this.#stepMilliseconds < 2) {
      throw new TypeError('There are too many transactions for these days. Set more days.');
    }
    if (this.count > 0 && merchants.length === 0)
      throw new TypeError('A history needs a merchant.');
  }

  /** `transactionTime` of a row, in milliseconds. */
  timeAt(index: number): number {
    // At most half a step, so that two rows never have the same time.
    const share = this.#random.bits(index, PURPOSE.time) / 0x2_0000_0000;
    return this.#newest - Math.floor((index + share) * this.#stepMilliseconds);
  }

  /** What the list filters by: much cheaper than the row. */
  traitsAt(index: number): TransactionTraits {
    return {
      time: this.timeAt(index),
      merchantId: this.#merchantAt(index).id,
      status: this.#refundAt(index) === 'all' ? 'REFUNDED' : 'SUCCESS',
    };
  }

  rowAt(index: number): TransactionRow {
    return makeHistoryRow({
      id: this.#idAt(index),
      index,
      time: this.timeAt(index),
      merchant: this.#merchantAt(index),
      refund: this.#refundAt(index),
      random: this.#random,
    });
  }

  /** The number of the first row (newest first) whose time is not after the given one. */
  indexFrom(time: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.timeAt(middle) > time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The number of the row with this id. */
  indexOf(id: string): number | undefined {
    const index = Number.parseInt(ID.exec(id)?.[2] ?? '', 16);
    return index < this.count && this.#idAt(index) === id ? index : undefined;
  }

  #idAt(index: number): string {
    return `txn_${this.#random.hex(index, PURPOSE.id)}${index.toString(16).padStart(8, '0')}`;
  }

  #merchantAt(index: number): Merchant {
    return this.#random.pick(this.#merchants, index, PURPOSE.merchant);
  }

  #refundAt(index: number): RefundShare {
    const percent = this.#random.below(100, index, PURPOSE.refund);
    if (percent < 4) return 'all';
    return percent < 6 ? 'part' : 'none';
  }
}
