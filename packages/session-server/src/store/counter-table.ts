import type { SqliteConnection } from './sqlite-connection.js';

/** Whole numbers by name. Its writes run inside the caller's step. */
export class CounterTable {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  get(name: string): number | undefined {
    const row = this.#connection.get('SELECT value FROM counters WHERE name = :name', { name });
    return row && Number(row['value']);
  }

  set(name: string, value: number): void {
    this.#connection.run(
      `INSERT INTO counters (name, value) VALUES (:name, :value)
       ON CONFLICT (name) DO UPDATE SET value = :value`,
      { name, value },
    );
  }
}
