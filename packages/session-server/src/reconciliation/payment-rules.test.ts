import { describe, expect, it } from 'vitest';
import { testCheckout } from '../testing/test-checkout.js';
import type { PaymentEvidence } from './repository.js';
import { type PaymentHistory, planPayment } from './payment-rules.js';

const OPEN: PaymentHistory = {
  checkout: testCheckout(),
  siblings: [],
  isSuperseded: false,
  known: undefined,
  paymentRow: undefined,
  refundedAt: undefined,
  refundedMinor: 0,
};
const PAID: PaymentHistory = {
  ...OPEN,
  checkout: testCheckout({ state: 'paid', paidBy: 'tx-1' }),
  paymentRow: 'tx-1',
};
const KNOWN = { checkout: 'checkout-1', isRefundRow: false };

function evidence(changes: Partial<PaymentEvidence> = {}): PaymentEvidence {
  return {
    transaction: 'tx-1',
    orderId: 700,
    status: 'SUCCESS',
    isRefundRow: false,
    amount: '9.99',
    currency: 'GBP',
    transactionTime: '2026-01-01T00:00:00.000Z',
    refund: 'none',
    ...changes,
  };
}

const PAYMENT = { type: 'payment-proved', transaction: 'tx-1' };
const FULL_REFUND = { type: 'refund-proved', refund: 'full' };

describe('a transaction that is new', () => {
  it('pays an unpaid checkout', () => {
    expect(planPayment(OPEN, evidence())).toEqual([PAYMENT]);
  });

  it('pays and refunds when it is given back before it was ever seen', () => {
    const row = evidence({ status: 'REFUNDED', isRefundRow: true, refund: 'full' });
    expect(planPayment(OPEN, row)).toEqual([PAYMENT, FULL_REFUND]);
  });

  it('asks for attention when another version of the order is paid already', () => {
    const siblings = [testCheckout({ id: 'checkout-0', state: 'paid' })];
    expect(planPayment({ ...OPEN, siblings }, evidence())).toEqual([
      PAYMENT,
      { type: 'attention-needed', code: 'paid_twice' },
    ]);
  });

  it('asks for attention when it pays an older price', () => {
    expect(planPayment({ ...OPEN, isSuperseded: true }, evidence())).toEqual([
      PAYMENT,
      { type: 'attention-needed', code: 'superseded_paid' },
    ]);
    const siblings = [testCheckout({ id: 'checkout-0' })];
    expect(planPayment({ ...OPEN, siblings }, evidence())).toEqual([PAYMENT]);
  });

  it('is a second payment of a paid checkout, and says nothing of the first one’s refund', () => {
    const second = evidence({ transaction: 'tx-2', refund: 'full' });
    expect(planPayment(PAID, second)).toEqual([{ type: 'payment-proved', transaction: 'tx-2' }]);
  });

  it('is a refund of a paid checkout when its row only says given back', () => {
    const refund = evidence({ transaction: 'tx-2', isRefundRow: true, refund: 'full' });
    expect(planPayment(PAID, refund)).toEqual([FULL_REFUND]);
  });

  const REFUND_SEEN = { ...PAID, paymentRow: undefined, refundedAt: Date.UTC(2026, 0, 1) };

  it('joins a refund row that was seen before it, once', () => {
    expect(planPayment(REFUND_SEEN, evidence({ transaction: 'tx-2' }))).toEqual([]);
    const joined = { ...REFUND_SEEN, paymentRow: 'tx-2' };
    expect(planPayment(joined, evidence({ transaction: 'tx-3' }))).toEqual([
      { type: 'payment-proved', transaction: 'tx-3' },
    ]);
  });

  it.each([
    ['2025-12-31T23:59:59.999Z', []],
    ['2026-01-01T00:00:00.000Z', []],
    ['2026-01-01T00:00:00.001Z', [{ type: 'payment-proved', transaction: 'tx-2' }]],
    ['yesterday', [{ type: 'payment-proved', transaction: 'tx-2' }]],
  ])('joins a refund of midnight only when it was paid before: %s', (transactionTime, facts) => {
    const payment = evidence({ transaction: 'tx-2', transactionTime });
    expect(planPayment(REFUND_SEEN, payment)).toEqual(facts);
  });

  it('joins no refund row where the merchant entry says so', () => {
    const payment = evidence({ transaction: 'tx-2', joinsRefundRow: false });
    expect(planPayment(REFUND_SEEN, payment)).toEqual([
      { type: 'payment-proved', transaction: 'tx-2' },
    ]);
  });
});

describe('a transaction that is known', () => {
  it('never serves another checkout', () => {
    const known = { ...KNOWN, checkout: 'checkout-9' };
    expect(planPayment({ ...OPEN, known }, evidence({ refund: 'full' }))).toBeUndefined();
    expect(planPayment({ ...PAID, known }, evidence())).toBeUndefined();
  });

  it('says nothing new, but for what was given back meanwhile', () => {
    const history = { ...PAID, known: KNOWN };
    expect(planPayment(history, evidence())).toEqual([]);
    expect(planPayment(history, evidence({ refund: 'full' }))).toEqual([FULL_REFUND]);
  });

  it('leaves the payment whole when it is a second payment that was given back', () => {
    const second = evidence({ transaction: 'tx-2', refund: 'full' });
    expect(planPayment({ ...PAID, known: KNOWN }, second)).toEqual([]);
  });

  it('speaks for the payment when it is its refund row, or joined it', () => {
    const refundRow = { ...PAID, known: { ...KNOWN, isRefundRow: true } };
    const again = evidence({ transaction: 'tx-2', isRefundRow: true, refund: 'full' });
    expect(planPayment(refundRow, again)).toEqual([FULL_REFUND]);
    const joined = { ...PAID, known: KNOWN, paymentRow: 'tx-2' };
    expect(planPayment(joined, evidence({ transaction: 'tx-2', refund: 'full' }))).toEqual([
      FULL_REFUND,
    ]);
  });
});
