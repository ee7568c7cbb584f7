import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findCoffee } from './coffees.js';
import { RoasteryOrderStore } from './order-store.js';
import { roasteryRoutes } from './routes.js';

let store: RoasteryOrderStore;
let server: Server;
let url: string;
beforeEach(async () => {
  store = new RoasteryOrderStore(':memory:');
  const routes = roasteryRoutes({
    store,
    merchant: 'seventh-cloud',
    apiKey: 'invented-key-of-a-roastery',
    signingSecret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    // Nothing listens there.
    payApiUrl: 'http://127.0.0.1:1',
    payPublicUrl: 'http://pay.localhost:1',
    publicDirectory: import.meta.dirname,
  });
  server = await new Promise((resolve) => {
    const listening = express()
      .use(routes)
      .listen(0, '127.0.0.1', () => {
        resolve(listening);
      });
  });
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/roastery`;
});
afterEach(() => {
  server.close();
  store.close();
});

function place(sku: string): string {
  const coffee = findCoffee(sku);
  if (coffee === undefined) throw new Error(`The roastery does not sell ${sku}.`);
  return store.add(coffee);
}

describe('the roastery', () => {
  it('takes no order of what it does not sell, whatever price comes with it', async () => {
    const body = new URLSearchParams({ sku: 'gold', price: '0.001' });
    const answer = await fetch(`${url}/orders`, { method: 'POST', body, redirect: 'manual' });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('لا نبيع هذا الصنف.');
  });

  it('knows only the orders that were placed', async () => {
    expect((await fetch(`${url}/orders/R-invented`)).status).toBe(404);
  });

  it('says that payment is out of reach, and offers none', async () => {
    const answer = await fetch(`${url}/orders/${place('long-night')}`);
    expect(answer.status).toBe(502);
    const page = await answer.text();
    expect(page).toContain('خدمة الدفع لا تجيب');
    expect(page).not.toContain('<pay-checkout');
  });

  it.each([
    ['paid', 'شكرًا لك'],
    ['refunded_in_part', 'جزءًا من المبلغ'],
    ['refunded', 'تم رد المبلغ كاملًا'],
  ] as const)('shows that an order is %s, and offers no payment', async (state, words) => {
    const order = place('first-cloud');
    store.setState(order, state);
    const page = await (await fetch(`${url}/orders/${order}`)).text();
    expect(page).toContain(words);
    expect(page).not.toContain('<pay-checkout');
  });

  it('believes no event without a signature', async () => {
    const order = place('first-cloud');
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ type: 'checkout.paid', data: { order } });
    const answer = await fetch(`${url}/events`, { method: 'POST', headers, body });
    expect(answer.status).toBe(401);
    expect(store.find(order)?.state).toBe('awaiting_payment');
  });
});
