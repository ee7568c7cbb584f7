import type { DatabaseSync, StatementSync } from 'node:sqlite';

export type Value = string | number | null | Uint8Array;

/**
 * A statement with values by their names (`:name`). They go in by their places: by their names,
 * SQLite looks for each of them anew, which doubles what a short statement costs.
 */
export class NamedStatement {
  readonly #statement: StatementSync;
  /** In the order of their places; one that is used twice has two. */
  readonly #names: readonly string[];

  /** @param sql with no colon but those before names */
  constructor(database: DatabaseSync, sql: string) {
    const names: string[] = [];
    const placed = sql.replace(/:(\w+)/g, (_, name: string) => {
      names.push(name);
      return '?';
    });
    this.#statement = database.prepare(placed);
    this.#names = names;
  }

  get(values: Readonly<Record<string, Value>>): Record<string, unknown> | undefined {
    return this.#statement.get(...this.#inPlaces(values));
  }

  all(values: Readonly<Record<string, Value>>): Record<string, unknown>[] {
    return this.#statement.all(...this.#inPlaces(values));
  }

  /** Answers how many rows changed. */
  run(values: Readonly<Record<string, Value>>): number {
    return Number(this.#statement.run(...this.#inPlaces(values)).changes);
  }

  #inPlaces(values: Readonly<Record<string, Value>>): Value[] {
    const placed: Value[] = [];
    for (const name of this.#names) {
      const value = values[name];
      if (value === undefined) throw new TypeError(`a statement needs a value of :${name}`);
      placed.push(value);
    }
    return placed;
  }
}
