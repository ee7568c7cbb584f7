import type { Checkout } from '../checkouts/state-machine.js';
import type { StoredAttempt } from '../checkouts/attempt-repository.js';
import { AT_PROVIDER } from './store-harness.js';

/** A checkout as it is right after it was created at time 0, but for what a test changes. */
export function testCheckout(changes: Partial<Checkout> = {}): Checkout {
  return {
    id: 'checkout-1',
    merchant: 'teashop',
    order: 'A1001',
    orderVersion: 'version-1',
    amountMinor: 999,
    currency: 'GBP',
    decimals: 2,
    state: 'open',
    revision: 1,
    sequence: 0,
    refund: 'none',
    refundedMinor: 0,
    attention: [],
    createdAt: 0,
    expiresAt: 3_600_000,
    isErased: false,
    ...changes,
  };
}

/** An attempt of that checkout, active, with a lease of 15 seconds. */
export function testAttempt(changes: Partial<StoredAttempt> = {}): StoredAttempt {
  return {
    orderId: 700,
    merchantReference: 'A1001.700',
    checkout: 'checkout-1',
    merchant: 'teashop',
    order: 'A1001',
    ...AT_PROVIDER,
    status: 'active',
    isActive: true,
    isRenewal: false,
    sessionId: 'session-1',
    createdAt: 0,
    activeSince: 0,
    leaseUntil: 15_000,
    ...changes,
  };
}
