import type { ListPlace } from './cursor.js';
import type { History } from './history.js';
import type { TransactionRow, TransactionTraits } from './transaction.js';

/** A transaction with what the list needs to know about it. */
export interface StoredTransaction {
  /** Counts up in the order of arrival; breaks ties of `transactionTime`. In the history: below 0. */
  readonly sequence: number;
  /** `transactionTime` in milliseconds. */
  readonly time: number;
  row: TransactionRow;
  /** The list shows it from this moment on (sandbox time, milliseconds). */
  visibleAt: number;
}

/** Which part of the list to read. */
export interface Walk {
  /** Only what comes after this place. */
  readonly after?: ListPlace | undefined;
  /** Nothing newer than this time. */
  readonly latest?: number;
  /** Nothing older than this time. */
  readonly earliest?: number;
  /** Nothing that becomes visible after this. */
  readonly now: number;
  readonly matches: (traits: TransactionTraits) => boolean;
}

/**
 * Every transaction, newest first: those that arrived, kept sorted, and the history, whose rows are
 * made when they are read. Adding at the newest end takes constant time. Reading a page takes two
 * binary searches and then one step for each row, so its cost does not depend on the number of rows.
 */
export class TransactionStore {
  /** Oldest first, so that the usual arrival goes to the end. */
  #arrived: StoredTransaction[] = [];
  #byId = new Map<string, StoredTransaction>();
  #history: History;
  /** Rows of the history that were refunded or hidden, by number. */
  #changedHistory = new Map<number, StoredTransaction>();
  #sequence = 0;

  constructor(history: History) {
    this.#history = history;
  }

  get historyCount(): number {
    return this.#history.count;
  }

  /** Adds a transaction at its place. Of two with the same time, the later arrival is listed first. */
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

  /** How many there are, hidden ones included. */
  get count(): number {
    return this.#arrived.length + this.#history.count;
  }

  /** Finds a transaction, to read it. */
  read(id: string): StoredTransaction | undefined {
    const index = this.#history.indexOf(id);
    return index === undefined ? this.#byId.get(id) : this.#historyRowAt(index);
  }

  /** Finds a transaction, to change it. */
  find(id: string): StoredTransaction | undefined {
    const index = this.#history.indexOf(id);
    if (index === undefined) return this.#byId.get(id);
    const stored = this.#historyRowAt(index);
    this.#changedHistory.set(index, stored);
    return stored;
  }

  /** What arrived or was changed, newest first, hidden rows included. */
  changed(): StoredTransaction[] {
    return [...this.#arrived, ...this.#changedHistory.values()].sort(
      (a, b) => b.time - a.time || b.sequence - a.sequence,
    );
  }

  /** Reads the list, newest first (spec 4.1, rule 2). */
  *walk(walk: Walk): Generator<StoredTransaction> {
    let arrived = this.#firstArrived(walk);
    let index = this.#firstInHistory(walk);
    const earliest = walk.earliest ?? -Infinity;
    for (;;) {
      const next = this.#arrived[arrived];
      const past = index < this.#history.count ? this.#history.timeAt(index) : -Infinity;
      if (Math.max(next?.time ?? -Infinity, past) < earliest) return;
      if (next === undefined && past === -Infinity) return;
      if (next !== undefined && next.time >= past) {
        arrived -= 1;
        if (next.visibleAt <= walk.now && walk.matches(traitsOf(next))) yield next;
        continue;
      }
      const found = this.#matchInHistory(index, walk);
      index += 1;
      if (found !== undefined) yield found;
    }
  }

  /** Starts over with another history. */
  reset(history: History): void {
    this.#history = history;
    this.#arrived = [];
    this.#byId.clear();
    this.#changedHistory.clear();
  }

  #matchInHistory(index: number, walk: Walk): StoredTransaction | undefined {
    const changed = this.#changedHistory.get(index);
    if (changed !== undefined) {
      return changed.visibleAt <= walk.now && walk.matches(traitsOf(changed)) ? changed : undefined;
    }
    return walk.matches(this.#history.traitsAt(index)) ? this.#historyRowAt(index) : undefined;
  }

  #historyRowAt(index: number): StoredTransaction {
    return (
      this.#changedHistory.get(index) ?? {
        sequence: -1 - index,
        time: this.#history.timeAt(index),
        row: this.#history.rowAt(index),
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

  #firstInHistory({ after, latest }: Walk): number {
    let index = latest === undefined ? 0 : this.#history.indexFrom(latest);
    if (after === undefined) return index;
    index = Math.max(index, this.#history.indexFrom(after.time));
    const isPassed = this.#history.timeAt(index) === after.time && -1 - index >= after.sequence;
    return isPassed ? index + 1 : index;
  }

  /** How many arrived rows come before or at a place, counted from the oldest. */
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
