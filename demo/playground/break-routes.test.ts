import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BreakThings } from '../shop/config.js';
import { startPay, type RunningPay } from '../testing/running-pay.js';
import { startShop, type Answer, type RunningShop } from '../testing/running-shop.js';
import type { BrokenOrderView } from './break-view.js';

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

/** Orders at the playground, which sets its own prices, and creates the checkout as the tag does. */
async function openPayment(): Promise<{ order: string; cookie: string }> {
  const merchant = 'playground-promise';
  const { body, headers } = await shop.post('/api/playground/orders', { merchant, amount: '9.99' });
  const { order, orderToken } = body as { order: string; orderToken: string };
  const opened = await fetch(`${pay.shopEnv['SHOP_PAY_API_URL'] ?? ''}/v1/checkouts`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: pay.shopEnv['SHOP_PUBLIC_URL'] ?? '',
    },
    body: JSON.stringify({
      ...{ merchant, order, orderToken },
      avs: { houseNumber: '12', postcode: 'ZZ1 1ZZ' },
    }),
  });
  expect(opened.status).toBe(200);
  return { order, cookie: headers.get('set-cookie')?.split(';')[0] ?? '' };
}

async function send(method: string, path: string, cookie: string, body?: object): Promise<Answer> {
  const response = await fetch(shop.address + path, {
    method,
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Answer['body'];
  return { status: response.status, headers: response.headers, body: answer };
}

async function lookAt(order: string, cookie: string): Promise<BrokenOrderView> {
  return (await shop.get(`/api/break/orders/${order}`, cookie)).body as unknown as BrokenOrderView;
}

const sessionOf = (order: string) =>
  pay.sandbox
    .sessions()
    .find(({ MerchantReference }) => MerchantReference?.startsWith(`${order}.`));

describe('the drawer "Break things"', () => {
  it('lists what the sandbox can play', async () => {
    const { status, body } = await shop.get('/api/break');
    expect(status).toBe(200);
    expect(body['scenarios']).toContainEqual({
      name: 'declined',
      title: 'Declined',
      description: 'The card is declined. Another card can pay the same session.',
      group: 'Declined',
    });
    expect(body['faults']).toMatchObject({
      'create-session': expect.not.arrayContaining(['empty-page']) as string[],
      'transactions-list': expect.arrayContaining(['error', 'empty-page']) as string[],
    });
    expect(body['faults']).not.toHaveProperty('partner-analytics');
  });

  it('obeys no page that made a name of its own point to this machine', async () => {
    const statusAs = (host: string, path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request(shop.address + path, { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
    const { host: own } = new URL(shop.address);
    const { host: named } = new URL(pay.shopEnv['SHOP_PUBLIC_URL'] ?? '');
    for (const path of ['/api/break', '/API/break', '/api/playground']) {
      for (const host of [own, named]) expect(await statusAs(host, path)).toBe(200);
      for (const host of ['rebound.example', `rebound.example:${own.split(':')[1]}`, 'localhost']) {
        expect(await statusAs(host, path)).toBe(421);
      }
    }
    expect(await statusAs('rebound.example', '/healthz')).toBe(200);
  });

  it('plays a scenario on the order, and shows what shop and session server see', async () => {
    const { order, cookie } = await openPayment();
    const path = `/api/break/orders/${order}`;
    const played = await send('POST', `${path}/play`, cookie, { scenario: 'approved' });
    expect(played).toMatchObject({ status: 200, body: { outcome: 'approved' } });
    expect(sessionOf(order)).toMatchObject({ state: 'paid' });
    const again = await send('POST', `${path}/play`, cookie, { scenario: 'approved' });
    expect([again.status, again.body['code']]).toEqual([409, 'no_open_session']);
    const { shop: side, server } = await lookAt(order, cookie);
    expect(side).toMatchObject({ merchant: 'playground-promise', refund: 'none', events: [] });
    expect(server.join('\n')).toMatch(/Checkout created for 9\.99 GBP[^]*Session created/);
  });

  it('refunds the payment of the order', async () => {
    const { order, cookie } = await openPayment();
    const path = `/api/break/orders/${order}`;
    expect((await send('POST', `${path}/refund`, cookie)).body['code']).toBe('not_paid');
    await send('POST', `${path}/play`, cookie, { scenario: 'approved' });
    expect((await send('POST', `${path}/refund`, cookie)).status).toBe(200);
    const id = sessionOf(order)?.transactionId ?? '';
    expect(pay.sandbox.readTransaction(id).row).toMatchObject({ amountRefunded: '9.99' });
  });

  it('plays a fault, shows that it waits, and clears it', async () => {
    const { order, cookie } = await openPayment();
    const fault = { operation: 'create-session', fault: 'error' };
    expect((await send('POST', '/api/break/faults', cookie, fault)).status).toBe(200);
    expect((await lookAt(order, cookie)).faults).toEqual(['create-session: error']);
    expect((await send('DELETE', '/api/break/faults', cookie)).status).toBe(200);
    expect((await lookAt(order, cookie)).faults).toEqual([]);
  });

  it('says why nothing can be played', async () => {
    const fault = { operation: 'create-session', fault: 'empty-page' };
    expect((await send('POST', '/api/break/faults', '', fault)).status).toBe(409);
    const { order, cookie } = await openPayment();
    const path = `/api/break/orders/${order}/play`;
    expect(await send('POST', path, cookie, { scenario: 'unheard-of' })).toMatchObject({
      status: 409,
      body: { detail: 'The sandbox: There is no such scenario.' },
    });
    // The other order has an open session, and this one has none.
    const another = await shop.post('/api/playground/orders', {
      ...{ merchant: 'playground-promise', amount: '5.00' },
    });
    const fresh = `/api/break/orders/${String(another.body['order'])}/play`;
    const freshCookie = another.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(await send('POST', fresh, freshCookie, { scenario: 'approved' })).toMatchObject({
      status: 409,
      body: { code: 'no_open_session' },
    });
  });

  it('is for the browser that placed the order', async () => {
    const { order } = await openPayment();
    expect((await shop.get(`/api/break/orders/${order}`)).status).toBe(404);
    for (const what of ['play', 'refund']) {
      const path = `/api/break/orders/${order}/${what}`;
      expect((await send('POST', path, '', { scenario: 'approved' })).status).toBe(404);
    }
  });

  it('gives no secret and no address of a server away', async () => {
    const { order, cookie } = await openPayment();
    const path = `/api/break/orders/${order}`;
    const answers = [
      await shop.get('/api/break'),
      await send('POST', `${path}/play`, cookie, { scenario: 'declined' }),
      await send('POST', `${path}/play`, cookie, { scenario: 'approved' }),
      await shop.get(path, cookie),
      await send('POST', `${path}/refund`, cookie),
    ];
    const text = JSON.stringify(answers.map(({ body }) => body));
    const secrets = [
      ...Object.values(pay.secrets),
      ...Object.values(JSON.parse(pay.shopEnv['SHOP_BREAK_THINGS'] ?? '') as BreakThings),
      '/v1/webhooks/',
      '/v1/return/',
    ];
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });

  it('says that a server does not answer, without naming its address', async () => {
    const breakThings = {
      sandboxUrl: 'http://127.0.0.1:1',
      operatorUrl: 'http://127.0.0.1:1',
      operatorKey: 'an-operator-key-of-nothing',
    };
    const env = { SHOP_BREAK_THINGS: JSON.stringify(breakThings) };
    const alone = await startShop({ env });
    const { status, body } = await alone.get('/api/break');
    await alone.close();
    expect([status, body['detail']]).toEqual([502, 'The sandbox does not answer.']);
  });

  it('is not there without its setting', async () => {
    const plain = await startShop();
    const listed = await plain.get('/api/break');
    const fault = await plain.post('/api/break/faults', {});
    await plain.close();
    expect([listed.status, fault.status]).toEqual([404, 404]);
  });
});
