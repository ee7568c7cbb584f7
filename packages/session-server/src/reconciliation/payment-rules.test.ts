import { describe, expect, it } from 'vitest';
import { testCheckout } from '../testing/test-checkout.js';
import { AT_PROVIDER, testEvidence } from '../testing/store-harness.js';
import {
  type MatchedRow,
  type PaymentEvidence,
  type PaymentHistory,
  planPayment,
} from './payment-rules.js';

const CHECKOUT = testCheckout();
const { account } = AT_PROVIDER;
const OPEN: PaymentHistory = {
  account,
  checkout: CHECKOUT,
  siblings: [],
  isSuperseded: false,
  known: undefined,
  rows: [],
};
const ROW: MatchedRow = { ...testEvidence(), account, checkout: CHECKOUT.id };
const PAID: PaymentHistory = {
  ...OPEN,
  checkout: testCheckout({ state: 'paid', paidBy: 'tx-1' }),
  rows: [ROW],
};

const PAYMENT = { type: 'payment-proved', transaction: 'tx-1' };
/** How much of the price of 9.99 is refunded. */
const refund = (of: number) => ({ type: 'refund-proved', refundedMinor: of });
const attention = (code: string) => ({ type: 'attention-needed', code });
/** The row of a refund next to the row of its payment, an hour later. */
const REFUND: Partial<PaymentEvidence> = {
  transaction: 'tx-2',
  status: 'REFUNDED',
  isRefundRow: true,
  refundedMinor: 999,
  transactionTime: '2026-01-01T01:01:00.000Z',
};

/** What follows for the checkout of the row. */
function factsOf(history: PaymentHistory, changes: Partial<PaymentEvidence> = {}) {
  return planPayment(history, testEvidence(changes))?.facts.get(CHECKOUT.id);
}

describe('a row that is new', () => {
  it('pays an unpaid checkout', () => {
    expect(factsOf(OPEN)).toEqual([PAYMENT, refund(0)]);
  });

  it('pays and refunds when it is given back before it was ever seen', () => {
    const row = { status: 'REFUNDED', isRefundRow: true, refundedMinor: 999 };
    expect(factsOf(OPEN, row)).toEqual([PAYMENT, refund(999)]);
  });

  it('asks for attention when another version of the order is paid already', () => {
    const sibling = testCheckout({ id: 'checkout-0', state: 'paid' });
    const rows = [{ ...ROW, checkout: sibling.id, transaction: 'tx-0' }];
    expect(factsOf({ ...OPEN, siblings: [sibling], rows })).toEqual([
      PAYMENT,
      attention('paid_twice'),
      refund(0),
    ]);
  });

  it('asks for attention when it pays an older price', () => {
    expect(factsOf({ ...OPEN, isSuperseded: true })).toContainEqual(attention('price_changed'));
    const siblings = [testCheckout({ id: 'checkout-0' })];
    expect(factsOf({ ...OPEN, siblings })).toEqual([PAYMENT, refund(0)]);
  });

  it('is a second payment of a paid checkout, and says nothing of the first one’s refund', () => {
    const second = { transaction: 'tx-2', refundedMinor: 999 };
    expect(factsOf(PAID, second)).toEqual([
      { ...PAYMENT, transaction: 'tx-2' },
      attention('paid_twice'),
      refund(0),
    ]);
  });

  it('is a refund of a paid checkout when its row only says given back', () => {
    expect(factsOf(PAID, REFUND)).toEqual([refund(999)]);
  });

  it.each([
    ['a payment of the session is older', {}, 999],
    ['every payment of the session is newer', { transactionTime: '2026-01-01T00:00:59.999Z' }, 0],
    ['the payments are of another session', { orderId: 701 }, 0],
    ['the merchant entry says that refunds add no rows', { joinsRefundRow: false }, 0],
  ])('is a refund of another payment only if it can be: %s', (_, changes, refunded) => {
    expect(factsOf(PAID, { ...REFUND, ...changes })?.at(-1)).toEqual(refund(refunded));
  });

  it('is a refund of the payment that carries the same reference, wherever that was made', () => {
    const rows = [{ ...ROW, reference: 'psp-1' }];
    const other = { ...REFUND, orderId: 701, joinsRefundRow: false };
    expect(factsOf({ ...PAID, rows }, { ...other, reference: 'psp-1' })).toEqual([refund(999)]);
    expect(factsOf({ ...PAID, rows }, { ...other, reference: 'psp-2' })?.at(-1)).toEqual(refund(0));
  });

  it('of another account shares neither id nor reference with a payment', () => {
    const rows = [{ ...ROW, account: 'north', reference: 'psp-1' }];
    const paid = { ...PAID, rows };
    expect(factsOf(paid)).toEqual([PAYMENT, attention('paid_twice'), refund(0)]);
    const other = { ...REFUND, orderId: 701, joinsRefundRow: false, reference: 'psp-1' };
    expect(factsOf(paid, other)?.at(-1)).toEqual(refund(0));
  });

  it('is counted once where a refund changes the row of the payment and adds one', () => {
    const rows = [{ ...ROW, reference: 'psp-1', refundedMinor: 600 }];
    const added = { ...REFUND, provesPrice: false, refundedMinor: 600, reference: 'psp-1' };
    expect(factsOf({ ...PAID, rows }, added)).toEqual([refund(600)]);
  });

  it('of another amount is money of the order, and a person must check it', () => {
    const rows = [{ ...ROW, transaction: 'tx-0', provesPrice: false, takenMinor: 900 }];
    const mistake = { provesPrice: false, takenMinor: 900, attention: 'amount_mismatch' } as const;
    expect(factsOf(OPEN, mistake)).toContainEqual(attention('amount_mismatch'));
    expect(factsOf({ ...PAID, rows: [...rows, ROW] }, { ...REFUND, refundedMinor: 900 })).toEqual([
      refund(0),
    ]);
  });
});

describe('a row that is known', () => {
  const KNOWN = { ...PAID, known: ROW };

  it('serves no other checkout, once it has paid one', () => {
    const known = { ...ROW, checkout: 'checkout-9' };
    expect(planPayment({ ...OPEN, known }, testEvidence())).toBeUndefined();
    const unproved = { ...OPEN, known: { ...known, provesPrice: false } };
    expect(factsOf(unproved)).toEqual([PAYMENT, refund(0)]);
    expect(planPayment(unproved, testEvidence({ provesPrice: false }))).toBeUndefined();
  });

  it('says nothing new, but for what it shows of the payment and what was given back', () => {
    const payment = { method: 'New Card' };
    expect(factsOf(KNOWN, { payment })).toEqual([{ ...PAYMENT, payment }, refund(0)]);
    expect(factsOf(KNOWN, { refundedMinor: 1 })).toEqual([PAYMENT, refund(1)]);
    expect(factsOf(KNOWN, { isRefundRow: true, refundedMinor: 999 })).toEqual([
      PAYMENT,
      refund(999),
    ]);
  });

  it('keeps what any version of it has shown, and the newest status', () => {
    const older = { ...ROW, refundedMinor: 400, status: 'REFUNDED', reference: 'psp-1' };
    const history = { ...PAID, known: older, rows: [older] };
    const read = testEvidence({ transactionTime: '2026-01-01T00:02:00.000Z' });
    expect(planPayment(history, read)?.row).toEqual({ ...older, status: 'SUCCESS' });
  });

  it('may show another amount only where a refund explains it', () => {
    const less = { provesPrice: false, takenMinor: 599, attention: 'amount_mismatch' } as const;
    expect(factsOf(KNOWN, less)).toContainEqual(attention('amount_mismatch'));
    expect(factsOf(KNOWN, { ...less, refundedMinor: 400 })).toEqual([PAYMENT, refund(400)]);
  });
});
