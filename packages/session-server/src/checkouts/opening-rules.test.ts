import { describe, expect, it } from 'vitest';
import { testAttempt, testCheckout } from '../testing/test-checkout.js';
import { type OrderHistory, planCheckout } from './opening-rules.js';

const HOUR_MS = 3_600_000;
const RULES = { renewalsPerHour: 3, settleWindowSeconds: 300 };
const ASK = { orderVersion: 'version-1' };
const EMPTY: OrderHistory = { checkouts: [], active: undefined, recentRenewals: [] };
const OTHER_PRICE = testCheckout({ id: 'checkout-2', orderVersion: 'version-2' });

function plan(
  history: Partial<OrderHistory>,
  ask: typeof ASK & { renew?: string; pricedAfter?: number } = ASK,
  now = 0,
) {
  return planCheckout({ ...EMPTY, ...history }, ask, now, RULES);
}

describe('creating a checkout of an order', () => {
  it('sends when nothing is known of it', () => {
    const sent = { kind: 'send', checkout: undefined, retire: undefined, isRenewal: false };
    expect(plan({})).toEqual(sent);
  });

  it('sends again for the same checkout when every attempt before has ended', () => {
    const checkout = testCheckout({ state: 'expired' });
    expect(plan({ checkouts: [checkout] })).toMatchObject({ kind: 'send', checkout });
  });

  it('shows the session that is active, whatever an uncertain state says', () => {
    for (const state of ['open', 'cancelled', 'left', 'expired'] as const) {
      const checkout = testCheckout({ state });
      const attempt = testAttempt();
      expect(plan({ checkouts: [checkout], active: attempt })).toEqual({
        kind: 'existing',
        checkout,
        attempt,
      });
    }
  });

  it('takes a new session after a failure, and the old one gives way', () => {
    const history = { checkouts: [testCheckout({ state: 'failed' })], active: testAttempt() };
    const retire = { orderId: 700, to: 'superseded' };
    expect(plan(history)).toMatchObject({ kind: 'send', retire, isRenewal: false });
  });

  it('waits while another request is at the provider, for any price', () => {
    const checkouts = [testCheckout(), OTHER_PRICE];
    const active = testAttempt({ status: 'sending', sessionId: undefined });
    for (const orderVersion of ['version-1', 'version-2', 'version-3']) {
      const planned = plan({ checkouts, active }, { orderVersion }, 14_999);
      expect(planned).toMatchObject({ kind: 'wait', checkout: { id: 'checkout-1' } });
    }
  });

  it('takes over when the lease of the sender has run out', () => {
    const active = testAttempt({ status: 'sending', sessionId: undefined });
    expect(plan({ checkouts: [testCheckout()], active }, ASK, 15_000)).toMatchObject({
      kind: 'send',
      checkout: { id: 'checkout-1' },
      retire: { orderId: 700, to: 'unknown' },
    });
  });

  it('supersedes the session of an older price', () => {
    const history = { checkouts: [testCheckout()], active: testAttempt() };
    expect(plan(history, { orderVersion: 'version-2' })).toEqual({
      kind: 'send',
      checkout: undefined,
      retire: { orderId: 700, to: 'superseded' },
      isRenewal: false,
    });
  });

  it('opens nothing once any version is paid, and says when the price differs', () => {
    const paid = testCheckout({ state: 'paid' });
    const history = { checkouts: [paid, OTHER_PRICE], active: testAttempt() };
    const same = { kind: 'settled', checkout: paid, priceChanged: false };
    expect(plan(history)).toEqual(same);
    expect(plan(history, { orderVersion: 'version-2' })).toEqual({ ...same, priceChanged: true });
  });

  it.each(['returned', 'unconfirmed'] as const)(
    'opens nothing while another version is %s: money may be moving',
    (state) => {
      const moving = testCheckout({ state });
      const history = { checkouts: [moving, OTHER_PRICE], active: testAttempt() };
      const planned = plan(history, { orderVersion: 'version-2', renew: 'session-1' });
      expect(planned).toEqual({ kind: 'settled', checkout: moving, priceChanged: false });
    },
  );
});

describe('creating a checkout of an order at a price', () => {
  const history = { checkouts: [testCheckout()], active: testAttempt({ activeSince: 5000 }) };
  const ask = (pricedAfter: number) => ({ orderVersion: 'version-2', pricedAfter });

  it('that was asked for before it was opened at another one asks for the price again', () => {
    expect(plan(history, ask(4999))).toEqual({ kind: 'price-is-old' });
    expect(plan(history, { ...ask(4999), orderVersion: 'version-1' })).toMatchObject({
      kind: 'existing',
    });
  });

  it('that was asked for after it takes its place', () => {
    expect(plan(history, ask(5000))).toMatchObject({
      kind: 'send',
      retire: { orderId: 700, to: 'superseded' },
    });
  });
});

describe('creating a checkout of an order whose session was reported as failed', () => {
  const active = testAttempt({ failureReportedAt: 1000 });
  const history = { checkouts: [testCheckout()], active };

  it.each([
    ['renewed', { ...ASK, renew: 'session-1' }],
    ['opened at another price', { orderVersion: 'version-2' }],
  ])('is not %s before the list was read', (_, ask) => {
    expect(plan(history, ask, 999_999)).toMatchObject({ kind: 'payment-pending' });
  });

  it('shows the same session in the meantime', () => {
    expect(plan(history, ASK, 999_999)).toMatchObject({ kind: 'existing' });
  });
});

describe('creating a checkout of an order in which a payment was submitted', () => {
  const checkout = testCheckout({ submittedAt: 1000 });
  const attempt = testAttempt();
  const history = { checkouts: [checkout], active: attempt };

  it.each([
    ['open', ASK],
    ['at another price', { orderVersion: 'version-2' }],
  ])('answers with its checkout when it is asked for %s, however late', (_, ask) => {
    expect(plan(history, ask, 999_999)).toEqual({ kind: 'submitted', checkout, attempt });
  });

  it('gives no session when its own was refused', () => {
    const ask = { ...ASK, renew: 'session-1' };
    expect(plan(history, ask)).toEqual({ kind: 'submitted', checkout, attempt: undefined });
  });

  it('gives no session of another price', () => {
    const checkouts = [checkout, OTHER_PRICE];
    const active = testAttempt({ checkout: OTHER_PRICE.id, sessionId: 'session-2' });
    expect(plan({ checkouts, active }, { orderVersion: 'version-2' })).toEqual({
      kind: 'submitted',
      checkout,
      attempt: undefined,
    });
  });
});

describe('renewing a session', () => {
  const history = { checkouts: [testCheckout()], active: testAttempt() };
  const renew = { ...ASK, renew: 'session-1' };

  it('supersedes the one that the SDK refused', () => {
    expect(plan(history, renew)).toMatchObject({
      kind: 'send',
      retire: { orderId: 700, to: 'superseded' },
      isRenewal: true,
    });
  });

  it('answers with the newest session when an older one is named', () => {
    expect(plan(history, { ...ASK, renew: 'session-0' })).toMatchObject({ kind: 'existing' });
  });

  it('is refused after three in an hour, and says when it helps to ask again', () => {
    const recentRenewals = [1000, 2000, 3000];
    expect(plan({ ...history, recentRenewals: [1000, 2000] }, renew)).toMatchObject({
      kind: 'send',
    });
    expect(plan({ ...history, recentRenewals }, renew, 61_000)).toEqual({
      kind: 'too-many-renewals',
      retryAfterSeconds: (HOUR_MS - 60_000) / 1000,
    });
    expect(plan({ ...history, recentRenewals }, renew, 1000 + HOUR_MS)).toMatchObject({
      retryAfterSeconds: 1,
    });
  });
});
