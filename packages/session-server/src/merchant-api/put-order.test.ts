import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '@pay-checkout/partner-api';
import type { MerchantEventList, Problem, PutOrderReply } from '../contract.js';
import { checkOrderToken } from '../orders/order-token.js';
import { PRICE, PuttingShop } from '../testing/putting-shop.js';
import { SHOP_ORIGIN, TestStack } from '../testing/test-stack.js';

const RECEIVER = { partnerMerchantId: 503, typeId: 3 };
/** An entry of a shop that answers nothing and has no secret. */
const WITHOUT_ENDPOINT = {
  orderLookup: undefined,
  events: undefined,
  orderTokenSecret: undefined,
  signingSecret: undefined,
};

let shop: PuttingShop;
beforeAll(async () => {
  shop = await PuttingShop.start();
});
afterAll(() => shop.stack.close());

describe('an order that is put', () => {
  it('is new once; the same again is the same version, with a fresh token', async () => {
    const first = await shop.put('A1');
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ order: 'A1', state: 'open' });
    const { updatedAt } = await shop.get('A1');
    shop.stack.clock.advance(1);
    const second = await shop.put('A1');
    expect((await shop.get('A1')).updatedAt).toBe(updatedAt);
    expect(second.status).toBe(200);
    expect(second.body.orderToken).not.toBe(first.body.orderToken);
    expect(Date.parse(second.body.expiresAt)).toBeGreaterThan(Date.parse(first.body.expiresAt));
    const opened = (await shop.open(first.body)).body;
    expect(opened).toMatchObject({ amount: '9.99', currency: 'GBP', state: 'open' });
    expect((await shop.open(second.body)).body).toEqual(opened);
    expect((await shop.get('A1')).checkouts).toHaveLength(1);
  });

  it('at a new price is opened by a server whose clock is behind', async () => {
    await shop.open((await shop.put('A10')).body);
    shop.stack.clock.advance(-5);
    const dearer = await shop.put('A10', { ...PRICE, amount: '12.99' });
    const opened = await shop.open(dearer.body);
    expect(opened).toMatchObject({ status: 200, body: { amount: '12.99' } });
    expect(opened.body.sessionId).toBeDefined();
  });

  it('has the decimal places of its merchant’s currency', async () => {
    const yen = await PuttingShop.start({ merchant: { currency: 'JPY', split: [] } });
    await yen.put('A9', { amount: '500', currency: 'JPY' });
    expect(await yen.get('A9')).toMatchObject({ amount: '500', currency: 'JPY' });
    const { status, body } = await yen.put('A8', { amount: '500.50', currency: 'JPY' });
    expect([status, body.detail]).toEqual([400, expect.stringContaining('such as "1234"')]);
    await yen.stack.close();
  });

  it('is shown to its merchant before it has a checkout', async () => {
    await shop.put('A2', { ...PRICE, amount: '12.5', description: 'Two teas' });
    expect(await shop.get('A2')).toEqual({
      ...{ merchant: 'teashop', order: 'A2', state: 'open', certain: false },
      ...{ amount: '12.50', currency: 'GBP', refund: 'none', amountRefunded: '0.00' },
      ...{ attention: [], description: 'Two teas', checkouts: [] },
      createdAt: expect.stringMatching(/Z$/) as string,
      updatedAt: expect.stringMatching(/Z$/) as string,
    });
  });

  it('is paid at its link, which is valid for 30 days unless it says otherwise', async () => {
    const { payUrl, expiresAt } = (await shop.put('A3')).body;
    const days = (Date.parse(expiresAt) - shop.stack.clock.now()) / 86_400_000;
    expect(days).toBeCloseTo(30, 3);
    const page = await shop.stack.fetch(new URL(payUrl).pathname);
    expect([page.status, page.text.includes('order="A3"')]).toEqual([200, true]);
    const { body: short } = await shop.put('A3', { ...PRICE, expiresInSeconds: 60 });
    shop.stack.clock.advance(60);
    expect((await shop.open(short)).body.code).toBe('order_token_expired');
    expect((await shop.stack.fetch(new URL(short.payUrl).pathname)).status).toBe(410);
  });

  it('passes on what is known of the customer, and goes to its own return page', async () => {
    const returnUrl = `${SHOP_ORIGIN}/thanks?checkout={checkout}`;
    const customer = { email: 'nightjar@example.test', firstName: 'Sam', lastName: 'Nightjar' };
    const address = { address1: '12 Sample Street', postcode: null };
    const { body } = await shop.put('A4', { ...PRICE, customer, address, returnUrl });
    const { checkout, sessionId = '' } = (await shop.open(body)).body;
    await shop.payIn(sessionId, checkout);
    expect(shop.payer('A4')).toContain('Nightjar');
    const left = await shop.stack.fetch(
      `/v1/checkouts/${checkout}/leave?kind=return&orderToken=${body.orderToken}`,
    );
    expect(left.headers.get('location')).toBe(`${SHOP_ORIGIN}/thanks?checkout=${checkout}`);
  });

  it('leaves no word about a person in the data file', () => {
    const { folder } = shop.stack;
    const files = readdirSync(folder).filter((name) => /^data\.sqlite(-wal)?$/.test(name));
    const bytes = files.map((name) => readFileSync(join(folder, name), 'latin1')).join('');
    expect(bytes).toContain('A4');
    for (const text of ['nightjar', 'Sample Street', 'Two teas']) expect(bytes).not.toContain(text);
  });

  const LINES = [
    { name: 'Darjeeling, 100 g', quantity: 2, amount: '11.00' },
    { name: 'Voucher <b>', amount: '-1.01' },
  ];

  it('shows its shopper what it consists of, and its merchant all that was put', async () => {
    const metadata = { basket: 'b-17', 'picked.by': 'Sam <Sample>' };
    const { body } = await shop.put('A20', { ...PRICE, metadata, lineItems: LINES, locale: 'de' });
    const lineItems = [LINES[0], { ...LINES[1], quantity: 1 }];
    expect(await shop.get('A20')).toMatchObject({ metadata, lineItems, locale: 'de' });
    const preview = (await shop.open(body, { preview: true })).body;
    expect(preview).toMatchObject({ amount: '9.99', lineItems });
    const opened = (await shop.open(body)).body;
    expect(opened).toMatchObject({ state: 'open', lineItems });
    expect((await shop.open(body)).body).toEqual(opened);
    await shop.payIn(opened.sessionId, opened.checkout);
    await expect
      .poll(() => shop.stack.shop.events.filter(({ body }) => body.includes('"A20"')))
      .toEqual([expect.objectContaining({ body: expect.stringContaining('"b-17"') as string })]);
    const { events } = (await shop.ask<MerchantEventList>('GET', 'events')).body;
    expect(events.find(({ data }) => data.order === 'A20')?.data).toMatchObject({ metadata });
    expect(JSON.stringify([preview, opened])).not.toContain('b-17');
    expect(shop.payer('A20')).not.toContain('b-17');
  });

  it('has notes and lines in no table until they are erased with it, and in no event after that', async () => {
    await shop.putAndOpen('A21', { ...PRICE, metadata: { note: 'Whinchat' }, lineItems: LINES });
    const file = () => readFileSync(join(shop.stack.folder, 'data.sqlite-wal'), 'latin1');
    for (const text of ['Whinchat', 'Darjeeling']) expect(file()).not.toContain(text);
    const database = new DatabaseSync(join(shop.stack.folder, 'data.sqlite'));
    database.exec(`UPDATE orders SET sealed = NULL WHERE order_name = 'A21'`);
    database.close();
    const erased = await shop.get('A21');
    expect([erased.metadata, erased.lineItems]).toEqual([undefined, undefined]);
    const { events } = (await shop.ask<MerchantEventList>('GET', 'events')).body;
    expect(JSON.stringify(events)).not.toContain('Whinchat');
  });

  it('says at its link in which language the hosted page is', async () => {
    const { body } = await shop.put('A22', { ...PRICE, locale: 'pt-BR' });
    const { pathname, search } = new URL(body.payUrl);
    expect(search).toBe('?locale=pt-BR');
    const page = await shop.stack.fetch(pathname + search, {
      headers: { 'accept-language': 'fr' },
    });
    expect(page.text).toContain('<html lang="pt');
    expect(new URL((await shop.put('A22')).body.payUrl).search).toBe('');
  });

  it.each<[string, object, string, string]>([
    [
      'lines that do not add up',
      { lineItems: [{ name: 'Tea', amount: '9.98' }] },
      'lineItems',
      'expected amounts that add up to 9.99, the amount of the order; they add up to 9.98',
    ],
    [
      'lines beyond any amount',
      { lineItems: Array(2).fill({ name: 'Tea', amount: '80000000000000' }) },
      'lineItems',
      'they add up to too much',
    ],
    [
      'a line with a third decimal',
      {
        lineItems: [
          { name: 'Tea', amount: '9.990' },
          { name: 'x', amount: '0.001' },
        ],
      },
      'lineItems.1.amount',
      'expected decimal text with at most 2 decimal places, such as "-2.50"',
    ],
    [
      'half a piece',
      { lineItems: [{ name: 'Tea', quantity: 0.5, amount: '9.99' }] },
      'lineItems.0.quantity',
      'expected a whole number',
    ],
    ['no line', { lineItems: [] }, 'lineItems', 'expected at least 1 items'],
    [
      'an unknown field in a line',
      { lineItems: [{ name: 'Tea', amount: '9.99', sku: 1 }] },
      'lineItems.0.sku',
      'not accepted here; leave it out',
    ],
    [
      'too many notes',
      { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`n${String(n)}`, ''])) },
      'metadata',
      'expected at most 20 entries',
    ],
    ['a note that is no text', { metadata: { n: 1 } }, 'metadata.n', 'expected text'],
    [
      'a name with a space',
      { metadata: { 'a b': '' } },
      'metadata',
      'expected a name of up to 40 letters',
    ],
    ['a language in words', { locale: 'German, please' }, 'locale', 'expected a language tag'],
  ])('is refused with %s, by field', async (_what, fields, field, message) => {
    const { status, body } = await shop.put('A23', { ...PRICE, ...fields });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    const [mistake] = body.errors ?? [];
    expect(mistake?.field).toContain(field);
    expect(mistake?.message).toContain(message);
  });

  it('has one version, however often it is put at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => shop.put('A5')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      ...Array.from({ length: 9 }, () => 200),
      201,
    ]);
    const opened = await Promise.all(answers.map(({ body }) => shop.open(body)));
    expect(new Set(opened.map(({ body }) => body.sessionId)).size).toBe(1);
    expect((await shop.get('A5')).checkouts).toHaveLength(1);
  });

  it('has the price of one of those who put it at the same time, for all of them', async () => {
    const amounts = ['1.00', '2.00', '3.00', '4.00'];
    const answers = await Promise.all(
      amounts.map((amount) => shop.put('A6', { ...PRICE, amount })),
    );
    const opened = await Promise.all(answers.map(({ body }) => shop.open(body)));
    const { amount } = await shop.get('A6');
    expect(new Set(opened.map(({ body }) => body.amount))).toEqual(new Set([amount]));
  });

  it.each([
    ['a new price', { ...PRICE, amount: '12.00' }],
    ['a new split', { ...PRICE, split: [{ ...RECEIVER, fixed: '0.50' }] }],
  ])('is another version with %s, and the first again when that comes back', async (_, changed) => {
    const order = `B-${String(_.length)}-${_.replaceAll(' ', '-')}`;
    const first = await shop.putAndOpen(order);
    const other = await shop.putAndOpen(order, changed);
    expect(other.checkout).not.toBe(first.checkout);
    expect(await shop.putAndOpen(order)).toMatchObject({
      ...{ checkout: first.checkout, sessionId: first.sessionId },
    });
    expect((await shop.get(order)).checkouts).toHaveLength(2);
  });

  it('watches the session of its older price: a payment there raises attention', async () => {
    const old = await shop.putAndOpen('B3');
    await shop.putAndOpen('B3', { ...PRICE, amount: '12.00' });
    await shop.payIn(old.sessionId, old.checkout);
    const paid = { state: 'paid', certain: true, amount: '9.99', attention: ['price_changed'] };
    expect(await shop.get('B3')).toMatchObject(paid);
  });

  it('keeps its session when only other things change; the next session has them', async () => {
    const order = (lastName: string) => ({ ...PRICE, customer: { lastName } });
    const first = await shop.putAndOpen('B4', order('Olderson'));
    const { body } = await shop.put('B4', order('Newman'));
    expect((await shop.open(body)).body).toEqual(first);
    const renewed = (await shop.open(body, { renew: first.sessionId })).body;
    expect(renewed.checkout).toBe(first.checkout);
    await shop.payIn(renewed.sessionId, first.checkout);
    expect(shop.payer('B4')).toContain('Newman');
  });

  it('is put while its checkout is being created: who asks next gets the new price', async () => {
    const { sandbox } = shop.stack;
    const { body } = await shop.put('B5');
    sandbox.control.addFault({ operation: 'create-session', fault: 'hold' });
    const slow = shop.open(body);
    await expect.poll(() => sandbox.control.faults().held).toBe(1);
    expect((await shop.put('B5', { ...PRICE, amount: '12.00' })).status).toBe(200);
    sandbox.control.releaseFaults();
    expect((await slow).body.amount).toBe('9.99');
    expect((await shop.open(body)).body.amount).toBe('12.00');
  });

  it('has another state only with another price: a price that no one opened is open', async () => {
    const { sessionId, checkout } = await shop.putAndOpen('B6');
    await shop.stack.post(`/v1/checkouts/${checkout}/hints`, { kind: 'cancelled', sessionId });
    expect((await shop.put('B6')).body.state).toBe('cancelled');
    expect((await shop.put('B6', { ...PRICE, amount: '12.00' })).body.state).toBe('open');
    expect(await shop.get('B6')).toMatchObject({ state: 'open', amount: '12.00' });
  });

  it('is changed no more once it is paid', async () => {
    const { sessionId, checkout } = await shop.putAndOpen('B7');
    await shop.payIn(sessionId, checkout);
    for (const answer of [
      await shop.put('B7'),
      await shop.put('B7', { ...PRICE, amount: '12.00' }),
      await shop.makeVoid('B7'),
    ]) {
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({ code: 'order_already_paid', state: 'paid' });
    }
    expect(await shop.get('B7')).toMatchObject({ state: 'paid', amount: '9.99', attention: [] });
  });
});

describe('an order that is made void', () => {
  it('can be opened no more, until it is put again', async () => {
    const { body } = await shop.put('C1');
    const { updatedAt } = await shop.get('C1');
    shop.stack.clock.advance(1);
    for (const time of ['first', 'second']) {
      const { status, body: answer } = await shop.makeVoid('C1');
      expect([time, status, answer.state]).toEqual([time, 200, 'void']);
    }
    expect(await shop.get('C1')).toMatchObject({ state: 'void', certain: false, amount: '9.99' });
    expect((await shop.get('C1')).updatedAt > updatedAt).toBe(true);
    const refused = await shop.open(body);
    expect([refused.status, refused.body.code]).toEqual([409, 'order_void']);
    const again = await shop.put('C1');
    expect([again.status, again.body.state]).toEqual([200, 'open']);
    expect((await shop.open(body)).status).toBe(200);
  });

  it('keeps its session at the provider; a payment there is honoured, with attention', async () => {
    const { checkout, sessionId } = await shop.putAndOpen('C2');
    await shop.makeVoid('C2');
    await shop.payIn(sessionId, checkout);
    const paid = { state: 'paid', certain: true, attention: ['paid_after_void'] };
    expect(await shop.get('C2')).toMatchObject(paid);
    await expect
      .poll(() => shop.stack.shop.events.filter(({ data }) => data['order'] === 'C2'))
      .toMatchObject([
        { type: 'checkout.paid', data: paid },
        { type: 'checkout.attention', data: paid },
      ]);
  });

  it('and is paid is shown as paid to the shopper who comes back', async () => {
    const { body } = await shop.put('C3');
    const { checkout, sessionId } = (await shop.open(body)).body;
    await shop.makeVoid('C3');
    await shop.payIn(sessionId, checkout);
    expect((await shop.open(body)).body).toMatchObject({ checkout, state: 'paid' });
  });

  it('is none that no one put', async () => {
    const { status, body } = await shop.makeVoid('nowhere');
    expect([status, body.code]).toEqual([404, 'order_not_found']);
  });
});

describe('what is wrong with an order that is put', () => {
  it.each([
    ['amount', { currency: 'GBP' }],
    ['amount', { ...PRICE, amount: 9.99 }],
    ['amount', { ...PRICE, amount: '0.00' }],
    ['amount', { ...PRICE, amount: '9.999' }],
    ['amount', { ...PRICE, amount: '-1.00' }],
    ['currency', { ...PRICE, currency: 'EUR' }],
    ['description', { ...PRICE, description: 'x'.repeat(501) }],
    ['customer.email', { ...PRICE, customer: { email: 'x'.repeat(400) } }],
    ['customer.emial', { ...PRICE, customer: { emial: 'x' } }],
    ['address.postcode', { ...PRICE, address: { postcode: 1 } }],
    ['returnUrl', { ...PRICE, returnUrl: 'https://elsewhere.example/{checkout}' }],
    ['returnUrl', { ...PRICE, returnUrl: `${SHOP_ORIGIN}/thanks` }],
    ['split.0.fixed', { ...PRICE, split: [{ ...RECEIVER, fixed: '0.001' }] }],
    ['split', { ...PRICE, split: [{ ...RECEIVER, percent: '99' }] }],
    ['expiresInSeconds', { ...PRICE, expiresInSeconds: 366 * 86_400 }],
    ['status', { ...PRICE, status: 'paid' }],
  ])('is named: %s', async (field, order) => {
    const { status, body } = await shop.put('D1', order);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors?.map((error) => error.field)).toEqual([field]);
    expect((await shop.ask('GET', 'orders/D1')).status).toBe(404);
  });

  it('may also be its name, its size, or fees that come to more', async () => {
    const name = await shop.put('~D2');
    expect([name.status, name.body.errors?.[0]?.field]).toEqual([400, 'order']);
    const large = await shop.put('D2', { ...PRICE, description: 'x'.repeat(64 * 1024) });
    expect([large.status, large.body.code]).toEqual([413, 'body_too_large']);
    const fees = { ...PRICE, split: [{ ...RECEIVER, fixed: '9.90' }] };
    const exceeding = await shop.put('D2', fees);
    expect([exceeding.status, exceeding.body.code]).toEqual([422, 'split_exceeds_amount']);
  });

  it('is not shown to who has no key', async () => {
    for (const [method, path] of [
      ['PUT', 'orders/D3'],
      ['GET', 'orders/D3'],
      ['DELETE', 'orders/D3'],
      ['GET', 'orders'],
      ['GET', 'events'],
    ] as const) {
      const body = method === 'PUT' ? {} : undefined;
      const answer = await shop.ask(method, path, body, 'wrong');
      expect([answer.status, answer.body.code]).toEqual([401, 'merchant_key_refused']);
    }
  });
});

describe('the secret of order tokens', () => {
  it('is the shop’s own where it has one', async () => {
    const secret = 'the-secret-that-the-shop-makes-tokens-with';
    const own = await PuttingShop.start({ merchant: { orderTokenSecret: [secret] } });
    const { orderToken } = (await own.put('E1')).body;
    const claim = { merchant: 'teashop', order: 'E1' };
    expect(checkOrderToken(orderToken, claim, [new Secret(secret)], Date.now())).toBe('valid');
    await own.stack.close();
  });

  it('is otherwise the server’s, and the same after a start', async () => {
    const own = await PuttingShop.start();
    const { body } = await own.put('E2');
    const otherKey = 'key-of-the-coffee-shop';
    await own.stack.server.close();
    const apiKeyHash = `sha256:${createHash('sha256').update(otherKey).digest('hex')}`;
    own.stack.addMerchant({ id: 'coffeeshop', apiKeyHash: [apiKeyHash] });
    await own.stack.startServer();
    expect((await own.open(body)).status).toBe(200);
    const other = await own.ask<PutOrderReply>('PUT', 'orders/E2', PRICE, otherKey);
    expect(other.status).toBe(201);
    const { orderToken } = other.body;
    expect((await own.open({ order: 'E2', orderToken }, { merchant: 'coffeeshop' })).status).toBe(
      200,
    );
    expect((await own.open({ order: 'E2', orderToken })).status).toBe(404);
    // Nothing of the one merchant is the other's.
    await own.put('E3');
    for (const [method, path] of [
      ['GET', 'orders/E3'],
      ['DELETE', 'orders/E3'],
    ] as const) {
      expect((await own.ask(method, path, undefined, otherKey)).status).toBe(404);
    }
    await own.stack.close();
  });
});

describe('a shop without any endpoint or secret', () => {
  it('is paid, and reads its events', async () => {
    const bare = await PuttingShop.start({ merchant: WITHOUT_ENDPOINT });
    const { checkout, sessionId } = await bare.putAndOpen('F1');
    await bare.payIn(sessionId, checkout);
    expect(await bare.get('F1')).toMatchObject({ state: 'paid', certain: true });
    await expect
      .poll(async () => (await bare.ask<MerchantEventList>('GET', 'events')).body.events)
      .toMatchObject([{ type: 'checkout.paid', data: { order: 'F1', certain: true } }]);
    expect([bare.stack.shop.lookups, bare.stack.shop.events]).toEqual([[], []]);
    const database = new DatabaseSync(bare.stack.databaseFile, { readOnly: true });
    const statuses = () =>
      database
        .prepare('SELECT status, tries FROM outbox_events')
        .all()
        .map((row) => ({ ...row }));
    await expect.poll(statuses).toEqual([{ status: 'skipped', tries: 0 }]);
    database.close();
    await bare.stack.close();
  });
});

describe('a merchant whose shop is asked for each order', () => {
  it('can put none, and make none void', async () => {
    const stack = await TestStack.start();
    await stack.open('G1', PRICE);
    for (const method of ['PUT', 'DELETE']) {
      const headers = {
        authorization: `Bearer ${stack.merchantKey}`,
        'content-type': 'application/json',
      };
      const { status, body } = await stack.fetch<Problem>('/v1/merchant/orders/G1', {
        ...{ method, headers },
        ...(method === 'PUT' && { body: JSON.stringify(PRICE) }),
      });
      expect([status, body.code]).toEqual([409, 'order_lookup_in_use']);
    }
    await stack.close();
  });
});

describe('the requests of one key', () => {
  it('are limited', async () => {
    const few = await PuttingShop.start({ tuning: { rateLimits: { apiPerMerchant: 2 } } });
    const answers = [await few.put('H1'), await few.put('H1'), await few.put('H1')];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 429]);
    await few.stack.close();
  });
});
