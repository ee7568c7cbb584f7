/** The roastery's orders, in a SQLite file or in `:memory:`. */
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type Coffee, findCoffee } from './coffees.js';

export type OrderState = 'awaiting_payment' | 'paid' | 'refunded_in_part' | 'refunded';

export interface RoasteryOrder {
  readonly order: string;
  readonly coffee: Coffee;
  readonly state: OrderState;
}

export class RoasteryOrderStore {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: 5000 });
    this.#database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS orders (
        id TEXT PRIMARY KEY, sku TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'awaiting_payment'
      ) STRICT;`);
  }

  /** Its number cannot be guessed, and is all that it takes to see the order. */
  add({ sku }: Coffee): string {
    const order = `R-${randomBytes(9).toString('base64url')}`;
    this.#database.prepare('INSERT INTO orders (id, sku) VALUES (?, ?)').run(order, sku);
    return order;
  }

  find(order: string): RoasteryOrder | undefined {
    const row = this.#database.prepare('SELECT sku, state FROM orders WHERE id = ?').get(order);
    const coffee = findCoffee(row?.['sku']);
    return row && coffee && { order, coffee, state: row['state'] as OrderState };
  }

  setState(order: string, state: OrderState): void {
    this.#database.prepare('UPDATE orders SET state = ? WHERE id = ?').run(state, order);
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
