import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  hintRequest,
  createCheckoutRequest,
  orderLookupReply,
  orderName,
  statusQuery,
} from '../contract-schemas.js';
import { AppError } from '../errors.js';
import { parse } from './parse.js';

const OPEN = { merchant: 'teashop', order: 'A1001' };
const REPLY = { order: 'A1001', amount: '12.34', currency: 'GBP', status: 'payable' };
const ID = 'a'.repeat(30);

function fieldsOf(schema: z.ZodType, input: unknown): string[] {
  try {
    parse(schema, input);
  } catch (error) {
    if (error instanceof AppError) return (error.errors ?? []).map(({ field }) => field);
    throw error;
  }
  return [];
}

describe('bad input', () => {
  it('is a 400 that names every wrong field, and says each in words', () => {
    const work = () => parse(createCheckoutRequest, { order: '../x', amount: '0.01', split: [] });
    expect(work).toThrow(/amount: not accepted here; leave it out/);
    try {
      work();
    } catch (error) {
      expect(error).toMatchObject({ status: 400, code: 'invalid_request' });
    }
    expect(fieldsOf(createCheckoutRequest, { order: '../x', amount: '0.01', split: [] })).toEqual([
      'merchant',
      'order',
      'amount',
      'split',
    ]);
  });

  it.each([[null], [undefined], ['text'], [[]], [7]])('that is no object is named: %j', (input) => {
    expect(fieldsOf(createCheckoutRequest, input)).toEqual(['body']);
  });
});

describe('the body that opens a checkout', () => {
  it.each<[string[], object]>([
    [[], OPEN],
    [[], { ...OPEN, orderToken: 't', renew: 's' }],
    [[], { ...OPEN, avs: { houseNumber: '7', postcode: 'ZZ1 1ZZ' } }],
    [['avs.postcode'], { ...OPEN, avs: { houseNumber: '7', postcode: '  ' } }],
    [['avs.houseNumber'], { ...OPEN, avs: { houseNumber: 'x'.repeat(101), postcode: 'ZZ1 1ZZ' } }],
    [[], { ...OPEN, avs: { houseNumber: '7', postcode: 'ZZ1 1ZZ', city: 'Exton' } }],
    [['renew'], { ...OPEN, renew: '' }],
    [['orderToken'], { ...OPEN, orderToken: 'x'.repeat(201) }],
  ])('wrong in %j: %j', (fields, body) => {
    expect(fieldsOf(createCheckoutRequest, body)).toEqual(fields);
  });
});

describe('the name of an order', () => {
  it.each(['A', '1', 'A1001', 'a.b_c-d', `A${'x'.repeat(63)}`])('may be %s', (name) => {
    expect(orderName.safeParse(name).success).toBe(true);
  });

  it.each(['', '.A', '-A', 'A B', 'A/B', 'Ä1', 'A\n', `A${'x'.repeat(64)}`])(
    'is not %j',
    (name) => {
      expect(orderName.safeParse(name).success).toBe(false);
    },
  );
});

describe('a hint', () => {
  it('is one of a closed list', () => {
    expect(fieldsOf(hintRequest, { kind: 'declined' })).toEqual([]);
    expect(fieldsOf(hintRequest, { kind: 'paid' })).toEqual(['kind']);
  });
});

describe('the query of a status', () => {
  it('names one checkout or several, and does not wait unless asked to', () => {
    expect(parse(statusQuery, { id: `${ID}:3` })).toEqual({ id: [`${ID}:3`], wait: 0 });
    const id = [`${ID}:3`, `${ID}:4`];
    expect(parse(statusQuery, { id, wait: '25' })).toEqual({ id, wait: 25 });
  });

  it.each([
    [{}],
    [{ id: ID }],
    [{ id: `${ID}:-1` }],
    [{ id: `${ID}:1`, wait: '26' }],
    [{ id: `${ID}:1`, wait: '-1' }],
    [{ id: `${ID}:1`, wait: 'long' }],
    [{ id: Array.from({ length: 21 }, () => `${ID}:1`) }],
    [{ id: { 0: `${ID}:1` } }],
  ])('is refused: %j', (query) => {
    expect(fieldsOf(statusQuery, query)).not.toEqual([]);
  });
});

describe('what a shop says of an order', () => {
  it('may hold more than we ask for', () => {
    const reply = parse(orderLookupReply, { ...REPLY, lines: [1], address: { county: 'x' } });
    expect(reply).toEqual({ ...REPLY, address: {} });
  });

  it.each<[string, object]>([
    ['amount', { amount: 12.34 }],
    ['status', { status: 'open' }],
    ['customer.email', { customer: { email: 'x'.repeat(321) } }],
    ['returnUrl', { returnUrl: 'javascript:alert(1)' }],
    ['returnUrl', { returnUrl: '//shop.example/?c={checkout}' }],
    ['returnUrl', { returnUrl: 'https://shop.example/thanks' }],
  ])('is wrong in %s', (field, changes) => {
    expect(fieldsOf(orderLookupReply, { ...REPLY, ...changes })).toEqual([field]);
  });
});
