import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckoutStatusReply, NeedsReply, CreateCheckoutReply, Problem } from '../contract.js';
import { SHOP_ORIGIN, TestStack } from '../testing/test-stack.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.close());

/** Who receives a share of an order. */
const PARTNER = { partnerMerchantId: 503, typeId: 1 };

describe('creating a checkout', () => {
  it('answers with the session, the SDK and the price that the shop set', async () => {
    const { status, body } = await stack.open('A1', { amount: '9.99' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'open', amount: '9.99', currency: 'GBP', revision: 1 });
    expect(body.environment).toBe('sandbox');
    expect(body.sdk?.global).toBe('PaySandbox');
    expect(stack.session(body.sessionId ?? '')).toMatchObject({
      merchant_id: 1001,
      Amount: '9.99',
    });
  });

  it('opens one session for ten requests at the same time', async () => {
    stack.shop.orders.set('A2', { amount: '20.00' });
    const before = stack.createSessionCalls();
    const answers = await Promise.all(Array.from({ length: 10 }, () => stack.reopen('A2')));
    expect(new Set(answers.map(({ body }) => body.sessionId)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.checkout)).size).toBe(1);
    expect(stack.createSessionCalls() - before).toBe(1);
  });

  it('gives the same session again after a cancel, and says open again', async () => {
    const { body: first } = await stack.open('A3', { amount: '5.00' });
    await stack.post(`/v1/checkouts/${first.checkout}/hints`, {
      kind: 'cancelled',
      sessionId: first.sessionId,
    });
    const { body: again } = await stack.reopen('A3');
    expect(again).toMatchObject({ sessionId: first.sessionId, state: 'open', revision: 3 });
  });

  it('creates another checkout for another price, and keeps one session active', async () => {
    const { body: first } = await stack.open('A4', { amount: '5.00' });
    const { body: second } = await stack.open('A4', { amount: '6.00' });
    expect(second.checkout).not.toBe(first.checkout);
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(stack.session(second.sessionId ?? '').Amount).toBe('6.00');
  });

  it('says what was refunded of an order that is paid', async () => {
    const { body } = await stack.open('R1', { amount: '5.00' });
    await stack.payAtProvider(body.sessionId ?? '');
    const { control } = stack.sandbox;
    control.refund(control.transactions().at(-1)?.row.id ?? '');
    await stack.post(stack.webhookPath(body.sessionId ?? ''), {});
    await stack.until(body.checkout, 'paid');
    expect((await stack.reopen('R1')).body).toMatchObject({ state: 'paid', refund: 'full' });
  });

  it('renews a session that the SDK refused, three times an hour at most', async () => {
    let { body } = await stack.open('A5', { amount: '5.00' });
    for (let renewal = 0; renewal < 3; renewal += 1) {
      const renewed = await stack.reopen('A5', { renew: body.sessionId });
      expect(renewed.status).toBe(200);
      expect(renewed.body.sessionId).not.toBe(body.sessionId);
      body = renewed.body;
    }
    const refused = await stack.reopen('A5', { renew: body.sessionId });
    expect(refused.status).toBe(429);
    expect(refused.body.code).toBe('too_many_renewals');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('answers a renewal of an older session with the newest one', async () => {
    const { body: first } = await stack.open('A6', { amount: '5.00' });
    const { body: second } = await stack.reopen('A6', { renew: first.sessionId });
    const { body: third } = await stack.reopen('A6', { renew: first.sessionId });
    expect(third.sessionId).toBe(second.sessionId);
  });

  it('tries once more with a reference of its own when the answer is lost', async () => {
    stack.sandbox.control.addFault({ operation: 'create-session', fault: 'drop-after-commit' });
    const { status, body } = await stack.open('A7', { amount: '5.00' });
    expect(status).toBe(200);
    const sessions = stack.sandbox.control
      .sessions()
      .filter(({ MerchantReference: reference }) => reference?.startsWith('A7.'));
    expect(sessions).toHaveLength(2);
    expect(new Set(sessions.map(({ order_id: id }) => id)).size).toBe(2);
    expect(sessions.map(({ session_id: id }) => id)).toContain(body.sessionId);
  });

  it('asks the provider twice at most, and then says that nothing was paid', async () => {
    const before = stack.createSessionCalls();
    stack.sandbox.control.addFault({ operation: 'create-session', fault: 'error', times: 2 });
    const { status, body } = await stack.open('A8', { amount: '5.00' });
    expect(status).toBe(503);
    expect(body.code).toBe('provider_unavailable');
    expect(stack.createSessionCalls() - before).toBe(2);
    expect((await stack.reopen('A8')).status).toBe(200);
  });

  it.each([
    ['a field', 400],
    ['our key', 401],
  ])('does not repeat what the provider refused: %s', async (_, refusal) => {
    const before = stack.createSessionCalls();
    const fault = { operation: 'create-session', fault: 'error', status: refusal } as const;
    stack.sandbox.control.addFault(fault);
    const { status, body } = await stack.open('A9', { amount: '5.00' });
    expect([status, body.code]).toEqual([502, 'provider_refused']);
    expect(stack.createSessionCalls() - before).toBe(1);
  });

  it('says opening when another request has been at the provider for too long', async () => {
    const patient = await TestStack.start({ tuning: { ownerWaitSeconds: 0.4 } });
    try {
      patient.sandbox.control.addFault({ operation: 'create-session', fault: 'hold' });
      const owner = patient.open('A10', { amount: '5.00' });
      await expect.poll(() => patient.sandbox.control.faults().held).toBe(1);
      const waiter = await patient.reopen('A10');
      expect(waiter.status).toBe(202);
      expect(waiter.body).toMatchObject({ state: 'opening' });
      patient.sandbox.control.releaseFaults();
      const { body } = await owner;
      expect((await patient.reopen('A10')).body.sessionId).toBe(body.sessionId);
      expect(patient.createSessionCalls()).toBe(1);
    } finally {
      await patient.close();
    }
  });
});

describe('an order with a split of its own', () => {
  /** What the provider deducted for all shares, of each payment of an order. */
  const deductions = (order: string) =>
    stack.sandbox.control
      .transactions()
      .filter(({ row }) => row.orderRef?.startsWith(`${order}.`))
      .map(({ row }) => row.deductions);

  it('is created with it next to the merchant’s, and again when it changes', async () => {
    const order = { amount: '10.00', split: [{ ...PARTNER, percent: '10', cap: '0.50' }] };
    const { body: first } = await stack.open('S1', order);
    expect((await stack.open('S1', order)).body.sessionId).toBe(first.sessionId);
    const changed = { ...order, split: [{ ...PARTNER, fixed: '2' }] };
    const { body: other } = await stack.open('S1', changed);
    expect(other.checkout).not.toBe(first.checkout);
    await stack.payAtProvider(first.sessionId ?? '');
    await stack.payAtProvider(other.sessionId ?? '');
    // 0.25 and 0.30 are the merchant’s own rules.
    expect(deductions('S1').toSorted()).toEqual(['1.05', '2.55']);
  });
});

describe('a tag of a later version', () => {
  const LATER = { laterText: 'later', laterList: [{ a: 1 }], laterNothing: null };

  it('opens a checkout at the shop’s price, and its hints count, with fields that are not known here', async () => {
    stack.shop.orders.set('V1', { amount: '5.00' });
    const avs = { houseNumber: '12', postcode: 'ZZ1 1ZZ', ...LATER };
    const { status, body } = await stack.reopen('V1', { avs, ...LATER });
    expect([status, body.amount]).toEqual([200, '5.00']);
    const { checkout, sessionId } = body;
    const hint = { kind: 'cancelled', sessionId, ...LATER };
    const answer = await stack.post(`/v1/checkouts/${checkout}/hints`, hint);
    expect(answer.body).toEqual({ state: 'cancelled' });
  });
});

describe('a request that is not good', () => {
  it.each([
    ['amount', { amount: '0.01' }],
    ['currency', { currency: 'JPY' }],
    ['split', { split: [] }],
    ['RedirectUrl', { RedirectUrl: 'https://evil.example' }],
    ['CancelUrl', { CancelUrl: 'https://evil.example' }],
    ['backurl', { backurl: 'https://evil.example' }],
    ['returnUrl', { returnUrl: 'https://evil.example' }],
    ['SplitFee', { SplitFee: [] }],
  ])('with %s is refused by the name of the field, and opens nothing', async (field, extra) => {
    stack.shop.orders.set('B1', { amount: '5.00' });
    const before = stack.createSessionCalls();
    const { status, body } = await stack.reopen('B1', extra);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors?.map((error) => error.field)).toContain(field);
    expect(stack.createSessionCalls()).toBe(before);
  });

  it('names every wrong field at once', async () => {
    const { body } = await stack.post<Problem>('/v1/checkouts', { order: '../x', amount: 1 });
    expect(body.errors?.map(({ field }) => field).sort()).toEqual(['amount', 'merchant', 'order']);
  });

  it('that is not JSON is refused as problem JSON', async () => {
    const { status, headers, body } = await stack.fetch<Problem>('/v1/checkouts', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: SHOP_ORIGIN },
      body: '{"merchant":',
    });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(headers.get('content-type')).toContain('application/problem+json');
  });

  it('of an unknown merchant is refused', async () => {
    const { status, body } = await stack.reopen('B2', { merchant: 'unknown' });
    expect([status, body.code]).toEqual([404, 'unknown_merchant']);
  });

  it.each([
    ['another site', 'https://evil.example'],
    ['a similar name', `${SHOP_ORIGIN}.evil.example`],
    ['no origin at all', ''],
    ['a sandboxed frame', 'null'],
    ['two origins', `${SHOP_ORIGIN}, ${SHOP_ORIGIN}`],
  ])('of a page of %s is refused', async (_who, origin) => {
    stack.shop.orders.set('B3', { amount: '5.00' });
    const { status, body, headers } = await stack.post<Problem>(
      '/v1/checkouts',
      { merchant: 'teashop', order: 'B3', orderToken: stack.token('B3') },
      { origin },
    );
    expect([status, body.code]).toEqual([403, 'origin_not_allowed']);
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('with a forged token gets the same answer as an unknown order', async () => {
    stack.shop.orders.set('B4', { amount: '5.00' });
    const forged = await stack.reopen('B4', { orderToken: stack.token('B5') });
    const unknown = await stack.reopen('B6');
    expect([forged.status, forged.body.code]).toEqual([404, 'order_not_found']);
    expect(forged.body.detail).toBe(unknown.body.detail);
    expect(unknown.status).toBe(404);
  });

  it('for which the shop prices another order is refused', async () => {
    const { status, body } = await stack.open('B5', { amount: '5.00', order: 'B4' });
    expect([status, body.code]).toEqual([404, 'order_not_found']);
  });

  it('without a token says so, whether the order exists or not', async () => {
    stack.shop.orders.set('B4', { amount: '5.00' });
    for (const order of ['B4', 'nowhere']) {
      const { status, body } = await stack.reopen(order, { orderToken: undefined });
      expect([status, body.code]).toEqual([401, 'order_token_missing']);
    }
  });

  it('with an expired token says so', async () => {
    stack.shop.orders.set('B7', { amount: '5.00' });
    const { status, body } = await stack.reopen('B7', { orderToken: stack.token('B7', -1) });
    expect([status, body.code]).toEqual([401, 'order_token_expired']);
  });

  it.each([
    ['a currency that the merchant does not have', { amount: '5.00', currency: 'EUR' }, 502],
    ['a fraction of a penny', { amount: '5.001' }, 502],
    ['nothing to pay', { amount: '0.00' }, 502],
    ['less than its fixed split fee', { amount: '0.20' }, 422],
    ['a split that cannot be read', { amount: '5.00', split: [{ percent: '1' }] }, 502],
    [
      'a split of a fraction of a penny',
      { amount: '5.00', split: [{ ...PARTNER, fixed: '0.001' }] },
      502,
    ],
    ['a return page without {checkout}', { amount: '5.00', returnUrl: SHOP_ORIGIN }, 502],
  ])('for an order with %s opens nothing', async (_what, order, expected) => {
    const before = stack.createSessionCalls();
    expect((await stack.open('B8', order)).status).toBe(expected);
    expect(stack.createSessionCalls()).toBe(before);
  });

  it.each([
    ['paid', 'order_already_paid'],
    ['void', 'order_void'],
  ] as const)('for an order that the shop says is %s opens nothing', async (status, code) => {
    const answer = await stack.open(`B9-${status}`, { amount: '5.00', status });
    expect([answer.status, answer.body.code]).toEqual([409, code]);
  });
});

describe('asking for the state', () => {
  it('answers at once when the revision is newer, and shows state, merchant and order only', async () => {
    const { body: opened } = await stack.open('C1', {
      amount: '5.00',
      customer: { email: 'shopper@example.test' },
    });
    const { body, text } = await stack.fetch<CheckoutStatusReply>(
      `/v1/checkouts?id=${opened.checkout}:0&wait=25`,
    );
    expect(body.checkouts).toEqual([
      {
        checkout: opened.checkout,
        merchant: 'teashop',
        order: 'C1',
        state: 'open',
        certain: false,
        revision: 1,
        refund: 'none',
      },
    ]);
    expect(text).not.toContain('example.test');
  });

  it('waits until the state moves', async () => {
    const { body: opened } = await stack.open('C2', { amount: '5.00' });
    const waiting = stack.fetch<CheckoutStatusReply>(
      `/v1/checkouts?id=${opened.checkout}:${String(opened.revision)}&wait=25`,
    );
    await stack.post(`/v1/checkouts/${opened.checkout}/hints`, {
      kind: 'cancelled',
      sessionId: opened.sessionId,
    });
    expect((await waiting).body.checkouts[0]?.state).toBe('cancelled');
  });

  it('lets four wait for one checkout, and answers the fifth when to come back', async () => {
    const { body: opened } = await stack.open('C3', { amount: '5.00' });
    const path = `/v1/checkouts?id=${opened.checkout}:1&wait=25`;
    const waiting = Array.from({ length: 5 }, () => stack.fetch<CheckoutStatusReply>(path));
    const first = await Promise.race(waiting);
    expect(first.body.retryAfterSeconds).toBeGreaterThan(0);
    await stack.post(`/v1/checkouts/${opened.checkout}/hints`, {
      kind: 'cancelled',
      sessionId: opened.sessionId,
    });
    const rest = await Promise.all(waiting);
    expect(rest.filter(({ body }) => body.retryAfterSeconds === undefined)).toHaveLength(4);
  });

  it.each([
    ['an id that was never given out', `id=${'A'.repeat(30)}:0`, 404],
    ['an id of another shape', 'id=1:0', 400],
    ['no id', '', 400],
    ['too long a wait', `id=${'A'.repeat(30)}:0&wait=26`, 400],
    [
      'too many ids',
      Array(21)
        .fill(`id=${'A'.repeat(30)}:0`)
        .join('&'),
      400,
    ],
  ])('with %s is refused', async (_what, query, expected) => {
    expect((await stack.fetch(`/v1/checkouts?${query}`)).status).toBe(expected);
  });
});

describe('a hint', () => {
  it('of any other kind than cancelled moves no state', async () => {
    const { body: opened } = await stack.open('D1', { amount: '5.00' });
    for (const kind of ['shown', 'submitted', 'declined', 'refused', 'error']) {
      const { status, body } = await stack.post<{ state: string }>(
        `/v1/checkouts/${opened.checkout}/hints`,
        { kind },
      );
      expect([status, body.state]).toEqual([200, 'open']);
    }
  });

  it('that says paid is refused: there is no such hint', async () => {
    const { body: opened } = await stack.open('D2', { amount: '5.00' });
    const answer = await stack.post(`/v1/checkouts/${opened.checkout}/hints`, { kind: 'paid' });
    expect(answer.status).toBe(400);
  });

  it('about a checkout that is not known is refused', async () => {
    const answer = await stack.post(`/v1/checkouts/${'A'.repeat(30)}/hints`, { kind: 'shown' });
    expect(answer.status).toBe(404);
  });
});

describe('what a page may load before anything is opened', () => {
  it('is the description of the SDK, without a secret', async () => {
    const { status, body, text } = await stack.fetch<{ sdk: { global: string } }>(
      '/v1/checkout-config?merchant=teashop',
      { headers: { origin: SHOP_ORIGIN } },
    );
    expect([status, body.sdk.global]).toEqual([200, 'PaySandbox']);
    for (const secret of [stack.orderTokenSecret, stack.signingSecret, 'sha256:']) {
      expect(text).not.toContain(secret);
    }
  });

  it('is given to no page of another merchant, whose nonce this merchant’s SDK would get', async () => {
    const origin = 'https://coffee.example';
    stack.addMerchant({
      id: 'coffeeshop',
      providerMerchantId: 1002,
      origins: [origin],
      returnUrl: `${origin}/result?checkout={checkout}`,
      apiKeyHash: [`sha256:${'c'.repeat(64)}`],
    });
    const ask = async (merchant: string) => {
      const path = `/v1/checkout-config?merchant=${merchant}`;
      const { status, body } = await stack.fetch<Problem>(path, { headers: { origin } });
      return [status, body.code];
    };
    await expect.poll(() => ask('coffeeshop')).toEqual([200, undefined]);
    expect(await ask('teashop')).toEqual([403, 'origin_not_allowed']);
  });

  it('is open to preflights of the merchant’s pages only', async () => {
    const ask = (origin: string) =>
      stack.fetch('/v1/checkouts', { method: 'OPTIONS', headers: { origin } });
    const own = await ask(SHOP_ORIGIN);
    expect(own.headers.get('access-control-allow-origin')).toBe(SHOP_ORIGIN);
    expect(own.headers.get('access-control-allow-methods')).toBe('GET, POST');
    expect(own.headers.get('access-control-allow-headers')).toBe('content-type');
    expect(own.headers.get('access-control-allow-credentials')).toBeNull();
    expect(own.headers.get('vary')).toBe('Origin');
    for (const origin of ['https://evil.example', 'null', `${SHOP_ORIGIN}/`, `${SHOP_ORIGIN}0`]) {
      const other = await ask(origin);
      expect(other.headers.get('access-control-allow-origin')).toBeNull();
      expect(other.headers.get('vary')).toBe('Origin');
    }
  });
});

describe('an order whose address is required', () => {
  it('asks for it first, and opens with what the shopper typed', async () => {
    const avsFields = ['flat', 'houseNumber', 'postcode'];
    const strict = await TestStack.start({ merchant: { avs: 'required', avsFields } });
    try {
      const asked = await strict.open('E1', {
        amount: '5.00',
        address: { address1: 'Rose Cottage' },
      });
      expect(asked.body as unknown as NeedsReply).toEqual({
        needs: ['avs'],
        fields: avsFields,
        amount: '5.00',
        currency: 'GBP',
        environment: 'sandbox',
      });
      expect(strict.createSessionCalls()).toBe(0);
      const opened = await strict.reopen('E1', { avs: { houseNumber: '4', postcode: 'zz1 1zz' } });
      expect((opened.body as CreateCheckoutReply).sessionId).toBeDefined();
      const refused = await strict.reopen('E1', { avs: { houseNumber: ' ', postcode: 'zz1 1zz' } });
      expect(refused.body).toMatchObject({ errors: [{ field: 'avs.houseNumber' }] });
    } finally {
      await strict.close();
    }
  });

  it('is not asked for again while its session is open, nor when money may be moving', async () => {
    const strict = await TestStack.start({ merchant: { avs: 'required' } });
    try {
      await strict.open('E2', { amount: '5.00' });
      const avs = { houseNumber: '4', postcode: 'zz1 1zz' };
      const { body: first } = await strict.reopen('E2', { avs });
      const { body: second } = await strict.reopen('E2');
      expect(second).toMatchObject({ checkout: first.checkout, sessionId: first.sessionId });
      expect(strict.createSessionCalls()).toBe(1);

      const { body: renewed } = await strict.reopen('E2', { renew: first.sessionId });
      expect(renewed).toMatchObject({ needs: ['avs'] });
      strict.shop.orders.set('E2', { amount: '6.00' });
      expect((await strict.reopen('E2')).body).toMatchObject({ needs: ['avs'], amount: '6.00' });
      strict.shop.orders.set('E2', { amount: '5.00' });

      await strict.fetch(strict.returnPath(first.sessionId as string, 'RedirectUrl'));
      const { body: moving } = await strict.reopen('E2');
      expect(moving).toMatchObject({ checkout: first.checkout, state: 'returned' });
    } finally {
      await strict.close();
    }
  });
});
