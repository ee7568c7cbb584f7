import type { Merchant } from '../merchant.js';
import { DEFAULT_SEED, type HistoryOptions } from './history-options.js';
import { makeGeneratedRow } from './generated-row.js';
import { SeededDraws } from './seeded-draws.js';
import type { TransactionRow } from '../resources/transaction-row.js';

const DAY_MILLISECONDS = 86_400_000;
const PURPOSE = { time: 1, merchant: 2, refund: 3, id: 4 } as const;
const ID = /^txn_([0-9a-f]{8})([0-9a-f]{8})$/;

/** What the list filters by, without the rest of the row. */
export interface TransactionTraits {
  readonly time: number;
  readonly merchantId: number | undefined;
  readonly status: string | undefined;
}

/** How much of a generated payment was given back. */
export type RefundShare = 'none' | 'part' | 'all';

/**
 * Any number of past transactions, none of them stored: row 0 is the newest, and each row follows
 * from its number and the seed alone, so the same seed gives the same bytes. Times fall strictly
 * with the number, so a place in the list is found by halving: 2,000,000 rows take 21 looks.
 */
export class GeneratedTransactions {
  readonly count: number;
  readonly #merchants: readonly Merchant[];
  readonly #draws: SeededDraws;
  readonly #newest: number;
  readonly #stepMilliseconds: number;

  constructor(options: HistoryOptions, merchants: readonly Merchant[]) {
    this.count = options.count ?? 0;
    const days = options.days ?? 365;
    this.#merchants = merchants;
    this.#draws = new SeededDraws(options.seed ?? DEFAULT_SEED);
    this.#newest = Date.parse(options.until ?? '2026-01-01T00:00:00.000Z') - 1;
    this.#stepMilliseconds = (days * DAY_MILLISECONDS) / Math.max(this.count, 1);
    if (!Number.isFinite(this.#newest)) throw new TypeError('until must be an ISO 8601 time.');
    if (this.#stepMilliseconds < 2) {
      throw new TypeError('There are too many transactions for so few days: give more days.');
    }
    if (this.count > 0 && merchants.length === 0) throw new TypeError('There is no merchant.');
  }

  /** `transactionTime` of a row, in milliseconds. */
  timeAt(index: number): number {
    // At most half a step: two rows never meet.
    const share = this.#draws.bits(index, PURPOSE.time) / 0x2_0000_0000;
    return this.#newest - Math.floor((index + share) * this.#stepMilliseconds);
  }

  /** What the list filters by: some tens of nanoseconds, against microseconds for the row. */
  traitsAt(index: number): TransactionTraits {
    return {
      time: this.timeAt(index),
      merchantId: this.#merchantAt(index).id,
      status: this.#refundAt(index) === 'all' ? 'REFUNDED' : 'SUCCESS',
    };
  }

  rowAt(index: number): TransactionRow {
    return makeGeneratedRow({
      id: this.#idAt(index),
      index,
      time: this.timeAt(index),
      merchant: this.#merchantAt(index),
      refund: this.#refundAt(index),
      draws: this.#draws,
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
    return `txn_${this.#draws.hex(index, PURPOSE.id)}${index.toString(16).padStart(8, '0')}`;
  }

  #merchantAt(index: number): Merchant {
    return this.#draws.pick(this.#merchants, index, PURPOSE.merchant);
  }

  #refundAt(index: number): RefundShare {
    const percent = this.#draws.below(100, index, PURPOSE.refund);
    if (percent < 4) return 'all';
    return percent < 6 ? 'part' : 'none';
  }
}
