/** Where orders and the events about them live: SQLite, synced to disk before we answer. */
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { PricedBasket } from './catalogue.js';
import type { Address, Customer } from './order-request.js';
import {
  type CheckoutEvent,
  checkoutEventSchema,
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

/** A signed event that is about to be stored. */
export interface NewEvent {
  /** `webhook-id`: one event keeps one id however often it is delivered. */
  readonly id: string;
  readonly event: CheckoutEvent;
  readonly text: string;
  readonly receivedAt: Date;
}

/** One line of an order's timeline. */
export interface TimelineEntry {
  readonly type: string;
  readonly effect: EventEffect;
  /** ISO 8601, by the sender's clock. */
  readonly at: string;
}

/** What storing an event did; `duplicate` is an event that we already have. */
export type StoredEffect = EventEffect | 'duplicate' | 'unknown_order';

type Row = Record<string, SQLOutputValue>;

/** How much was given back, the most first. */
const REFUNDS = ['full', 'partial', 'none'] as const;

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
  CREATE TABLE IF NOT EXISTS events (
    id TEXT PRIMARY KEY,
    number INTEGER NOT NULL REFERENCES orders (number),
    checkout TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    type TEXT NOT NULL,
    effect TEXT NOT NULL,
    occurred_at TEXT NOT NULL,
    received_at TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS events_by_order ON events (number, checkout, sequence);
`;

const SELECT_ORDER = `SELECT orders.*, playground_orders.merchant, playground_orders.asks_address
  FROM orders LEFT JOIN playground_orders USING (number)`;

/** The first order is A1001. */
const NUMBERS_START_AFTER = 1000;

/** Orders and events in one SQLite file, or in memory for `:memory:`. */
export class OrderStore {
  readonly #database: DatabaseSync;

  constructor(file: string) {
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
    const number = parseOrderNumber(order);
    if (number === undefined) return undefined;
    const row = this.#database.prepare(`${SELECT_ORDER} WHERE number = ?`).get(number);
    return row === undefined ? undefined : toOrder(row);
  }

  /** The order with this number if this shopper placed it. */
  findShopperOrder(order: string, shopperKeyHash: string): Order | undefined {
    const number = parseOrderNumber(order);
    if (number === undefined) return undefined;
    const row = this.#database
      .prepare(`${SELECT_ORDER} WHERE number = ? AND shopper_key_hash = ?`)
      .get(number, shopperKeyHash);
    return row === undefined ? undefined : toOrder(row);
  }

  /** Stores a signed event and, in the same transaction, does to the order what it means. */
  addEvent(delivery: NewEvent): StoredEffect {
    return this.#atOnce(() => this.#applyEvent(delivery));
  }

  /** What happened to an order since it was placed, oldest first. */
  listTimeline(order: string): readonly TimelineEntry[] {
    return this.#database
      .prepare('SELECT type, effect, occurred_at FROM events WHERE number = ? ORDER BY rowid')
      .all(parseOrderNumber(order) ?? 0)
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
    return `A${lastInsertRowid}`;
  }

  #applyEvent({ id, event, text, receivedAt }: NewEvent): StoredEffect {
    if (this.#database.prepare('SELECT 1 FROM events WHERE id = ?').get(id)) return 'duplicate';
    const order = this.findOrder(event.data.order);
    const number = parseOrderNumber(event.data.order);
    if (order === undefined || number === undefined) return 'unknown_order';

    const lastSequence = this.#findLastSequence(number, event.data.checkout);
    const effect = decideEffect(order, event, lastSequence);
    this.#database
      .prepare(
        `INSERT INTO events
           (id, number, checkout, sequence, type, effect, occurred_at, received_at, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        id,
        number,
        event.data.checkout,
        event.data.sequence,
        event.type,
        effect,
        event.timestamp,
        receivedAt.toISOString(),
        text,
      );
    if (effect === 'paid') {
      this.#database
        .prepare(`UPDATE orders SET state = 'paid', paid_at = ? WHERE number = ?`)
        .run(event.timestamp, number);
    }
    this.#summarize(number);
    return effect;
  }

  /** What one checkout of an order says takes nothing from another: the newest news of each count. */
  #summarize(number: number): void {
    const newest = this.#database
      .prepare(
        `SELECT body FROM events WHERE number = :number AND (checkout, sequence) IN
           (SELECT checkout, MAX(sequence) FROM events WHERE number = :number GROUP BY checkout)
           AND effect <> 'stale'`,
      )
      .all({ number })
      .map(({ body }) => checkoutEventSchema.parse(JSON.parse(String(body))).data);
    const refunds = newest.map(({ refund }) => refund);
    const refund = REFUNDS.find((each) => refunds.includes(each)) ?? 'none';
    const attention = [...new Set(newest.flatMap(({ attention: codes }) => codes))];
    this.#database
      .prepare('UPDATE orders SET refund = ?, attention = ? WHERE number = ?')
      .run(refund, JSON.stringify(attention), number);
  }

  #findLastSequence(number: number, checkout: string): number | undefined {
    const row = this.#database
      .prepare('SELECT MAX(sequence) AS last FROM events WHERE number = ? AND checkout = ?')
      .get(number, checkout);
    return typeof row?.['last'] === 'number' ? row['last'] : undefined;
  }
}

function parseOrderNumber(order: string): number | undefined {
  const digits = /^A(\d{1,15})$/.exec(order)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function toOrder(row: Row): Order {
  return {
    order: `A${String(row['number'])}`,
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
