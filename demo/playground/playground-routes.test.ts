import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPay, type RunningPay } from '../testing/running-pay.js';
import { startShop, type Answer, type RunningShop } from '../testing/running-shop.js';

const ORDERS = '/api/playground/orders';
const GOOD = { merchant: 'playground-promise', amount: '12.34' };
let pay: RunningPay;
let shop: RunningShop;

beforeAll(async () => {
  pay = await startPay();
  shop = await startShop({ env: pay.shopEnv });
});

afterAll(async () => {
  await shop.close();
  await pay.close();
});

function fieldsOf({ body }: Answer): readonly string[] {
  return (body['errors'] as { field: string }[]).map(({ field }) => field);
}

describe('the playground', () => {
  it('lists its merchants with their shapes, and none of their keys', async () => {
    const { status, body } = await shop.get('/api/playground');
    expect(status).toBe(200);
    const { merchants } = body as { merchants: readonly object[] };
    expect(merchants).toContainEqual({
      merchant: 'playground-promise',
      shape: 'promise',
      what: expect.any(String) as string,
      works: true,
    });
    const keys = new Set(merchants.flatMap((merchant) => Object.keys(merchant)));
    expect([...keys]).toEqual(['merchant', 'shape', 'what', 'works']);
  });

  it('is not there in a shop without such merchants', async () => {
    const plain = await startShop({ env: { SHOP_PLAYGROUND_MERCHANTS: '[]' } });
    expect((await plain.get('/api/playground')).status).toBe(404);
    expect((await plain.post(ORDERS, GOOD)).status).toBe(404);
    await plain.close();
  });
});

describe('an order of the playground', () => {
  it('has the amount that was asked for at the session server, and its token', async () => {
    const { status, body, headers } = await shop.post(ORDERS, GOOD);
    expect(status).toBe(201);
    const { order, orderToken, ...rest } = body as { order: string; orderToken: string };
    expect(rest).toEqual({ ...GOOD, currency: 'GBP' });
    expect(orderToken.startsWith(`${order}.`)).toBe(true);
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(await shop.readOrder(order, cookie)).toMatchObject(GOOD);
    const answer = await shop.get(`/api/orders/${order}/payment`, cookie);
    expect(answer.body).toEqual({ state: 'none', certain: false, sessions: 0, transactions: 0 });
  });

  it('is not placed while the session server does not answer', async () => {
    const env = { ...pay.shopEnv, SHOP_PAY_API_URL: 'http://127.0.0.1:1' };
    const lonely = await startShop({ env });
    const { status, body } = await lonely.post(ORDERS, GOOD);
    expect([status, body['code']]).toEqual([502, 'payment_service_unreachable']);
    await lonely.close();
  });

  it.each(['hollin-and-slip', 'playground-unknown', '', 7])(
    'is refused for the merchant %j: the shop sets its own prices',
    async (merchant) => {
      const answer = await shop.post(ORDERS, { ...GOOD, merchant });
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['merchant']]);
    },
  );

  it.each(['0', '0.49', '-1.00', '10000.00', '1.001', '1e2', '1,00', '', 12.34, null])(
    'is refused with the amount %j',
    async (amount) => {
      const answer = await shop.post(ORDERS, { ...GOOD, amount });
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['amount']]);
    },
  );

  it.each(['0.50', '9999.99', '5', '5.5'])('can cost %s', async (amount) => {
    expect((await shop.post(ORDERS, { ...GOOD, amount })).status).toBe(201);
  });
});
