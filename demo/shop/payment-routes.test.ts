import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MERCHANT, startShop, type RunningShop } from '../testing/running-shop.js';

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
  it('says what a signed question asks: price, currency, lines, person and address', async () => {
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
      lineItems: [
        { name: 'Moon teapot', quantity: 1, amount: '68.00' },
        { name: 'Two-tone cup', quantity: 2, amount: '37.00' },
      ],
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

  it('is refused for an order that we do not have, and for another merchant', async () => {
    const { placed } = await shop.placeOrder();
    const unknown = { merchant: MERCHANT, order: 'A9999' };
    const foreign = { merchant: 'another-shop', order: placed.order };
    expect((await shop.postSigned(LOOKUP, unknown)).status).toBe(404);
    expect((await shop.postSigned(LOOKUP, foreign)).body).toMatchObject({ code: 'wrong_merchant' });
  });
});

describe('an event', () => {
  it('that is not signed, or signed with another secret, is refused', async () => {
    const event = { type: 'checkout.paid', data: { merchant: MERCHANT, order: 'A1001' } };
    expect((await shop.post('/api/events', event)).status).toBe(401);
    const forged = await shop.postSigned('/api/events', event, { secret: OTHER_SECRET });
    expect(forged.status).toBe(401);
  });

  it('is not acknowledged while the session server cannot be asked, so that it comes again', async () => {
    const lonely = await startShop({ env: { SHOP_PAY_API_URL: 'http://127.0.0.1:1' } });
    const { placed, cookie } = await lonely.placeOrder();
    const data = { merchant: MERCHANT, order: placed.order, state: 'paid', certain: true };
    const event = { type: 'checkout.paid', data };
    const report = vi.spyOn(console, 'error').mockReturnValue(undefined);
    expect((await lonely.postSigned('/api/events', event)).status).toBe(500);
    expect(report.mock.calls).toMatchObject([[expect.any(String), { code: 'no_answer' }]]);
    report.mockRestore();
    expect((await lonely.readOrder(placed.order, cookie)).state).toBe('awaiting_payment');
    await lonely.close();
  });
});

describe('an address typed by hand', () => {
  it('marks nothing', async () => {
    const { placed, cookie } = await shop.placeOrder();
    await shop.get(`/result?order=${placed.order}&kind=return&state=paid`, cookie);
    await shop.get(`/api/orders/${placed.order}?state=paid&paid=1`, cookie);
    expect((await shop.readOrder(placed.order, cookie)).state).toBe('awaiting_payment');
  });
});
