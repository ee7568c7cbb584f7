import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { checkoutNotFound } from '../errors.js';
import type { CheckoutStatus, CheckoutStatusReply } from '../contract.js';
import type { PaymentHints } from './service.js';
import type { ChangeFeed } from './change-feed.js';
import { type Checkout, isCertain, isPaymentPending, isSubmitted } from './state-machine.js';
import type { Database, Reader } from '../store/database.js';
import { findCheckouts, findRevisions } from './repository.js';

/** Waiters that one checkout may have at a time; more are answered at once. */
const MAX_WAITERS = 4;
/** How long rejected waiters should pause before they ask again. */
const RETRY_AFTER_SECONDS = 5;
/** How often the store is polled for changes by other servers while anyone waits. */
const LOOK_MS = 300;
/** Checkouts that one query asks for. */
const MAX_IN_QUERY = 10_000;

export interface StatusQuestion {
  readonly checkout: string;
  /** The revision that the asker has. */
  readonly revision: number;
}

interface Query {
  readonly ids: Set<string>;
  readonly found: Promise<ReadonlyMap<string, Checkout>>;
}

/** Answers what state checkouts are in, and waits for one to move. */
export class StatusService {
  readonly #database: Pick<Database, keyof Reader | 'isShared'>;
  readonly #changes: ChangeFeed;
  readonly #reconciliation: PaymentHints;
  /** How many wait for each checkout, and the newest revision that they were shown. */
  readonly #waiters = new Map<string, { count: number; revision: number }>();
  /** What is asked for in this turn of the event loop: one query answers all of it. */
  #next: Query | undefined;
  #isLooking = false;

  constructor(options: {
    readonly database: Pick<Database, keyof Reader | 'isShared'>;
    readonly changes: ChangeFeed;
    readonly reconciliation: PaymentHints;
  }) {
    this.#database = options.database;
    this.#changes = options.changes;
    this.#reconciliation = options.reconciliation;
  }

  /**
   * Answers as soon as a revision is newer than the asker's, at the latest after `waitSeconds`.
   *
   * @param whenGone asked only when there is something to wait for
   * @throws {AppError} 404 `checkout_not_found` when none of the checkouts is known
   */
  async ask(
    questions: readonly StatusQuestion[],
    waitSeconds: number,
    whenGone: () => AbortSignal,
  ): Promise<CheckoutStatusReply> {
    const ids = [...new Set(questions.map(({ checkout }) => checkout))];
    const until = performance.now() + waitSeconds * 1000;
    const isWaiting = waitSeconds > 0;
    const first = await this.#read(ids, isWaiting);
    let known = first;
    const left = (): number => until - performance.now();
    if (hasMoved(known, questions) || left() <= 0) return { checkouts: known.map(toStatus) };
    if (!this.#enter(first)) {
      return { checkouts: known.map(toStatus), retryAfterSeconds: RETRY_AFTER_SECONDS };
    }
    try {
      const signal = whenGone();
      for (let ms = left(); ms > 0 && !hasMoved(known, questions) && !signal.aborted; ms = left()) {
        await this.#changes.wait(ids, ms, signal);
        known = await this.#read(ids, isWaiting);
      }
      return { checkouts: known.map(toStatus) };
    } finally {
      this.#leave(first);
    }
  }

  /**
   * Looks for changes by other servers as long as anyone waits: one query for all, since a pooler in
   * transaction mode can pass on no notification.
   */
  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#waiters.size > 0) {
      await sleep(LOOK_MS);
      const ids = [...this.#waiters.keys()];
      for (let from = 0; from < ids.length; from += MAX_IN_QUERY) {
        // The next request reports a store that fails; waiters keep waiting.
        const moved = await this.#findMoved(ids.slice(from, from + MAX_IN_QUERY)).catch(() => []);
        for (const id of moved) this.#changes.notify(id);
      }
    }
    this.#isLooking = false;
  }

  async #findMoved(ids: readonly string[]): Promise<string[]> {
    const revisions = await findRevisions(this.#database, ids);
    return [...revisions].flatMap(([id, revision]) => {
      const waiters = this.#waiters.get(id);
      if (!waiters || waiters.revision >= revision) return [];
      waiters.revision = revision;
      return [id];
    });
  }

  /** A payment of a waiting shopper may be pending, with an SDK that reports nothing. */
  async #read(ids: readonly string[], isWaiting: boolean): Promise<Checkout[]> {
    const found = await this.#find(ids);
    const known = ids.flatMap((id) => found.get(id) ?? []);
    if (known.length === 0) throw checkoutNotFound();
    for (const checkout of known) {
      if (isWaiting ? checkout.state !== 'paid' : isPaymentPending(checkout)) {
        this.#reconciliation.ask(checkout);
      }
    }
    return known;
  }

  #find(ids: readonly string[]): Promise<ReadonlyMap<string, Checkout>> {
    const isFull = (this.#next?.ids.size ?? 0) + ids.length > MAX_IN_QUERY;
    const next = isFull || !this.#next ? this.#collect() : this.#next;
    for (const id of ids) next.ids.add(id);
    return next.found;
  }

  #collect(): Query {
    const ids = new Set<string>();
    const find = async () => {
      await nextTurn();
      if (this.#next === next) this.#next = undefined;
      const found = await findCheckouts(this.#database, [...ids]);
      return new Map(found.map((checkout) => [checkout.id, checkout]));
    };
    const next: Query = { ids, found: find() };
    this.#next = next;
    return next;
  }

  #enter(checkouts: readonly Checkout[]): boolean {
    if (checkouts.some(({ id }) => (this.#waiters.get(id)?.count ?? 0) >= MAX_WAITERS))
      return false;
    for (const { id, revision } of checkouts) {
      const others = this.#waiters.get(id) ?? { count: 0, revision };
      this.#waiters.set(id, {
        count: others.count + 1,
        revision: Math.min(others.revision, revision),
      });
    }
    if (this.#database.isShared && !this.#isLooking) void this.#look();
    return true;
  }

  #leave(checkouts: readonly Checkout[]): void {
    for (const { id } of checkouts) {
      const waiters = this.#waiters.get(id);
      if (waiters && waiters.count > 1) waiters.count -= 1;
      else this.#waiters.delete(id);
    }
  }
}

function hasMoved(known: readonly Checkout[], questions: readonly StatusQuestion[]): boolean {
  return known.some((checkout) =>
    questions.some(
      ({ checkout: id, revision }) => id === checkout.id && checkout.revision > revision,
    ),
  );
}

/** State, flags, merchant and order only: an id may have been shared. */
export function toStatus(checkout: Checkout): CheckoutStatus {
  const { supersededBy } = checkout;
  return {
    checkout: checkout.id,
    merchant: checkout.merchant,
    order: checkout.order,
    state: checkout.state,
    certain: isCertain(checkout.state),
    revision: checkout.revision,
    refund: checkout.refund,
    ...(isSubmitted(checkout) && { submitted: true }),
    ...(supersededBy !== undefined && { supersededBy }),
  };
}
