import type { TransactionRow } from '../provider/gateway.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { testMerchant } from '../testing/test-merchant.js';
import { type ExpectedPayment, matchTransaction, referencesOf } from './matching.js';

const SETTINGS = testMerchant().evidence;
const ATTEMPTED_AT = Date.parse('2026-01-01T12:00:00.000Z');
const EXPECTED: ExpectedPayment = {
  orderId: 700,
  merchantReference: 'A1001.700',
  providerMerchantId: 1001,
  amountMinor: 999,
  currency: 'GBP',
  decimals: 2,
  attemptedAt: ATTEMPTED_AT,
};
const ROW: TransactionRow = {
  id: 'tx-1',
  transactionTime: '2026-01-01T12:01:00.000Z',
  status: 'SUCCESS',
  merchantId: 1001,
  currencyCode: 'GBP',
  amount: '9.99',
  references: { orderRef: 'A1001.700' },
};

function match(row: Partial<TransactionRow>, expected: Partial<ExpectedPayment> = {}) {
  return matchTransaction({ ...ROW, ...row }, { ...EXPECTED, ...expected }, SETTINGS);
}

describe('a row that proves a payment', () => {
  it.each([
    ['its MerchantReference in orderRef', { references: { orderRef: 'A1001.700' } }],
    ['its order_id in resellerOrderId', { references: { resellerOrderId: '700' } }],
    ['its order_id in internalReference', { references: { internalReference: '700' } }],
    ['one match among others', { references: { orderRef: 'other', internalReference: '700' } }],
    ['no merchant', { merchantId: undefined }],
    ['an amount with fewer digits', { amount: '9.990' }],
    ['a time a little before the attempt', { transactionTime: '2026-01-01T11:55:00.000Z' }],
    ['a time in another zone', { transactionTime: '2026-01-01T21:01:00.000+09:00' }],
    ['a zone without a colon, after a space', { transactionTime: '2026-01-01 07:01:00 -0500' }],
  ])('may have %s', (_, row) => {
    expect(match(row)).toMatchObject({ kind: 'paid', money: { refundedMinor: 0 } });
  });
});

describe('a time that names no zone', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each(['Asia/Tokyo', 'America/New_York'])('is UTC for a server in %s', (zone) => {
    vi.stubEnv('TZ', zone);
    for (const text of ['2026-01-01T12:01:00.000', '2026-01-01 12:01:00', '2026-01-01T12:01']) {
      expect(match({ transactionTime: text })).toMatchObject({ kind: 'paid' });
    }
    expect(match({ transactionTime: '2026-01-01T11:54:59.999' })).toMatchObject({
      code: 'time_mismatch',
    });
  });
});

describe('a time of a shape that is not ISO 8601', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each(['Asia/Tokyo', 'America/New_York'])('is read by no server, as in %s', (zone) => {
    vi.stubEnv('TZ', zone);
    for (const text of [
      '2026/01/01 12:01:00',
      '01 Jan 2026 12:01',
      '2026-1-1 12:01',
      'Thu, 01 Jan 2026 12:01:00 GMT',
      '1767268860000',
    ]) {
      expect(match({ transactionTime: text })).toEqual({
        kind: 'none',
        reason: 'unreadable_time',
      });
    }
  });
});

describe('a clock that is changed twice a year', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  // One of these hours does not exist in New York, the other one exists twice.
  it.each(['2026-03-08T02:30:00', '2026-11-01T01:30:00'])('changes no time: %s', (text) => {
    vi.stubEnv('TZ', 'America/New_York');
    const attemptedAt = Date.parse(`${text}Z`);
    const skewMs = SETTINGS.skewSeconds * 1000;
    expect(match({ transactionTime: text }, { attemptedAt: attemptedAt + skewMs })).toMatchObject({
      kind: 'paid',
    });
    expect(
      match({ transactionTime: text }, { attemptedAt: attemptedAt + skewMs + 1 }),
    ).toMatchObject({ code: 'time_mismatch' });
  });
});

describe('a row that proves nothing', () => {
  it.each<[string, Partial<TransactionRow>]>([
    ['no match field', { references: {} }],
    ['another reference', { references: { orderRef: 'A1001.701' } }],
    [
      'the MerchantReference of another attempt next to its order_id',
      { references: { orderRef: 'B7.700', resellerOrderId: '700' } },
    ],
    ['the order alone', { references: { orderRef: 'A1001' } }],
    ['the reference in another case', { references: { orderRef: 'a1001.700' } }],
    ['the order_id with a zero before it', { references: { orderRef: '0700' } }],
    ['the reference in a field that is not asked', { references: { pspReference: '700' } }],
    ['no id', { id: undefined }],
    ['an empty id', { id: '' }],
    ['another merchant', { merchantId: 1002 }],
    ['a status that is not listed', { status: 'DECLINED' }],
    ['a listed status in another case', { status: 'success' }],
    ['no status', { status: undefined }],
    ['no time', { transactionTime: undefined }],
    ['a time that cannot be read', { transactionTime: 'yesterday' }],
    [
      'another amount, and a time before the attempt less the skew',
      { transactionTime: '2026-01-01T11:54:59.999Z', amount: '9.98' },
    ],
  ])('has %s', (_, row) => {
    expect(match(row)).toMatchObject({ kind: 'none' });
  });
});

describe('a row that is about the attempt, and wrong', () => {
  it.each<[string, Partial<TransactionRow>]>([
    ['time_mismatch', { transactionTime: '2026-01-01T11:54:59.999Z' }],
    ['currency_missing', { currencyCode: undefined }],
    ['currency_mismatch', { currencyCode: 'EUR' }],
    ['amount_mismatch', { amount: '9.98' }],
    ['amount_mismatch', { amount: '999' }],
    ['amount_mismatch', { amount: '9.991' }],
    ['amount_mismatch', { amount: undefined }],
    ['amount_mismatch', { amount: '-9.99' }],
  ])('asks for attention: %s %j', (code, row) => {
    expect(match(row)).toMatchObject({ kind: 'mismatch', code });
  });
});

describe('what has been given back', () => {
  it.each<[number, Partial<TransactionRow>]>([
    [0, { amountRefunded: '0' }],
    [1, { amountRefunded: '0.01' }],
    [500, { amountRefunded: '5', status: 'REFUNDED' }],
    [999, { amountRefunded: '9.99' }],
    [500, { amountRefunded: '-5.00' }],
    [999, { status: 'REFUNDED' }],
    [999, { status: 'REFUNDED', amount: '-9.99' }],
  ])('is %i for %j', (refundedMinor, row) => {
    expect(match(row)).toMatchObject({ kind: 'paid', money: { refundedMinor } });
  });

  it.each<[number, Partial<TransactionRow>]>([
    [400, { amount: '4.00' }],
    [400, { amount: '-4.00' }],
    [1200, { amount: '12.00' }],
    [999, { amount: '0.00', amountRefunded: '9.99' }],
    [999, { amount: '0.00' }],
    [999, { amount: undefined }],
  ])('is %i, and no payment of the price, for a refunded row with %j', (refundedMinor, row) => {
    expect(match({ ...row, status: 'REFUNDED' })).toMatchObject({
      kind: 'refunded',
      money: { refundedMinor },
    });
  });

  it('is no excuse for another amount of which a part was kept', () => {
    expect(match({ status: 'REFUNDED', amount: '20.00', amountRefunded: '5.00' })).toMatchObject({
      kind: 'mismatch',
      code: 'amount_mismatch',
    });
  });

  it('names its payment by the field that the merchant entry says', () => {
    const row = { ...ROW, references: { ...ROW.references, pspReference: 'p', shopperId: 's' } };
    const referenceIn = (settings: typeof SETTINGS) => matchTransaction(row, EXPECTED, settings);
    expect(referenceIn(SETTINGS)).toMatchObject({ money: { reference: 'p' } });
    const settings = { ...SETTINGS, refundMatchField: 'shopperId' };
    expect(referenceIn(settings)).toMatchObject({ money: { reference: 's' } });
  });
});

describe('the settings of a merchant', () => {
  it('say whether the service fee is inside the amount', () => {
    const settings = { ...SETTINGS, serviceFee: 'included' as const };
    const matchWithFee = (row: Partial<TransactionRow>) =>
      matchTransaction({ ...ROW, ...row }, EXPECTED, settings);
    expect(matchWithFee({ amount: '10.49', serviceFee: '0.50' })).toMatchObject({ kind: 'paid' });
    expect(matchWithFee({ amount: '9.99', serviceFee: '0.50' })).toMatchObject({
      kind: 'mismatch',
    });
    expect(matchWithFee({ amount: '9.99' })).toMatchObject({ kind: 'mismatch' });
    expect(match({ serviceFee: '0.50' })).toMatchObject({ kind: 'paid' });
    const givenBack = { status: 'REFUNDED', amount: '-10.49', serviceFee: '-0.50' };
    expect(matchWithFee(givenBack)).toMatchObject({ kind: 'paid', money: { refundedMinor: 999 } });
    expect(matchWithFee({ status: 'REFUNDED' })).toMatchObject({ kind: 'refunded' });
  });

  it('say which fields name an attempt, and which statuses mean paid', () => {
    const settings = { ...SETTINGS, matchFields: ['pspReference'], paidStatuses: ['DONE'] };
    const row = { ...ROW, status: 'DONE', references: { pspReference: '700', orderRef: 'x' } };
    expect(referencesOf(row, settings)).toEqual(['700']);
    expect(matchTransaction(row, EXPECTED, settings)).toMatchObject({ kind: 'paid' });
    expect(matchTransaction(ROW, EXPECTED, settings)).toMatchObject({ kind: 'none' });
  });
});
