import type { AttemptRequest } from '../checkouts/attempt-repository.js';
import type { AttemptDecision } from '../checkouts/checkout-transactions.js';
import type { CheckoutRules } from '../checkouts/rules.js';
import { DEFAULT_ACCOUNT } from '../merchants/merchant.js';
import type { ProviderMerchant } from '../provider/gateway.js';
import type { PaymentEvidence } from '../reconciliation/payment-rules.js';
import type { TestStore } from './test-store.js';

/** The limits of a store in tests. */
export const TEST_RULES: CheckoutRules = {
  expireAfterSeconds: 3600,
  settleWindowSeconds: 300,
  sendLeaseSeconds: 15,
  renewalsPerHour: 3,
  watchSeconds: 14 * 86_400,
  refundWatchSeconds: 90 * 86_400,
  maxOrderId: 2 ** 31 - 1,
};

/** The merchant at the provider that most tests have. */
export const AT_PROVIDER: ProviderMerchant = { account: DEFAULT_ACCOUNT, providerMerchantId: 1001 };

/** A request for an order that has no checkout yet. */
export const TEST_REQUEST: AttemptRequest = {
  merchant: 'teashop',
  order: 'A1001',
  orderVersion: 'version-1',
  amountMinor: 999,
  currency: 'GBP',
  decimals: 2,
  ...AT_PROVIDER,
};

/** A payment of the price of {@link TEST_REQUEST}. */
export function testEvidence(changes: Partial<PaymentEvidence> = {}): PaymentEvidence {
  return {
    transaction: 'tx-1',
    orderId: 700,
    status: 'SUCCESS',
    isRefundRow: false,
    provesPrice: true,
    amount: '9.99',
    takenMinor: 999,
    refundedMinor: 0,
    currency: 'GBP',
    transactionTime: '2026-01-01T00:01:00.000Z',
    ...changes,
  };
}

/** Leads a store to where a test begins. */
export class StoreHarness {
  readonly #store: TestStore;

  constructor(store: TestStore) {
    this.#store = store;
  }

  /** Opens an order as far as the request to the provider. */
  async beginSending(
    changes: Partial<AttemptRequest> = {},
  ): Promise<Extract<AttemptDecision, { kind: 'send' }>> {
    const decision = await this.#store.beginAttempt({ ...TEST_REQUEST, ...changes });
    if (decision.kind !== 'send') throw new Error(`expected send, not ${decision.kind}`);
    return decision;
  }

  /** Opens an order as far as its session. */
  async activate(
    changes: Partial<AttemptRequest> = {},
  ): Promise<Extract<AttemptDecision, { kind: 'send' }>> {
    const decision = await this.beginSending(changes);
    const { orderId } = decision.attempt;
    await this.#store.activateSession(orderId, `session-${String(orderId)}`);
    return decision;
  }

  /** Records a payment of 9.99; the first change is that of its own checkout. */
  pay(orderId: number, changes: Partial<PaymentEvidence> = {}) {
    return this.#store.recordPayment(testEvidence({ orderId, ...changes }));
  }
}
