import { LRUCache } from 'lru-cache';
import type { StoredToken } from '../checkouts/attempt-token.js';
import type { Checkout } from '../checkouts/state-machine.js';
import type { CheckoutStore } from '../checkouts/repository.js';
import type { ReturnKind } from '../contract.js';
import { crashPoint } from '../crash-points.js';
import { Limit } from '../http/limit.js';

/** Visits of one return address a minute that are written down, after its first one. */
const MAX_PER_MINUTE = 10;
/** Addresses at least of which it is remembered whose they are. */
const REMEMBERED = 5_000;

export interface ReturnVisit {
  readonly kind: ReturnKind;
  readonly checkout: Checkout;
  /** Whether it was written down; what was not is none to look for evidence after. */
  readonly isRecorded: boolean;
  readonly hasMoved: boolean;
}

/**
 * Visits of return addresses. One that is visited again and again is not written down each time, and
 * leads to the same page all the same. There is no limit by the visitor's address: the first visit
 * has to count, whoever else is behind that address, and whoever has paid is never shown an error.
 */
export class ReturnVisits {
  readonly #store: Pick<CheckoutStore, 'recordReturn' | 'find'>;
  readonly #visits = new Limit('return address', MAX_PER_MINUTE);
  readonly #known = new LRUCache<string, { readonly kind: ReturnKind; readonly checkout: string }>({
    max: REMEMBERED,
  });

  constructor(store: Pick<CheckoutStore, 'recordReturn' | 'find'>) {
    this.#store = store;
  }

  /** Takes a visit; undefined when the token is of no return address. */
  async take(token: StoredToken): Promise<ReturnVisit | undefined> {
    return (await this.#repeat(token)) ?? (await this.#record(token));
  }

  async #repeat({ hash }: StoredToken): Promise<ReturnVisit | undefined> {
    const known = this.#known.get(hash);
    if (!known || this.#visits.allows(hash)) return undefined;
    const checkout = await this.#store.find(known.checkout);
    return checkout && { kind: known.kind, checkout, isRecorded: false, hasMoved: false };
  }

  async #record(token: StoredToken): Promise<ReturnVisit | undefined> {
    const visit = await this.#store.recordReturn(token);
    crashPoint('return:recorded');
    if (!visit) return undefined;
    const { kind, change } = visit;
    this.#known.set(token.hash, { kind, checkout: change.after.id });
    const hasMoved = change.after !== change.before;
    return { kind, checkout: change.after, isRecorded: true, hasMoved };
  }
}
