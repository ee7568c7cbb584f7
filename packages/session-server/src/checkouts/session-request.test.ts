import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT_SESSION_FIELDS } from '@pay-checkout/partner-api';
import { describe, expect, it } from 'vitest';
import type { ShopOrder } from '../orders/order-lookup.js';
import { testAttempt, testCheckout } from '../testing/test-checkout.js';
import { testMerchant } from '../testing/test-merchant.js';
import { toAvsFields } from './avs.js';
import { type SessionInput, toSessionFields } from './session-request.js';

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
      split: [
        { partnerMerchantId: 501, typeId: 1, minor: 25 },
        { partnerMerchantId: 502, typeId: 2, minor: 12, percent: '1.25' },
      ],
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
      SplitFee: [
        { partner_merchant_id: 501, type_id: 1, value: 0.25, value_type: 'amount' },
        { partner_merchant_id: 502, type_id: 2, value: 1.25, value_type: 'percent' },
      ],
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

  it('are those of the schema and of docs/create-session-fields.md', () => {
    const path = join(import.meta.dirname, '../../../../docs/create-session-fields.md');
    const rows = readFileSync(path, 'utf8').matchAll(/^\| `(\w+)` /gm);
    const documented = [...rows].map(([, name]) => name).toSorted();
    expect(documented).toEqual(CHECKOUT_SESSION_FIELDS.toSorted());
    expect(documented).toEqual(Object.keys(fieldsFor()).toSorted());
  });
});
