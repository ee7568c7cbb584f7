import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  GOOD_ORDER,
  checkToken,
  MERCHANT,
  startShop,
  type RunningShop,
} from '../testing/running-shop.js';
import type { PlacedOrder } from './order-view.js';

const NOW = new Date('2026-03-01T10:00:00Z');
let shop: RunningShop;

beforeEach(async () => {
  shop = await startShop({ now: () => NOW });
});

afterEach(async () => {
  await shop.close();
});

describe('placing an order', () => {
  it('prices it from our own list, gives it a number and a token for half an hour', async () => {
    const { status, body } = await shop.post('/api/orders', GOOD_ORDER);
    expect(status).toBe(201);
    const { orderToken, ...rest } = body as unknown as Required<PlacedOrder>;
    expect(rest).toEqual({ order: 'A1001', amount: '105.00', currency: 'GBP' });
    expect(checkToken(orderToken, { merchant: MERCHANT, order: 'A1001' })).toBe(
      'valid for 30 minutes',
    );
  });

  it('refuses a price from the browser by name', async () => {
    const { status, body } = await shop.post('/api/orders', { ...GOOD_ORDER, amount: '0.01' });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('Leave out amount');
  });

  it('names each field that is wrong', async () => {
    const { status, body } = await shop.post('/api/orders', {
      items: [{ sku: 'gold-bar', quantity: 0 }],
      customer: { firstName: ' ', lastName: 'Example', email: 'ada', phone: 'call me' },
      address: { ...GOOD_ORDER.address, postcode: 'nowhere' },
    });
    expect(status).toBe(400);
    const fields = (body['errors'] as { field: string }[]).map(({ field }) => field);
    expect(fields).toEqual([
      'items.0.sku',
      'items.0.quantity',
      'customer.firstName',
      'customer.email',
      'customer.phone',
      'address.postcode',
    ]);
  });

  it.each([
    ['no items', { ...GOOD_ORDER, items: [] }],
    ['a product named twice', { ...GOOD_ORDER, items: [GOOD_ORDER.items[0], GOOD_ORDER.items[0]] }],
    ['half a cup', { ...GOOD_ORDER, items: [{ sku: 'two-tone-cup', quantity: 0.5 }] }],
    ['no JSON', '{'],
    ['no object', '[]'],
  ])('refuses %s', async (_what, body) => {
    expect((await shop.post('/api/orders', body)).status).toBe(400);
  });
});

describe('reading an order again', () => {
  it('shows it to the browser that placed it, with a fresh token', async () => {
    const { placed, cookie } = await shop.placeOrder();
    expect(await shop.readOrder(placed.order, cookie)).toMatchObject({
      order: 'A1001',
      state: 'awaiting_payment',
      amount: '105.00',
      orderToken: expect.stringMatching(/^A1001\./) as unknown,
      address: { postcode: 'BS1 4ST' },
      timeline: [],
    });
  });

  it('is a 404 for every other browser, and for orders that do not exist', async () => {
    const { placed, cookie } = await shop.placeOrder();
    const other = await shop.placeOrder();
    expect((await shop.get(`/api/orders/${placed.order}`)).status).toBe(404);
    expect((await shop.get(`/api/orders/${placed.order}`, other.cookie)).status).toBe(404);
    expect((await shop.get('/api/orders/A9999', cookie)).status).toBe(404);
    expect((await shop.get('/api/orders/%00', cookie)).status).toBe(404);
  });

  it('keeps the key out of reach of scripts and of other sites', async () => {
    const { headers } = await shop.post('/api/orders', GOOD_ORDER);
    expect(headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/);
  });

  it('survives a restart of the shop', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'shop-'));
    const dataFile = join(directory, 'shop.sqlite');
    const before = await startShop({ dataFile });
    const { placed, cookie } = await before.placeOrder();
    await before.close();
    const after = await startShop({ dataFile });
    expect(await after.readOrder(placed.order, cookie)).toMatchObject({ amount: '105.00' });
    expect((await after.placeOrder()).placed.order).toBe('A1002');
    await after.close();
    rmSync(directory, { recursive: true });
  });
});

describe('asking the session server', () => {
  it('says so when it does not answer', async () => {
    const lonely = await startShop({ env: { SHOP_PAY_API_URL: 'http://127.0.0.1:1' } });
    const { placed, cookie } = await lonely.placeOrder();
    const { status, body } = await lonely.get(`/api/orders/${placed.order}/payment`, cookie);
    expect([status, body['code']]).toEqual([502, 'payment_service_unreachable']);
    await lonely.close();
  });
});

describe('a shop of another brand', () => {
  const ROASTERY = { SHOP_BRAND: 'seventh-cloud', SHOP_ORDER_TOKEN_SECRET: undefined };
  const ORDER = {
    items: [{ sku: 'first-cloud', quantity: 2 }],
    customer: GOOD_ORDER.customer,
    address: { ...GOOD_ORDER.address, postcode: '13001', country: 'الكويت' },
  };
  let roastery: RunningShop;

  beforeEach(async () => {
    // Nothing listens there.
    roastery = await startShop({ env: { ...ROASTERY, SHOP_PAY_API_URL: 'http://127.0.0.1:1' } });
  });

  afterEach(async () => {
    await roastery.close();
  });

  it('takes an order at its own prices while the session server, which makes its tokens, is down', async () => {
    const { status, body, headers } = await roastery.post('/api/orders', ORDER);
    expect(status).toBe(201);
    expect(body).toEqual({ order: 'R1001', amount: '8.000', currency: 'KWD' });
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    const view = await roastery.readOrder('R1001', cookie);
    expect(view).toMatchObject({ order: 'R1001', state: 'awaiting_payment', amount: '8.000' });
    expect(view).not.toHaveProperty('orderToken');
  });

  it('sells only what is its own, and says in its language what is wrong', async () => {
    const { status, body } = await roastery.post('/api/orders', {
      items: GOOD_ORDER.items,
      customer: { ...GOOD_ORDER.customer, firstName: ' ' },
      address: { ...ORDER.address, postcode: 'BS1 4ST' },
    });
    expect(status).toBe(400);
    expect(body['errors']).toEqual([
      { field: 'items.0.sku', message: 'We do not sell this' },
      { field: 'items.1.sku', message: 'We do not sell this' },
      { field: 'customer.firstName', message: 'أدخل الاسم الأول' },
      { field: 'address.postcode', message: 'أدخل الرمز البريدي كاملًا مثل 13001' },
    ]);
  });

  it('does not know the orders of the first one', async () => {
    const { headers } = await roastery.post('/api/orders', ORDER);
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await roastery.get('/api/orders/A1001', cookie)).status).toBe(404);
  });
});
