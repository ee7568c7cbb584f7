import { checkoutNotFound } from '../errors.js';
import type { CheckoutStatus, CheckoutStatusReply } from '../contract.js';
import type { PaymentHints } from './service.js';
import type { ChangeFeed } from './change-feed.js';
import { type Checkout, isCertain, isPaymentPending } from './state-machine.js';
import type { Reader } from '../store/database.js';
import { findCheckouts } from './repository.js';

/** Waiters that one checkout may have at a time; more are answered at once. */
const MAX_WAITERS = 4;
/** What the ones that were not let wait should pause. */
const RETRY_AFTER_SECONDS = 5;
/** How often a waiter reads the store without a notification, in case a replica made the change. */
const RECHECK_MS = 5000;

export interface StatusQuestion {
  readonly checkout: string;
  /** The revision that the asker has. */
  readonly revision: number;
}

/** Answers what state checkouts are in, and waits for one to move. */
export class StatusService {
  readonly #database: Reader;
  readonly #changes: ChangeFeed;
  readonly #reconciliation: PaymentHints;
  readonly #waiters = new Map<string, number>();

  constructor(options: {
    readonly database: Reader;
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
    let known = await this.#read(ids, isWaiting);
    const left = (): number => until - performance.now();
    if (hasMoved(known, questions) || left() <= 0) return { checkouts: known.map(toStatus) };
    if (!this.#enter(ids)) {
      return { checkouts: known.map(toStatus), retryAfterSeconds: RETRY_AFTER_SECONDS };
    }
    try {
      const signal = whenGone();
      for (let ms = left(); ms > 0 && !hasMoved(known, questions) && !signal.aborted; ms = left()) {
        await this.#changes.wait(ids, Math.min(ms, RECHECK_MS), signal);
        known = await this.#read(ids, isWaiting);
      }
      return { checkouts: known.map(toStatus) };
    } finally {
      this.#leave(ids);
    }
  }

  /** A payment of a waiting shopper may be pending, with an SDK that reports nothing. */
  async #read(ids: readonly string[], isWaiting: boolean): Promise<Checkout[]> {
    const known = await findCheckouts(this.#database, ids);
    if (known.length === 0) throw checkoutNotFound();
    for (const checkout of known) {
      if (isWaiting ? checkout.state !== 'paid' : isPaymentPending(checkout.state)) {
        const why = isWaiting ? 'waiter' : 'status request';
        this.#reconciliation.hint(checkout, why, { isAnonymous: true });
      }
    }
    return known;
  }

  #enter(ids: readonly string[]): boolean {
    if (ids.some((id) => (this.#waiters.get(id) ?? 0) >= MAX_WAITERS)) return false;
    for (const id of ids) this.#waiters.set(id, (this.#waiters.get(id) ?? 0) + 1);
    return true;
  }

  #leave(ids: readonly string[]): void {
    for (const id of ids) {
      const left = (this.#waiters.get(id) ?? 1) - 1;
      if (left > 0) this.#waiters.set(id, left);
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
  return {
    checkout: checkout.id,
    merchant: checkout.merchant,
    order: checkout.order,
    state: checkout.state,
    certain: isCertain(checkout.state),
    revision: checkout.revision,
    refund: checkout.refund,
  };
}
