import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  advance,
  type Checkout,
  type CheckoutFact,
  eventsBetween,
} from '../checkouts/state-machine.js';
import type { Change, StoreRules } from '../checkouts/repository.js';
import type { Observer } from '../observer.js';
import { renderEvent } from '../outbox/event.js';
import type { SqliteConnection } from './sqlite-connection.js';
import { fromCheckout, toCheckout } from './rows.js';

/** Checkouts at least that are remembered, about 1 KB each. */
const RECENT = 5_000;

/** Checkouts, and the events that their changes cause. Its writes run inside the caller's step. */
export class CheckoutTable {
  readonly #connection: SqliteConnection;
  readonly #rules: StoreRules;
  readonly #recent = new LRUCache<string, Checkout>({ max: RECENT });
  readonly #observer: Pick<Observer, 'checkoutChanged'>;

  constructor(
    connection: SqliteConnection,
    rules: StoreRules,
    observer: Pick<Observer, 'checkoutChanged'>,
  ) {
    this.#connection = connection;
    this.#rules = rules;
    this.#observer = observer;
  }

  /**
   * A checkout as it is on the disk, for readers outside of any step; the ones read lately are
   * remembered. Only a process that alone writes to the file may: it sees every change.
   */
  findCommitted(id: string): Checkout | undefined {
    const known = this.#recent.get(id);
    if (known) return known;
    const checkout = this.find(id);
    if (checkout && this.#connection.isOnlyWriter) this.#recent.set(id, checkout);
    return checkout;
  }

  /** Many rows are about to change at once. */
  forgetRecent(): void {
    this.#recent.clear();
  }

  find(id: string): Checkout | undefined {
    const row = this.#connection.get('SELECT * FROM checkouts WHERE id = :id', { id });
    return row && toCheckout(row);
  }

  /** The checkout that a row of ours refers to. */
  get(id: string): Checkout {
    const checkout = this.find(id);
    if (!checkout) throw new Error('no such checkout');
    return checkout;
  }

  findOrder(merchant: string, order: string): Checkout[] {
    // Most are asked for before there is any: a sorter would cost more than the look.
    return this.#connection
      .all('SELECT rowid, * FROM checkouts WHERE merchant = :merchant AND order_name = :order', {
        merchant,
        order,
      })
      .sort(
        (one, other) =>
          Number(one['created_at']) - Number(other['created_at']) ||
          Number(one['rowid']) - Number(other['rowid']),
      )
      .map(toCheckout);
  }

  findDue(now: number, limit: number): Checkout[] {
    return this.#connection
      .all('SELECT * FROM checkouts WHERE due_at <= :now ORDER BY due_at LIMIT :limit', {
        now,
        limit,
      })
      .map(toCheckout);
  }

  insert(checkout: Checkout): void {
    this.#connection.insert('checkouts', fromCheckout(checkout));
    this.#tell(undefined, checkout);
  }

  apply(before: Checkout, facts: readonly CheckoutFact[], now: number): Change {
    const moved = facts.reduce((state, fact) => advance(state, fact, now, this.#rules), before);
    if (moved === before) return { before, after: before };
    const events = eventsBetween(before, moved);
    const after = { ...moved, sequence: before.sequence + events.length };
    this.#update(after);
    events.forEach((type, index) => {
      const sequence = before.sequence + index + 1;
      this.#connection.insert('events', {
        id: `msg_${randomUUID()}`,
        checkout: after.id,
        merchant: after.merchant,
        type,
        sequence,
        body: renderEvent(after, type, sequence, now),
        status: 'pending',
        tries: 0,
        due_at: now,
        created_at: now,
      });
    });
    this.#tell(before, after);
    return { before, after };
  }

  #tell(before: Checkout | undefined, after: Checkout): void {
    this.#connection.afterCommit(() => {
      this.#observer.checkoutChanged(before, after);
    });
  }

  #update(checkout: Checkout): void {
    // Also when the step is undone after all: then it is read again.
    this.#recent.delete(checkout.id);
    const columns = fromCheckout(checkout);
    const changes = Object.keys(columns)
      .filter((column) => column !== 'id')
      .map((column) => `${column} = :${column}`);
    this.#connection.run(`UPDATE checkouts SET ${changes.join(', ')} WHERE id = :id`, columns);
  }
}
