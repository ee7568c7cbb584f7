import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  checkToken,
  MERCHANT,
  startShop,
  type Answer,
  type RunningShop,
} from '../testing/running-shop.js';

const NOW = new Date('2026-03-01T10:00:00Z');
const ORDERS = '/api/playground/orders';
const GOOD = { merchant: 'playground-promise', amount: '12.34' };
let shop: RunningShop;

beforeEach(async () => {
  shop = await startShop({ now: () => NOW });
});

afterEach(async () => {
  await shop.close();
});

function fieldsOf({ body }: Answer): readonly string[] {
  return (body['errors'] as { field: string }[]).map(({ field }) => field);
}

async function lookUp(order: string, merchant = GOOD.merchant): Promise<Answer> {
  const path = merchant === MERCHANT ? '' : `/${merchant}`;
  return shop.postSigned(`/api/order-lookup${path}`, { merchant, order });
}

describe('the playground', () => {
  it('lists its merchants with their shapes, and none of their keys', async () => {
    const { status, body } = await shop.get('/api/playground');
    expect(status).toBe(200);
    expect(body).toEqual({
      merchants: [
        {
          merchant: 'playground-promise',
          shape: 'promise',
          what: 'is the promise one',
          works: true,
        },
        { merchant: 'playground-throws', shape: 'throws', what: 'is the throws one', works: false },
      ],
    });
  });

  it('is not there in a shop without such merchants', async () => {
    const plain = await startShop({ env: { SHOP_PLAYGROUND_MERCHANTS: '[]' } });
    expect((await plain.get('/api/playground')).status).toBe(404);
    expect((await plain.post(ORDERS, GOOD)).status).toBe(404);
    await plain.close();
  });
});

describe('an order of the playground', () => {
  it('has the amount that was asked for, and a token for its own merchant', async () => {
    const { status, body } = await shop.post(ORDERS, GOOD);
    expect(status).toBe(201);
    const { orderToken, ...rest } = body as { orderToken: string };
    const claim = { merchant: 'playground-promise', order: 'A1001' };
    expect(rest).toEqual({ ...claim, amount: '12.34', currency: 'GBP' });
    expect(checkToken(orderToken, claim)).toBe('valid for 30 minutes');
  });

  it.each([MERCHANT, 'playground-unknown', '', 7])(
    'is refused for the merchant %j: the shop sets its own prices',
    async (merchant) => {
      const answer = await shop.post(ORDERS, { ...GOOD, merchant });
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['merchant']]);
    },
  );

  it.each(['0', '0.00', '-1.00', '10000.00', '1.001', '1e2', '1,00', '', 12.34, null])(
    'is refused with the amount %j',
    async (amount) => {
      const answer = await shop.post(ORDERS, { ...GOOD, amount });
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['amount']]);
    },
  );

  it.each(['0.01', '9999.99', '5', '5.5'])('can cost %s', async (amount) => {
    expect((await shop.post(ORDERS, { ...GOOD, amount })).status).toBe(201);
  });

  it('is looked up at its own merchant only, and an order of the shop at the shop only', async () => {
    const { body } = await shop.post(ORDERS, GOOD);
    const order = String(body['order']);
    expect(await lookUp(order)).toMatchObject({
      status: 200,
      body: { amount: '12.34', status: 'payable', address: { postcode: 'ZZ1 1ZZ' } },
    });
    expect((await lookUp(order, MERCHANT)).status).toBe(404);
    expect((await lookUp(order, 'playground-throws')).status).toBe(404);
    const { placed } = await shop.placeOrder();
    expect((await lookUp(placed.order)).status).toBe(404);
    expect((await lookUp(placed.order, MERCHANT)).status).toBe(200);
  });

  it('keeps the address to itself when the element is to ask for it', async () => {
    const { body } = await shop.post(ORDERS, { ...GOOD, asksAddress: true });
    const reply = await lookUp(String(body['order']));
    expect(reply.body).toMatchObject({ amount: '12.34' });
    expect(reply.body).not.toHaveProperty('address');
  });

  it('is refused to the routes of another merchant', async () => {
    const { body } = await shop.post(ORDERS, GOOD);
    const question = { merchant: GOOD.merchant, order: String(body['order']) };
    const path = '/api/order-lookup/playground-throws';
    expect((await shop.postSigned(path, question)).body).toMatchObject({ code: 'wrong_merchant' });
  });
});

describe('asking the session server about an order of the playground', () => {
  let payServer: Server;
  const asked: (string | undefined)[] = [];

  beforeEach(async () => {
    payServer = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.end(
        JSON.stringify({
          state: 'paid',
          certain: true,
          checkouts: [{ attempts: [{}, {}], transactions: [{}] }],
        }),
      );
    }).listen(0, '127.0.0.1');
    await once(payServer, 'listening');
  });

  afterEach(async () => {
    payServer.close();
    await once(payServer, 'close');
  });

  it('uses the key of its merchant, and counts sessions and transactions', async () => {
    const { port } = payServer.address() as AddressInfo;
    const other = await startShop({ env: { SHOP_PAY_API_URL: `http://127.0.0.1:${port}` } });
    const { body, headers } = await other.post(ORDERS, GOOD);
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    const answer = await other.get(`/api/orders/${String(body['order'])}/payment`, cookie);
    expect(answer.body).toEqual({ state: 'paid', certain: true, sessions: 2, transactions: 1 });
    expect(asked).toEqual(['Bearer api-key-of-playground-promise']);
    await other.close();
    payServer.closeAllConnections();
  });
});
