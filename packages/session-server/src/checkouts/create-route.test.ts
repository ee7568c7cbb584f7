import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreateCheckoutReply, Problem } from '../contract.js';
import { SHOP_ORIGIN, TestStack } from '../testing/test-stack.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
  stack.shop.orders.set('A1', { amount: '9.99' });
});
afterAll(() => stack.close());

const body = () =>
  JSON.stringify({ merchant: 'teashop', order: 'A1', orderToken: stack.token('A1') });

const send = (init: {
  path?: string;
  type?: string;
  origin?: string;
  body?: string | Uint8Array;
}) =>
  stack.fetch<CreateCheckoutReply & Problem>(init.path ?? '/v1/checkouts', {
    method: 'POST',
    headers: {
      origin: init.origin ?? SHOP_ORIGIN,
      ...(init.type === '' ? {} : { 'content-type': init.type ?? 'application/json' }),
    },
    body: (init.body ?? body()) as string,
  });

describe('a request for a checkout', () => {
  it.each([
    ['with a slash at the end', '/v1/checkouts/'],
    ['in capitals', '/V1/CHECKOUTS'],
    ['with a query', '/v1/checkouts?from=cart'],
  ])('is taken at its address %s', async (_how, path) => {
    const { status, body: reply } = await send({ path });
    expect([status, reply.state]).toEqual([200, 'open']);
  });

  it.each([
    ['below it', '/v1/checkouts/more'],
    ['next to it', '/v1/checkoutsx'],
  ])('is a 404 at an address %s', async (_where, path) => {
    const { status, body: problem } = await send({ path });
    expect([status, problem.code]).toEqual([404, 'not_found']);
  });

  it.each([
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;charset=UTF-8',
    'text/plain',
    'text/plain;charset=UTF-8',
  ])('is taken as %s', async (type) => {
    expect((await send({ type })).status).toBe(200);
  });

  it.each([
    ['other text', { type: 'text/html' }],
    ['text in UTF-16', { type: 'text/plain;charset=utf-16' }],
    ['half of JSON as text', { type: 'text/plain', body: '{"merchant":' }],
    ['a form', { type: 'application/x-www-form-urlencoded' }],
    ['something like JSON', { type: 'application/jsonp' }],
    ['nothing named', { type: '', body: new TextEncoder().encode('{}') }],
    ['half of JSON', { body: '{"merchant":' }],
  ])('as %s is refused, and says what to send', async (_what, init) => {
    const { status, body: problem } = await send(init);
    expect([status, problem.code]).toEqual([400, 'invalid_request']);
    expect(problem.errors).toEqual([
      { field: 'body', message: 'is not JSON; send application/json in UTF-8' },
    ]);
  });

  it.each(['', 'null', '[]', '"A1"', '7'])('that is %j is refused', async (text) => {
    const { status, body: problem } = await send({ body: text });
    expect([status, problem.code]).toEqual([400, 'invalid_request']);
  });

  it.each(['application/json', 'text/plain'])(
    'that is too large is refused before it is read, as %s',
    async (type) => {
      const { status, body: problem } = await send({ type, body: `"${'x'.repeat(17_000)}"` });
      expect([status, problem.code]).toEqual([413, 'body_too_large']);
    },
  );

  it('as text is checked as JSON is: an amount is refused by its name', async () => {
    const text = JSON.stringify({ ...(JSON.parse(body()) as object), amount: '0.01' });
    const { status, body: problem } = await send({ type: 'text/plain', body: text });
    expect([status, problem.errors?.map(({ field }) => field)]).toEqual([400, ['amount']]);
  });

  it.each([
    ['taken', {}, 200],
    ['refused', { body: '{}' }, 400],
    ['too large', { body: `"${'x'.repeat(17_000)}"` }, 413],
  ])(
    'that is %s may be read by its page, as data under an id of its own',
    async (_what, init, code) => {
      const [one, two] = [await send(init), await send(init)];
      expect(one.status).toBe(code);
      expect(one.headers.get('access-control-allow-origin')).toBe(SHOP_ORIGIN);
      expect(one.headers.get('access-control-expose-headers')).toBe('retry-after, x-request-id');
      expect(one.headers.get('vary')).toBe('Origin');
      expect(Number(one.headers.get('content-length'))).toBe(Buffer.byteLength(one.text));
      expect(one.headers.get('content-type')).toMatch(
        /^application\/(problem\+)?json; charset=utf-8$/,
      );
      expect(one.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(two.headers.get('x-request-id')).not.toBe(one.headers.get('x-request-id'));
      const health = await stack.fetch('/healthz');
      for (const name of DATA_HEADERS) {
        expect(one.headers.get(name), name).toBe(health.headers.get(name));
        expect(one.headers.get(name), name).not.toBeNull();
      }
    },
  );

  it('is limited by the address that our own proxies give, and by no other', async () => {
    const guarded = await TestStack.start({
      env: { PAY_TRUST_PROXY: '127.0.0.1' },
      tuning: { rateLimits: { createPerAddress: 1 } },
    });
    try {
      const from = (forwarded: string) =>
        guarded.post('/v1/checkouts', { merchant: 'unknown' }, { 'x-forwarded-for': forwarded });
      const given = ['198.51.100.1', '198.51.100.2', '203.0.113.9, 198.51.100.1'];
      const answers = [];
      for (const forwarded of given) answers.push((await from(forwarded)).status);
      expect(answers).toEqual([400, 400, 429]);
    } finally {
      await guarded.close();
    }
  });
});

/** What every answer that is data carries. */
const DATA_HEADERS = [
  'cache-control',
  'content-security-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
];

describe('a server that has given out all its order ids', () => {
  it('says so in a code of its own, and begins no payment', async () => {
    // A start takes it, and two minutes later no id is left.
    const soon = Math.floor((Date.now() - Date.UTC(2025, 0, 1)) / 1000) + 60;
    const full = await TestStack.start({ env: { PAY_MAX_ORDER_ID: String(soon) } });
    full.advance(120);
    try {
      await full.open('A1', { amount: '5.00' });
      const { status, body, headers } = await full.open('A2', { amount: '5.00' });
      expect([status, body.code]).toEqual([503, 'order_ids_exhausted']);
      expect(headers.get('retry-after')).toBeNull();
      expect(full.createSessionCalls()).toBeLessThan(2);
    } finally {
      await full.close();
    }
  });
});
