import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  askAsPage,
  OPERATOR_ENV,
  signIn,
} from '../../../session-server/src/testing/page-browser.js';
import { PRICE, type PuttingShop } from '../../../session-server/src/testing/putting-shop.js';
import type { DashboardParts } from '@pay-checkout/session-server/internals';
import { SESSION_MS } from '../page-session.js';
import { dashboardRoutes } from './routes.js';
import { DashboardService } from './service.js';
import type { OrderListView } from '../page-view.js';
import type {
  CheckView,
  EventListView,
  MerchantEventView,
  MerchantOrderView,
  NewSecretView,
  PayLinkView,
  SetupView,
} from './view.js';

const OTHER_KEY = 'the-key-of-another-shop';
/** What only the other shop may see. */
const CANARY = 'canary-of-another-shop';

/** The listener of the merchant's dashboard, on a free port, and the operator's. */
export const DASHBOARD_ENV = { PAY_DASHBOARD_PORT: '0', ...OPERATOR_ENV };

const hashOf = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`;

/**
 * What the merchant's dashboard shows and does.
 *
 * @param isWhole whether also what reads nothing of the store: once is enough
 */
export function describeDashboard(
  name: string,
  start: () => Promise<{ readonly shop: PuttingShop; remove(): Promise<void> }>,
  isWhole: boolean,
): void {
  describe(`the merchant’s dashboard over ${name}`, () => {
    let shop: PuttingShop;
    let cookie: string;
    let remove: () => Promise<void>;
    beforeEach(async () => {
      ({ shop, remove } = await start());
      cookie = await signIn(shop.stack, shop.stack.merchantKey, port());
    });
    afterEach(() => remove());

    const port = () => shop.stack.server.dashboardPort;
    const ask = <T>(
      path: string,
      { as = cookie, ...more }: { method?: string; body?: object; as?: string } = {},
    ) =>
      askAsPage<T>(shop.stack, `/page/${path}`, { port: port(), headers: { cookie: as }, ...more });
    const read = async <T>(path: string) => (await ask<T>(path)).body;
    const send = <T = object>(path: string, as = cookie, body: object = {}) =>
      ask<T>(path, { method: 'POST', body, as });
    const search = async (q: string) =>
      (await send<OrderListView>('search', cookie, { q })).body.items.map(({ order }) => order);
    const names = async (query: string) =>
      (await read<OrderListView>(`orders?${query}`)).items.map(({ order }) => order);
    const signingSecrets = async () =>
      (await read<SetupView>('setup')).secrets.find(({ kind }) => kind === 'signing-secret');
    const eventOf = async (order: string) =>
      (await read<MerchantOrderView>(`orders/${order}`)).events[0] as MerchantEventView;

    /** Another merchant, once the server has read it. */
    const addOther = async () => {
      shop.stack.addMerchant({
        ...{ id: 'bakery', name: CANARY, apiKeyHash: [hashOf(OTHER_KEY)] },
        events: { url: `${shop.stack.shopUrl}/${CANARY}`, allowPrivateAddress: true },
      });
      // Not by signing in: a wrong key counts as a guess.
      const config = '/v1/checkout-config?merchant=bakery';
      await expect.poll(async () => (await shop.stack.fetch(config)).status).toBe(200);
    };

    /** An order of the other shop, with an event that its receiver does not take. */
    const openOther = async (order: string) => {
      await addOther();
      const put = await shop.ask<{ orderToken: string }>(
        'PUT',
        `orders/${order}`,
        { ...PRICE, description: CANARY, metadata: { note: CANARY } },
        OTHER_KEY,
      );
      const { orderToken } = put.body;
      const opened = await shop.stack.reopen(order, { merchant: 'bakery', orderToken });
      const path = shop.stack.returnPath(opened.body.sessionId ?? '', 'CancelUrl');
      await shop.stack.fetch(path);
      const as = await signIn(shop.stack, OTHER_KEY, port());
      const events = async () => (await ask<EventListView>('events', { as })).body.items;
      await expect.poll(async () => (await events()).length).toBe(1);
      return (await events())[0]?.id ?? '';
    };

    it.runIf(isWhole)(
      'is signed in to with the merchant’s key, which no answer and no cookie has',
      async () => {
        const { body, headers, text } = await ask('session', {
          method: 'POST',
          body: { key: shop.stack.merchantKey },
        });
        expect(body).toMatchObject({ merchant: 'teashop', environment: 'sandbox' });
        const [set = ''] = headers['set-cookie'] ?? [];
        expect(set).toMatch(/^pay-dashboard=[\w.-]+\.teashop; Path=\/; HttpOnly; SameSite=Strict$/);
        expect(text + set).not.toContain(shop.stack.merchantKey);
        const wrong = await ask('session', { method: 'POST', body: { key: 'wrong' } });
        expect([wrong.status, wrong.body.code]).toEqual([401, 'merchant_key_refused']);
      },
    );

    it.runIf(isWhole)(
      'keeps no session of a key that was removed, of another merchant’s name, or of yesterday',
      async () => {
        await addOther();
        expect((await ask('orders', { as: cookie.replace('.teashop', '.bakery') })).status).toBe(
          401,
        );
        shop.stack.changeMerchant({ apiKeyHash: [hashOf('a-newer-key')] });
        await expect.poll(async () => (await ask('orders')).status).toBe(401);
        cookie = await signIn(shop.stack, 'a-newer-key', port());
        expect((await ask('orders')).status).toBe(200);
        shop.stack.clock.advance(SESSION_MS / 1000);
        expect((await ask('orders')).body).toMatchObject({ code: 'dashboard_signed_out' });
      },
    );

    it.runIf(isWhole)(
      'has no route of the operator, no metric, and answers no other page',
      async () => {
        for (const path of ['/metrics', '/operator/health', '/report', '/v1/merchant/orders']) {
          const { status } = await askAsPage(shop.stack, path, {
            port: port(),
            headers: { cookie },
          });
          expect([path, status]).toEqual([path, 404]);
        }
        for (const path of ['health', 'queues/attention', 'audit', 'report']) {
          expect([path, (await ask(path)).status]).toEqual([path, 404]);
        }
        const headers = { cookie, 'sec-fetch-site': 'cross-site' };
        const foreign = await askAsPage(shop.stack, '/page/orders', { port: port(), headers });
        expect(foreign.body).toMatchObject({ code: 'dashboard_page_refused' });
      },
    );

    it('lists orders by state, time and name, page by page', async () => {
      await shop.put('A1');
      shop.stack.clock.advance(60);
      const middle = shop.stack.clock.now();
      const { checkout, sessionId } = await shop.putAndOpen('A2');
      await shop.payIn(sessionId, checkout);
      for (let index = 0; index < 51; index += 1) {
        shop.stack.clock.advance(1);
        await shop.put(`B${String(index)}`);
      }
      const first = await read<OrderListView>('orders');
      const rest = await read<OrderListView>(`orders?cursor=${first.next ?? ''}`);
      expect(first.items.map(({ order }) => order).slice(0, 2)).toEqual(['B50', 'B49']);
      expect(rest.items.map(({ order }) => order)).toEqual(['B0', 'A2', 'A1']);
      expect(rest.next).toBeUndefined();
      expect(await names('state=paid')).toEqual(['A2']);
      expect(await names(`to=${String(middle)}`)).toEqual(['A1']);
      expect((await names(`from=${String(middle)}`)).includes('A1')).toBe(false);
      expect(await search('a')).toEqual(['A2', 'A1']);
      expect(await search(checkout)).toEqual(['A2']);
      expect(first.totals).toEqual({
        states: { open: 52, paid: 1 },
        paid: [{ currency: 'GBP', amount: '9.99', refunded: '0.00' }],
        more: false,
      });
      expect((await ask('orders?state=wrong')).body).toMatchObject({ code: 'invalid_request' });
    });

    it('gives all orders that match as CSV, page by page', async () => {
      for (let index = 0; index < 501; index += 1) await shop.put(`A${String(index)}`);
      const { text, headers } = await ask('orders.csv?state=open');
      expect(headers['content-disposition']).toContain('orders.csv');
      const [head, ...lines] = text.trimEnd().split('\r\n');
      expect(head).toContain('"order","state","certain","amount","currency"');
      expect(lines).toHaveLength(501);
      expect(new Set(lines).size).toBe(501);
      expect(lines.at(-1)).toContain('"A0","open","false","9.99","GBP"');
    });

    it('says what happened to an order in plain words, without what operators say', async () => {
      const body = { ...PRICE, description: 'Tea', metadata: { gift: 'yes' } };
      const { checkout, sessionId } = await shop.putAndOpen('A1', body);
      await shop.payIn(sessionId, checkout);
      await expect.poll(async () => (await eventOf('A1')).status).toBe('delivered');
      const { order, story, canLink } = await read<MerchantOrderView>('orders/A1');
      expect(order).toMatchObject({ state: 'paid', description: 'Tea', metadata: { gift: 'yes' } });
      expect(canLink).toBe(false);
      const words = story.toReversed().map(({ text }) => text.replace(/txn_[\w-]+/, '…'));
      const expected = [
        'A checkout was created for 9.99 GBP.',
        'The provider opened a payment session.',
        'The shopper came back from paying. The provider’s list says whether it is paid.',
        'The payment is being confirmed.',
        'The provider lists transaction …: SUCCESS, 9.99 GBP.',
        'The order is paid. This is certain.',
        'Your receiver took the event checkout.paid (answer 204).',
      ];
      expect(words.filter((line) => expected.includes(line)).toSorted()).toEqual(
        expected.toSorted(),
      );
      expect((await ask('orders/none')).body).toMatchObject({ code: 'order_not_found' });
    });

    it.runIf(isWhole)(
      'makes a link that pays an open order, and none for one that is paid or void',
      async () => {
        await shop.put('A1', { ...PRICE, locale: 'de' });
        const { body } = await send<PayLinkView>('orders/A1/link');
        const { pathname, search } = new URL(body.payUrl);
        expect(search).toBe('?locale=de');
        expect((await shop.stack.fetch(`${pathname}${search}`)).status).toBe(200);
        const orderToken = pathname.split('/').at(-1) ?? '';
        const opened = await shop.open({ order: 'A1', orderToken });
        await shop.payIn(opened.body.sessionId, opened.body.checkout);
        expect((await send('orders/A1/link')).body).toMatchObject({ code: 'order_not_payable' });
        await shop.put('A2');
        await shop.makeVoid('A2');
        expect((await send('orders/A2/link')).body).toMatchObject({ code: 'order_not_payable' });
      },
    );

    it('shows each try of an event, and sends it again with the same id', async () => {
      shop.stack.shop.eventAnswers.push(500);
      const { sessionId } = await shop.putAndOpen('A1');
      await shop.stack.fetch(shop.stack.returnPath(sessionId ?? '', 'CancelUrl'));
      const untaken = async () => (await read<EventListView>('events?show=untaken')).items;
      await expect.poll(async () => (await untaken())[0]?.tries.length).toBe(1);
      const [event] = await untaken();
      expect(event).toMatchObject({ type: 'checkout.cancelled', order: 'A1', canSend: true });
      expect(event?.tries).toMatchObject([{ number: 1, answer: '500', isTaken: false }]);
      await send(`events/${event?.id ?? ''}/redeliver`);
      const again = await shop.stack.shop.event('checkout.cancelled');
      expect(again.id).toBe(event?.id);
      // A try is written down after the receiver has answered it.
      const answers = async () =>
        (await read<EventListView>('events')).items[0]?.tries.map(({ answer }) => answer);
      await expect.poll(answers).toEqual(['204', '500']);
      expect(await untaken()).toEqual([]);
    });

    it.runIf(isWhole)(
      'sends a signed test event, and says what the receiver answered',
      async () => {
        const good = await send<CheckView>('checks/receiver');
        expect(good.body).toMatchObject({ isGood: true, text: 'It answered 204.' });
        expect(await shop.stack.shop.event('test')).toMatchObject({
          data: { merchant: 'teashop' },
        });
        shop.stack.shop.eventAnswers.push(401);
        const bad = await send<CheckView>('checks/receiver');
        expect(bad.body).toMatchObject({ isGood: false, text: 'It answered 401.' });
      },
    );

    it.runIf(isWhole)('asks for the return page, and says what a shopper would get', async () => {
      const check = async () => (await send<CheckView>('checks/return-page')).body;
      expect(await check()).toMatchObject({
        isGood: false,
        text: expect.stringMatching(/^It cannot be reached \(E/) as string,
      });
      const { url } = shop.stack;
      const returnUrl = `${url}/healthz?checkout={checkout}`;
      shop.stack.changeMerchant({ origins: [url], returnUrl });
      await expect.poll(async () => (await read<SetupView>('setup')).returnUrl).toBe(returnUrl);
      expect(await check()).toMatchObject({
        ...{ isGood: true, text: 'It answered 200.', url: `${url}/healthz?checkout=test` },
      });
      const unknown = `${url}/nowhere?checkout={checkout}`;
      shop.stack.changeMerchant({ returnUrl: unknown });
      await expect.poll(async () => (await read<SetupView>('setup')).returnUrl).toBe(unknown);
      expect(await check()).toMatchObject({ isGood: true, text: 'It answered 404.' });
    });

    it.runIf(isWhole)(
      'adds a signing secret beside the old one, and removes the old one',
      async () => {
        const before = await signingSecrets();
        expect(before).toMatchObject({ canRotate: true });
        const { body } = await send<NewSecretView>('secrets/signing-secret/rotate');
        expect(body.secret).toMatch(/^whsec_/);
        expect(body.line).toBeUndefined();
        const both = await signingSecrets();
        expect(both?.values).toHaveLength(2);
        expect(both?.values[1]).toEqual(before?.values[0]);
        expect(JSON.stringify(both)).not.toContain(body.secret);
        const operator = { cookie: await signIn(shop.stack) };
        const trail = await askAsPage(shop.stack, '/page/audit', { headers: operator });
        expect(trail.body['items']).toMatchObject([
          { merchant: 'teashop', action: 'rotate', target: 'signing-secret' },
        ]);
        expect(trail.text).toMatch(/"key-\w{8} of teashop"/);
        // The shop of the test verifies with the old secret alone.
        expect((await send<CheckView>('checks/receiver')).body).toMatchObject({ isGood: true });
        expect((await send('secrets/signing-secret/retire')).status).toBe(200);
        expect((await signingSecrets())?.values).toHaveLength(1);
        expect((await send('secrets/signing-secret/retire')).body).toMatchObject({
          code: 'entry_not_changed',
        });
      },
    );

    it.runIf(isWhole)(
      'shows the order token secrets of the entry, not those that the server makes',
      async () => {
        shop.stack.changeMerchant({
          orderTokenSecret: [shop.stack.orderTokenSecret],
          orderLookup: { url: `${shop.stack.shopUrl}/order-lookup`, allowPrivateAddress: true },
        });
        await expect.poll(async () => (await read<SetupView>('setup')).secrets.length).toBe(3);
        const { secrets } = await read<SetupView>('setup');
        expect(secrets.map(({ kind, values }) => [kind, values.length])).toEqual([
          ['api-key', 1],
          ['signing-secret', 1],
          ['order-token-secret', 1],
        ]);
      },
    );

    it.runIf(isWhole)('makes the line for the entry where a secret is kept elsewhere', async () => {
      process.env['TEST_SIGNING_SECRET'] = shop.stack.signingSecret;
      shop.stack.changeMerchant({ signingSecret: [{ env: 'TEST_SIGNING_SECRET' }] });
      await expect.poll(async () => (await signingSecrets())?.canRotate).toBe(false);
      const { body } = await send<NewSecretView>('secrets/signing-secret/rotate');
      expect(body.line).toBe(`"signingSecret": ["${body.secret}", …]`);
      const key = await send<NewSecretView>('secrets/api-key/rotate');
      expect(key.body.line).toBeUndefined();
      expect((await signingSecrets())?.values).toHaveLength(1);
    });

    it('has nothing of another merchant in any answer of any route', async () => {
      const event = await openOther('SHARED');
      await shop.put('SHARED');
      const order = await shop.get('SHARED');
      const routes = dashboardRoutes(new DashboardService({} as DashboardParts), {
        find: () => never(),
      });
      const asked = routes.stack.flatMap(({ route }) => {
        if (!route) return [];
        const [method = ''] = Object.keys((route as unknown as { methods: object }).methods);
        return [[method.toUpperCase(), route.path] as const];
      });
      expect(asked.length).toBeGreaterThan(10);
      for (const [method, template] of asked) {
        const path = template
          .replace(':order', 'SHARED')
          .replace(':event', event)
          .replace(':kind', 'order-token-secret')
          .slice(1);
        const { status, text } = await ask(path, {
          method,
          ...(method === 'POST' && { body: { merchant: 'bakery' } }),
        });
        expect([template, (status ?? 500) < 500]).toEqual([template, true]);
        expect([template, text.includes(CANARY)]).toEqual([template, false]);
        if (template.includes(':event')) expect(status).toBe(404);
      }
      expect(await search(event)).toEqual([]);
      expect(await names('merchant=bakery')).toEqual(['SHARED']);
      expect((await shop.get('SHARED')).updatedAt).toBe(order.updatedAt);
      const as = await signIn(shop.stack, OTHER_KEY, port());
      const others = await ask<MerchantOrderView>('orders/SHARED', { as });
      expect(others.text).toContain(CANARY);
    });
  });
}

function never(): Promise<never> {
  return Promise.reject(new Error('no route is asked'));
}
