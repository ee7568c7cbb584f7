/** Where orders and the events about them live: SQLite, synced to disk before we answer. */
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { MerchantOrder, PayEvent } from '@pay-checkout/merchant';
import type { PricedBasket } from './catalogue.js';
import type { Address, Customer } from './order-request.js';
import {
  decideEffect,
  type EventEffect,
  type Order,
  type OrderState,
  type PlaygroundPart,
} from './order.js';

/** An order that is about to be stored. */
export interface NewOrder {
  readonly shopperKeyHash: string;
  readonly basket: PricedBasket;
  readonly currency: string;
  readonly customer: Customer;
  readonly address: Address;
  readonly createdAt: Date;
  readonly playground?: PlaygroundPart;
}

/** One line of an order's timeline. */
export interface TimelineEntry {
  readonly type: string;
  readonly effect: EventEffect;
  /** ISO 8601, by the sender's clock. */
  readonly at: string;
}

type Row = Record<string, SQLOutputValue>;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS orders (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    shopper_key_hash TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'awaiting_payment' CHECK (state IN ('awaiting_payment', 'paid')),
    basket TEXT NOT NULL,
    currency TEXT NOT NULL,
    customer TEXT NOT NULL,
    address TEXT NOT NULL,
    created_at TEXT NOT NULL,
    paid_at TEXT,
    refund TEXT NOT NULL DEFAULT 'none',
    attention TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE TABLE IF NOT EXISTS playground_orders (
    number INTEGER PRIMARY KEY REFERENCES orders (number),
    merchant TEXT NOT NULL,
    asks_address INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS timeline (
    id TEXT PRIMARY KEY,
    number INTEGER NOT NULL REFERENCES orders (number),
    type TEXT NOT NULL,
    effect TEXT NOT NULL,
    occurred_at TEXT NOT NULL,
    known_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS timeline_by_order ON timeline (number, known_at);
`;

const SELECT_ORDER = `SELECT orders.*, playground_orders.merchant, playground_orders.asks_address
  FROM orders LEFT JOIN playground_orders USING (number)`;

/** The first order is 1001. */
const NUMBERS_START_AFTER = 1000;

/** Orders and events in one SQLite file, or in memory for `:memory:`. */
export class OrderStore {
  readonly #database: DatabaseSync;

  readonly #prefix: string;

  /** @param prefix of its orders' numbers, a capital letter */
  constructor(file: string, prefix: string) {
    this.#prefix = prefix;
    this.#database = new DatabaseSync(file, { timeout: 5000, enableForeignKeyConstraints: true });
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    this.#database.exec(SCHEMA);
    this.#database.exec(
      `INSERT INTO sqlite_sequence (name, seq) SELECT 'orders', ${NUMBERS_START_AFTER}
       WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'orders')`,
    );
  }

  /** Stores an order and gives it its number. */
  addOrder(order: NewOrder): Order {
    const name = this.#atOnce(() => this.#insertOrder(order));
    const stored = this.findOrder(name);
    if (stored === undefined) throw new Error('The order was not stored.');
    return stored;
  }

  /** The order with this number, whichever browser placed it. */
  findOrder(order: string): Order | undefined {
    const number = this.#parseNumber(order);
    if (number === undefined) return undefined;
    const row = this.#database.prepare(`${SELECT_ORDER} WHERE number = ?`).get(number);
    return row === undefined ? undefined : this.#toOrder(row);
  }

  /** The order with this number if this shopper placed it. */
  findShopperOrder(order: string, shopperKeyHash: string): Order | undefined {
    const number = this.#parseNumber(order);
    if (number === undefined) return undefined;
    const row = this.#database
      .prepare(`${SELECT_ORDER} WHERE number = ? AND shopper_key_hash = ?`)
      .get(number, shopperKeyHash);
    return row === undefined ? undefined : this.#toOrder(row);
  }

  /**
   * Stores an event and, in the same transaction, does to the order what the session server now knows of
   * it. An event that we have, or knowledge that is older than ours, changes nothing.
   */
  recordEvent(known: MerchantOrder, event: PayEvent): void {
    this.#atOnce(() => this.#applyEvent(known, event));
  }

  /** What happened to an order since it was placed, oldest first. */
  listTimeline(order: string): readonly TimelineEntry[] {
    return this.#database
      .prepare('SELECT type, effect, occurred_at FROM timeline WHERE number = ? ORDER BY rowid')
      .all(this.#parseNumber(order) ?? 0)
      .map((row) => ({
        type: String(row['type']),
        effect: row['effect'] as EventEffect,
        at: String(row['occurred_at']),
      }));
  }

  /** Closes the file; may be called twice. */
  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  /** Runs `work` in one transaction: all of it is stored, or nothing. */
  #atOnce<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #insertOrder(order: NewOrder): string {
    const { lastInsertRowid } = this.#database
      .prepare(
        `INSERT INTO orders (shopper_key_hash, basket, currency, customer, address, created_at)
         VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(
        order.shopperKeyHash,
        JSON.stringify(order.basket),
        order.currency,
        JSON.stringify(order.customer),
        JSON.stringify(order.address),
        order.createdAt.toISOString(),
      );
    if (order.playground !== undefined) {
      const { merchant, asksAddress } = order.playground;
      this.#database
        .prepare('INSERT INTO playground_orders (number, merchant, asks_address) VALUES (?, ?, ?)')
        .run(lastInsertRowid, merchant, Number(asksAddress));
    }
    return `${this.#prefix}${lastInsertRowid}`;
  }

  #applyEvent(known: MerchantOrder, { id, type, timestamp }: PayEvent): void {
    if (this.#database.prepare('SELECT 1 FROM timeline WHERE id = ?').get(id)) return;
    const order = this.findOrder(known.order);
    const number = this.#parseNumber(known.order);
    if (order === undefined || number === undefined) throw new Error('There is no such order.');
    const isStale =
      this.#database
        .prepare('SELECT 1 FROM timeline WHERE number = ? AND known_at > ?')
        .get(number, known.updatedAt) !== undefined;
    const effect = isStale ? 'stale' : decideEffect(order, known);
    this.#database
      .prepare(
        `INSERT INTO timeline (id, number, type, effect, occurred_at, known_at)
         VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(id, number, type, effect, timestamp, known.updatedAt);
    if (isStale) return;
    this.#database
      .prepare('UPDATE orders SET refund = ?, attention = ? WHERE number = ?')
      .run(known.refund, JSON.stringify(known.attention), number);
    if (effect === 'paid') {
      this.#database
        .prepare(`UPDATE orders SET state = 'paid', paid_at = ? WHERE number = ?`)
        .run(timestamp, number);
    }
  }

  #parseNumber(order: string): number | undefined {
    const digits = order.startsWith(this.#prefix) ? order.slice(this.#prefix.length) : '';
    return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
  }

  #toOrder(row: Row): Order {
    return {
      order: this.#prefix + String(row['number']),
      state: row['state'] as OrderState,
      basket: JSON.parse(String(row['basket'])) as PricedBasket,
      currency: String(row['currency']),
      customer: JSON.parse(String(row['customer'])) as Customer,
      address: JSON.parse(String(row['address'])) as Address,
      createdAt: String(row['created_at']),
      ...(typeof row['paid_at'] === 'string' && { paidAt: row['paid_at'] }),
      refund: row['refund'] as Order['refund'],
      attention: JSON.parse(String(row['attention'])) as string[],
      ...(typeof row['merchant'] === 'string' && {
        playground: { merchant: row['merchant'], asksAddress: row['asks_address'] === 1 },
      }),
    };
  }
}
