import { expect } from 'vitest';
import type { Checkout } from '../checkouts/state-machine.js';
import type { AttemptRequest } from '../checkouts/attempt-repository.js';
import type { AttemptDecision } from '../checkouts/checkout-transactions.js';
import type { CheckoutRules } from '../checkouts/rules.js';
import { setCounter } from '../store/database.js';
import type { OpenStore, StoreUnderTest, TestStore } from './test-store.js';
import type { EventClaim } from '../outbox/repository.js';
import { StoreHarness, TEST_REQUEST, TEST_RULES } from './store-harness.js';

export const SECOND_MS = 1000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** When each test of a store begins. */
export const START = Date.parse('2026-01-01T00:00:00.000Z');
/** Seconds from 2025-01-01 to that moment. */
export const FIRST_ORDER_ID = 365 * 86_400;

export const OTHER_PRICE = { orderVersion: 'version-2', amountMinor: 1299 };
export const CLAIM: EventClaim = {
  limit: 10,
  perMerchant: 10,
  leaseSeconds: 30,
};

/** An empty store with a clock of its own, and what a server does with it, for the store contract. */
export class StoreFixture {
  now = START;
  /** The store as it is open now: another object after it was opened again. */
  store!: TestStore;
  readonly #open: OpenStore;
  #underTest: StoreUnderTest | undefined;

  constructor(open: OpenStore) {
    this.#open = open;
  }

  /** Opens an empty store; its clock is set back. */
  async start(rules: Partial<CheckoutRules> = {}): Promise<void> {
    this.now = START;
    this.#underTest = await this.#open({
      clock: { now: () => this.now },
      rules: { ...TEST_RULES, ...rules },
    });
    this.store = this.#underTest.store;
    // A new store would draw it.
    await this.store.database.transaction('test:order-id-offset', (tx) =>
      setCounter(tx, 'order_id_offset', 0),
    );
  }

  get underTest(): StoreUnderTest {
    if (!this.#underTest) throw new Error('the store is not open');
    return this.#underTest;
  }

  readonly begin = (changes: Partial<AttemptRequest> = {}): Promise<AttemptDecision> =>
    this.store.beginAttempt({ ...TEST_REQUEST, ...changes });

  readonly beginSending = (changes: Partial<AttemptRequest> = {}) =>
    new StoreHarness(this.store).beginSending(changes);

  /** Opens an order as far as its session. */
  readonly activate = async (changes: Partial<AttemptRequest> = {}, sessionId = 'session-1') => {
    const sent = await this.beginSending(changes);
    expect(await this.store.activateSession(sent.attempt.orderId, sessionId)).toBe(true);
    return sent;
  };

  readonly pay = (...args: Parameters<StoreHarness['pay']>) =>
    new StoreHarness(this.store).pay(...args);

  readonly stateOf = async (checkout: string): Promise<Checkout> => {
    const found = await this.store.find(checkout);
    if (!found) throw new Error('no such checkout');
    return found;
  };

  /** What a shop is sent, and acknowledges, until nothing more is due. */
  readonly eventTypes = async (): Promise<string[]> => {
    const types: string[] = [];
    for (;;) {
      const events = await this.store.claimEvents(CLAIM);
      if (events.length === 0) return types;
      types.push(...events.map(({ type }) => type));
      await Promise.all(events.map(({ id }) => this.store.markDelivered(id)));
    }
  };
}
