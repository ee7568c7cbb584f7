import { describe, expect, it } from 'vitest';
import type { ShopOrder } from '../orders/order-lookup.js';
import { testAttempt, testCheckout } from '../testing/test-checkout.js';
import { testMerchant } from '../testing/test-merchant.js';
import { type SessionInput, toAvsFields, toSessionFields } from './session-request.js';

const ORDER: ShopOrder = { order: 'A1001', amount: '9.99', currency: 'GBP', status: 'payable' };

function fieldsFor(changes: Partial<SessionInput> = {}) {
  return toSessionFields({
    merchant: testMerchant(),
    checkout: testCheckout(),
    attempt: testAttempt(),
    tokens: { return: 'token-r', cancel: 'token-c', back: 'token-b', webhook: 'token-w' },
    order: ORDER,
    avs: {},
    split: [],
    addresses: { publicUrl: 'https://pay.example', webhookBaseUrl: 'https://hooks.example' },
    ...changes,
  });
}

/** The names of the fields in the JSON that is sent. */
function namesSent(fields: object): string[] {
  return Object.keys(JSON.parse(JSON.stringify(fields)) as object).sort();
}

describe('what a shopper typed', () => {
  it.each([
    ['12 Larch Road', { AvsHouseNumber: '12' }],
    ['Flat 2, 14a Larch Road', { AvsHouseNumber: '14A', flat: '2' }],
    ['12 a', { AvsHouseNumber: '12A' }],
    ['Rose Cottage', { AvsHouseNumber: 'ROSE COTTAGE' }],
  ])('as house number “%s” is sent as a house number', (houseNumber, expected) => {
    expect(toAvsFields(ORDER, { houseNumber, postcode: 'zz11zz' })).toEqual({
      ...expected,
      AvsPostcode: 'ZZ1 1ZZ',
    });
  });

  it('comes before what the shop knows', () => {
    const order = { ...ORDER, address: { houseNumber: '1', flat: '9', postcode: 'ZZ9 9ZZ' } };
    const typed = { houseNumber: '4', postcode: 'zz11zz', flat: '3' };
    expect(toAvsFields(order, typed)).toEqual({
      AvsHouseNumber: '4',
      AvsPostcode: 'ZZ1 1ZZ',
      flat: '3',
    });
  });
});

describe('the fields of /create-session', () => {
  it('are all 22 of spec 4.6 when everything is known', () => {
    const customer = {
      id: 'c-1',
      email: 'ada@shopper.example',
      phone: '+440000000000',
      firstName: 'Ada',
      lastName: 'Example',
    };
    const fields = fieldsFor({
      merchant: testMerchant({ provider: 'XY' }),
      order: { ...ORDER, customer },
      avs: toAvsFields(
        { ...ORDER, address: { address1: 'Flat 2, 14 Larch Road', address2: 'Exton' } },
        { houseNumber: '14', postcode: 'zz11zz' },
      ),
      split: [{ partnerMerchantId: 501, typeId: 1, minor: 25 }],
    });
    expect(fields).toEqual({
      host: 'https://pay.example',
      merchant_id: 1001,
      order_id: 700,
      customer_id: 'c-1',
      provider: 'XY',
      email: 'ada@shopper.example',
      phoneNumber: '+440000000000',
      name: 'Ada Example',
      Amount: '9.99',
      AvsHouseNumber: '14',
      AvsPostcode: 'ZZ1 1ZZ',
      MerchantReference: 'A1001.700',
      RedirectUrl: 'https://pay.example/v1/return/token-r',
      CancelUrl: 'https://pay.example/v1/return/token-c',
      WebhookUrl: 'https://hooks.example/v1/webhooks/token-w',
      backurl: 'https://pay.example/v1/return/token-b',
      firstname: 'Ada',
      lastname: 'Example',
      flat: '2',
      address1: 'Flat 2, 14 Larch Road',
      address2: 'Exton',
      SplitFee: [{ partner_merchant_id: 501, type_id: 1, value: 0.25, value_type: 'amount' }],
    });
    expect(Object.keys(fields)).toHaveLength(22);
  });

  it('are left out when they are not known, and never empty', () => {
    const known = [
      'Amount',
      'CancelUrl',
      'MerchantReference',
      'RedirectUrl',
      'WebhookUrl',
      'backurl',
      'host',
      'merchant_id',
      'order_id',
    ];
    expect(namesSent(fieldsFor())).toEqual(known);
    const blank = { id: '', email: ' ', phone: '', name: '', firstName: ' ', lastName: '' };
    const order = { ...ORDER, customer: blank };
    expect(namesSent(fieldsFor({ order, merchant: testMerchant({ provider: ' ' }) }))).toEqual(
      known,
    );
  });

  it('say the amount of the checkout, whatever the shop says now', () => {
    const checkout = testCheckout({ amountMinor: 12_345, decimals: 3 });
    expect(fieldsFor({ checkout }).Amount).toBe('12.345');
  });

  it('name a shopper of whom only one name is known', () => {
    expect(fieldsFor({ order: { ...ORDER, customer: { lastName: 'Example' } } })).toMatchObject({
      name: 'Example',
      lastname: 'Example',
    });
    const customer = { name: 'A. Example', firstName: 'Ada' };
    expect(fieldsFor({ order: { ...ORDER, customer } }).name).toBe('A. Example');
  });
});

describe('the address fields', () => {
  it('take what the shopper typed before what the shop gave', () => {
    const order = { ...ORDER, address: { houseNumber: '1', postcode: 'ZZ9 9ZZ', flat: '3' } };
    expect(toAvsFields(order, { houseNumber: '14', postcode: 'zz1 1zz' })).toEqual({
      AvsHouseNumber: '14',
      AvsPostcode: 'ZZ1 1ZZ',
      flat: '3',
    });
    expect(toAvsFields(order, undefined)).toMatchObject({ AvsHouseNumber: '1' });
  });
});
