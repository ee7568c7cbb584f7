import type {
  GeneratedTransactions,
  TransactionTraits,
} from './generated/generated-transactions.js';
import type { TransactionRow } from './resources/transaction-row.js';

/** A transaction with what the list needs to know about it. */
export interface StoredTransaction {
  /** Counts up in the order of arrival; breaks ties of `transactionTime`. Generated: below 0. */
  readonly sequence: number;
  /** `transactionTime` in milliseconds. */
  readonly time: number;
  row: TransactionRow;
  /** From this moment on (sandbox time, milliseconds) the list shows it. */
  visibleAt: number;
}

/** A place in the list: just after one row. It stays the same place while newer rows arrive. */
export interface ListPlace {
  readonly time: number;
  readonly sequence: number;
}

/** Where to walk in the list, and what to stop for. */
export interface Walk {
  /** Only what comes after this place. */
  readonly after?: ListPlace | undefined;
  /** Nothing newer than this time. */
  readonly latest?: number;
  /** Nothing older than this time. */
  readonly earliest?: number;
  /** Nothing that is visible only later than this. */
  readonly now: number;
  readonly matches: (traits: TransactionTraits) => boolean;
}

/**
 * Every transaction, newest first: those that arrived, kept sorted, and the generated past, made
 * when it is looked at. Adding at the newest end takes constant time, a page takes two searches by
 * halving and one look at each row it passes, and nothing depends on how many rows there are.
 */
export class TransactionStore {
  /** Oldest first, so that the usual arrival goes to the end. */
  #arrived: StoredTransaction[] = [];
  #byId = new Map<string, StoredTransaction>();
  #generated: GeneratedTransactions;
  /** Generated rows that were refunded or hidden, by number. */
  #touched = new Map<number, StoredTransaction>();
  #sequence = 0;

  constructor(generated: GeneratedTransactions) {
    this.#generated = generated;
  }

  get generatedCount(): number {
    return this.#generated.count;
  }

  /** Adds a transaction at its place; of two with one time the later arrival is listed first. */
  add(row: TransactionRow, visibleAt: number): StoredTransaction {
    this.#sequence += 1;
    const time = Date.parse(row.transactionTime);
    const stored: StoredTransaction = { sequence: this.#sequence, time, row, visibleAt };
    const index = this.#countUpTo(stored);
    if (index === this.#arrived.length) this.#arrived.push(stored);
    else this.#arrived.splice(index, 0, stored);
    this.#byId.set(row.id, stored);
    return stored;
  }

  /** Finds a transaction to look at or to change. */
  find(id: string): StoredTransaction | undefined {
    const index = this.#generated.indexOf(id);
    if (index === undefined) return this.#byId.get(id);
    const stored = this.#generatedAt(index);
    this.#touched.set(index, stored);
    return stored;
  }

  /** What arrived or was touched, newest first, the invisible ones too; not the untouched past. */
  changed(): StoredTransaction[] {
    return [...this.#arrived, ...this.#touched.values()].sort(
      (a, b) => b.time - a.time || b.sequence - a.sequence,
    );
  }

  /** Goes through the list, newest first (spec 4.1, rule 2). */
  *walk(walk: Walk): Generator<StoredTransaction> {
    let arrived = this.#firstArrived(walk);
    let generated = this.#firstGenerated(walk);
    const earliest = walk.earliest ?? -Infinity;
    for (;;) {
      const next = this.#arrived[arrived];
      const past =
        generated < this.#generated.count ? this.#generated.timeAt(generated) : -Infinity;
      if (Math.max(next?.time ?? -Infinity, past) < earliest) return;
      if (next === undefined && past === -Infinity) return;
      if (next !== undefined && next.time >= past) {
        arrived -= 1;
        if (next.visibleAt <= walk.now && walk.matches(traitsOf(next))) yield next;
        continue;
      }
      const found = this.#matchingGenerated(generated, walk);
      generated += 1;
      if (found !== undefined) yield found;
    }
  }

  /** Starts over with another past. */
  reset(generated: GeneratedTransactions): void {
    this.#generated = generated;
    this.#arrived = [];
    this.#byId.clear();
    this.#touched.clear();
  }

  #matchingGenerated(index: number, walk: Walk): StoredTransaction | undefined {
    const touched = this.#touched.get(index);
    if (touched !== undefined) {
      return touched.visibleAt <= walk.now && walk.matches(traitsOf(touched)) ? touched : undefined;
    }
    return walk.matches(this.#generated.traitsAt(index)) ? this.#generatedAt(index) : undefined;
  }

  #generatedAt(index: number): StoredTransaction {
    return (
      this.#touched.get(index) ?? {
        sequence: -1 - index,
        time: this.#generated.timeAt(index),
        row: this.#generated.rowAt(index),
        visibleAt: 0,
      }
    );
  }

  #firstArrived(walk: Walk): number {
    const bounds: ListPlace[] = [];
    // Just after the place is just before it when counting from the oldest.
    if (walk.after !== undefined)
      bounds.push({ ...walk.after, sequence: walk.after.sequence - 0.5 });
    if (walk.latest !== undefined) bounds.push({ time: walk.latest, sequence: Infinity });
    return Math.min(this.#arrived.length, ...bounds.map((bound) => this.#countUpTo(bound))) - 1;
  }

  #firstGenerated({ after, latest }: Walk): number {
    let index = latest === undefined ? 0 : this.#generated.indexFrom(latest);
    if (after === undefined) return index;
    index = Math.max(index, this.#generated.indexFrom(after.time));
    const isPassed = this.#generated.timeAt(index) === after.time && -1 - index >= after.sequence;
    return isPassed ? index + 1 : index;
  }

  /** How many of the arrived come before or at a place, counted from the oldest. */
  #countUpTo(place: ListPlace): number {
    let low = 0;
    let high = this.#arrived.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const other = this.#arrived[middle];
      if (other !== undefined && isUpTo(other, place)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isUpTo(row: ListPlace, place: ListPlace): boolean {
  return row.time < place.time || (row.time === place.time && row.sequence <= place.sequence);
}

function traitsOf({ time, row }: StoredTransaction): TransactionTraits {
  return { time, merchantId: row.merchantId, status: row.status };
}
