import type { Transaction } from '../resources/transactions.js';

/**
 * The rows that were given before an iteration was resumed. Each is left out as often as it was
 * given, wherever it stands now: the list may have grown at its begin in the meantime.
 */
export class GivenRows {
  readonly #counts = new Map<string, number>();
  #unnamed: number;

  constructor(ids: readonly string[], unnamed: number) {
    for (const id of ids) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    this.#unnamed = unnamed;
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0 && this.#unnamed === 0;
  }

  /** Whether this row was given before; counts it as met. */
  take({ id }: Transaction): boolean {
    if (typeof id !== 'string') return this.#takeUnnamed();
    const count = this.#counts.get(id);
    if (count === undefined) return false;
    if (count === 1) this.#counts.delete(id);
    else this.#counts.set(id, count - 1);
    return true;
  }

  /** Rows without an id are known by their place in the first page only. */
  forgetUnnamed(): void {
    this.#unnamed = 0;
  }

  ids(): string[] {
    return [...this.#counts].flatMap(([id, count]) => Array<string>(count).fill(id));
  }

  #takeUnnamed(): boolean {
    if (this.#unnamed === 0) return false;
    this.#unnamed -= 1;
    return true;
  }
}
