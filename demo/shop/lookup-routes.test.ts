import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeEvent, MERCHANT, startShop, type RunningShop } from '../testing/running-shop.js';

const LOOKUP = '/api/order-lookup';
const OTHER_SECRET = `whsec_${Buffer.from('a secret of another shop').toString('base64')}`;
let shop: RunningShop;

beforeEach(async () => {
  shop = await startShop();
});

afterEach(async () => {
  await shop.close();
});

describe('the order lookup', () => {
  it('says what a signed question asks: price, currency, person and address', async () => {
    const { placed } = await shop.placeOrder();
    const { status, body } = await shop.postSigned(LOOKUP, {
      merchant: MERCHANT,
      order: placed.order,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      order: 'A1001',
      amount: '105.00',
      currency: 'GBP',
      status: 'payable',
      customer: {
        email: 'ada@example.com',
        name: 'Ada Example',
        firstName: 'Ada',
        lastName: 'Example',
      },
      address: { address1: 'Flat 2, 14 Clay Lane', postcode: 'BS1 4ST' },
    });
  });

  it('says that a paid order is paid', async () => {
    const { placed } = await shop.placeOrder();
    await shop.postSigned('/api/events', makeEvent(placed.order));
    const question = { merchant: MERCHANT, order: placed.order };
    expect((await shop.postSigned(LOOKUP, question)).body).toMatchObject({ status: 'paid' });
  });

  it('refuses a question that is not signed, or signed with another secret', async () => {
    const { placed } = await shop.placeOrder();
    const question = { merchant: MERCHANT, order: placed.order };
    expect((await shop.post(LOOKUP, question)).status).toBe(401);
    expect((await shop.postSigned(LOOKUP, question, { secret: OTHER_SECRET })).status).toBe(401);
  });

  it('refuses a question that was changed after it was signed', async () => {
    const { placed } = await shop.placeOrder();
    const question = { merchant: MERCHANT, order: placed.order };
    const tamper = (text: string) => text.replace('A1001', 'A1002');
    expect((await shop.postSigned(LOOKUP, question, { tamper })).status).toBe(401);
  });

  it('is a 404 for an order that we do not have, and for another merchant', async () => {
    const { placed } = await shop.placeOrder();
    const unknown = { merchant: MERCHANT, order: 'A9999' };
    const foreign = { merchant: 'another-shop', order: placed.order };
    expect((await shop.postSigned(LOOKUP, unknown)).status).toBe(404);
    expect((await shop.postSigned(LOOKUP, foreign)).status).toBe(404);
  });
});
