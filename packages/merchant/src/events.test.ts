import express from 'express';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PayCheckout } from './client.js';
import type { EventHandlerOptions } from './events.js';
import type { NodeRequest, RequestHandler } from './incoming.js';
import type { LookupAnswer } from './orders.js';
import { MERCHANT, RealStack, signedHeaders } from './testing/real-stack.js';
import type { MerchantOrder, PayEvent } from './types.js';

const PRICE = { amount: '9.99', currency: 'GBP' };
const prices = new Map<string, LookupAnswer>();
let stack: RealStack;
let pay: PayCheckout;
let lookup: RequestHandler;

beforeAll(async () => {
  stack = await RealStack.start();
  pay = stack.client();
  lookup = pay.orders.lookupHandler((order) => prices.get(order));
});

afterAll(() => stack.close());

type Called = readonly [name: string, order: MerchantOrder, event: PayEvent];

/** What a handler has called, in turn, and the next one as it comes. */
class Calls {
  readonly list: Called[] = [];
  readonly errors: unknown[] = [];
  #waiting: (() => void)[] = [];

  note(name: string, order: MerchantOrder, event: PayEvent): void {
    this.list.push([name, order, event]);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** About the order of the test, or another one. */
  async first(name: string, of = order): Promise<Called> {
    for (;;) {
      const found = this.list.find(([called, { order: known }]) => called === name && known === of);
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** About the order of the test: events of earlier ones may still come. */
  get ofOrder(): Called[] {
    return this.list.filter(([, known]) => known.order === order);
  }

  get names(): string[] {
    return this.ofOrder.map(([name]) => name);
  }
}

let calls: Calls;
let order = '';
let number = 1000;

function newOrder(): void {
  number += 1;
  order = `A${number}`;
  prices.set(order, { ...PRICE, status: 'payable' });
}

beforeEach(() => {
  calls = new Calls();
  newOrder();
});

const callback = (name: string) => (known: MerchantOrder, event: PayEvent) =>
  calls.note(name, known, event);

function optionsOf(changes: Partial<EventHandlerOptions> = {}): EventHandlerOptions {
  return {
    expectedAmount: () => PRICE,
    onPaid: callback('paid'),
    onRefunded: callback('refunded'),
    onAttention: callback('attention'),
    onUnpaid: callback('unpaid'),
    onError: (error) => {
      calls.errors.push(error);
    },
    ...changes,
  };
}

/** A shop with Express, as a merchant writes it. */
function startExpress(handler: RequestHandler, parser?: express.RequestHandler): void {
  const app = express();
  if (parser) app.use(parser);
  app.post('/order-lookup', lookup);
  app.post('/events', handler);
  stack.shop = app;
}

async function payOrder(): Promise<void> {
  await stack.pay(await stack.openCheckout(order, await pay.orderToken(order)));
}

/** An event that says whatever it likes, signed as if the session server had sent it. */
async function deliver(
  data: object = {},
  {
    handler = pay.events.handler(optionsOf()),
    ...signing
  }: {
    handler?: RequestHandler;
    id?: string;
    secret?: string;
    at?: Date;
  } = {},
): Promise<Response> {
  const text = JSON.stringify({
    type: 'checkout.paid',
    timestamp: new Date().toISOString(),
    data: { merchant: MERCHANT, order, state: 'paid', certain: true, ...PRICE, ...data },
  });
  const headers = signedHeaders(text, signing);
  return handler(
    new Request('http://shop.example/events', { method: 'POST', headers, body: text }),
  );
}

async function codeOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { code: unknown }).code;
}

describe('a paid order', () => {
  it('is handed over once it is paid, with its payment and the id of the event', async () => {
    startExpress(pay.events.handler(optionsOf()));
    await payOrder();
    const [, known, event] = await calls.first('paid');
    expect(known).toMatchObject({ order, state: 'paid', certain: true, ...PRICE, refund: 'none' });
    expect(known.payment?.lastDigits).toBe('0001');
    expect(event).toMatchObject({ type: 'checkout.paid', data: { order } });
    expect(event.id).toMatch(/^msg_/);
  });

  it.each([
    ['express.json()', express.json()],
    ['express.raw()', express.raw({ type: () => true })],
    ['express.text()', express.text({ type: () => true })],
  ])('is handed over after %s, too', async (_name, parser) => {
    startExpress(pay.events.handler(optionsOf()), parser);
    await payOrder();
    expect((await calls.first('paid'))[1].order).toBe(order);
    expect(calls.errors).toEqual([]);
  });

  it('is handed over by a fetch handler', async () => {
    const handler = pay.events.handler(optionsOf());
    startExpress(handler);
    await payOrder();
    const [, , { id }] = await calls.first('paid');
    const response = await deliver({}, { id });
    expect(response.status).toBe(204);
    expect(calls.list.map(([, , event]) => event.id)).toContain(id);
  });

  it('with nothing to check is never handed over as refunded, open or for attention', async () => {
    startExpress(pay.events.handler(optionsOf()));
    await payOrder();
    await calls.first('paid');
    await deliver();
    expect(new Set(calls.names)).toEqual(new Set(['paid']));
  });

  it('that was refunded since is not handed over as paid by a late event', async () => {
    startExpress(pay.events.handler(optionsOf()));
    await payOrder();
    const [, { transaction = '' }] = await calls.first('paid');
    stack.sandbox.control.refund(transaction);
    const refunded = order;
    newOrder();
    await payOrder();
    await calls.first('refunded', refunded);
    expect((await deliver({ order: refunded }, { id: 'msg_late' })).status).toBe(204);
    const late = calls.list.filter(([, , { id }]) => id === 'msg_late');
    expect(late.map(([name, { refund }]) => [name, refund])).toEqual([['refunded', 'full']]);
  });
});

describe('an order that a person must check', () => {
  beforeEach(async () => {
    startExpress(pay.events.handler(optionsOf()));
    const older = await stack.openCheckout(order, await pay.orderToken(order));
    prices.set(order, { amount: '12.00', currency: 'GBP', status: 'payable' });
    await stack.openCheckout(order, await pay.orderToken(order));
    await stack.pay(older);
  });

  it('is handed over for that, never as paid, although money came', async () => {
    const [, known] = await calls.first('attention');
    expect(known).toMatchObject({ order, state: 'paid', amount: '9.99' });
    expect(known.attention).toContain('price_changed');
    expect((await deliver({ amount: '12.00' })).status).toBe(204);
    expect(calls.names).not.toContain('paid');
    expect(calls.errors).toEqual([]);
  });

  it('is a line on the console when the shop does not say what to do', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    await calls.first('attention');
    const { onAttention: _, ...rest } = optionsOf();
    expect((await deliver({}, { handler: pay.events.handler(rest) })).status).toBe(204);
    expect(warn.mock.calls).toEqual([
      [`pay-checkout: order ${order} needs attention: price_changed`],
    ]);
    warn.mockRestore();
  });
});

describe('an event that says that an order is paid', () => {
  it('pays nothing while the session server knows better', async () => {
    startExpress(pay.events.handler(optionsOf()));
    await stack.openCheckout(order, await pay.orderToken(order));
    expect((await deliver()).status).toBe(204);
    expect(calls.names).toEqual(['unpaid']);
    expect(calls.ofOrder[0]?.[1]).toMatchObject({ state: 'open', certain: false });
  });

  const URL = 'http://shop.example/events';
  const TEXT = '{"data":1}';
  const OTHER_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000);

  it.each([
    ['is not signed', {}, TEXT, 'signature_missing', /webhook-id.*dropped the headers/],
    [
      'is ten minutes old',
      signedHeaders(TEXT, { at: new Date('2026-01-01T00:00:00Z') }),
      TEXT,
      'timestamp_outside_tolerance',
      /at 2026-01-01T00:00:00\.000Z, and the clock here says \d{4}-\d\d-\d\dT.*old request again/,
    ],
    [
      'was signed for ten minutes from now',
      signedHeaders(TEXT, { at: minutesFromNow(10) }),
      TEXT,
      'timestamp_outside_tolerance',
      /the clock here says/,
    ],
    [
      'is signed with another secret',
      signedHeaders(TEXT, { secret: OTHER_SECRET }),
      TEXT,
      'bad_signature',
      /secret is probably another one/,
    ],
    [
      'was changed on its way',
      signedHeaders(TEXT),
      '{ "data": 1 }',
      'bad_signature',
      /something has changed it on its way/,
    ],
  ])('is refused with 401 when it %s, and says so', async (_why, headers, body, code, words) => {
    const handler = pay.events.handler(optionsOf());
    const response = await handler(new Request(URL, { method: 'POST', headers, body }));
    const text = await response.text();
    expect([response.status, JSON.parse(text)]).toEqual([
      401,
      expect.objectContaining({ code, detail: expect.stringMatching(words) as string }),
    ]);
    expect(text).not.toContain('canary');
    expect(calls.names).toEqual([]);
    expect(calls.errors).toMatchObject([{ code, message: expect.stringMatching(words) as string }]);
  });

  it('is one line on the console when it is refused and the shop does not say what to do', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { onError: _, ...rest } = optionsOf();
    await pay.events.handler(rest)(new Request(URL));
    expect(log.mock.calls).toEqual([
      [expect.stringContaining('refused'), expect.stringMatching(/^signature_missing: .*$/)],
    ]);
    log.mockRestore();
  });

  it('is still refused with 401 when onError fails, which ends no process', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined);
    const onError = () => Promise.reject(new Error('the log is full'));
    const response = await pay.events.handler(optionsOf({ onError }))(new Request(URL));
    expect(response.status).toBe(401);
    expect(log.mock.calls.flat()).toContainEqual(new Error('the log is full'));
    log.mockRestore();
  });

  it('is refused when it is for another merchant', async () => {
    const response = await deliver({ merchant: 'another-shop' });
    expect([response.status, await codeOf(response)]).toEqual([400, 'wrong_merchant']);
  });

  it('is refused when it is larger than an event can be', async () => {
    expect((await deliver({ attention: ['x'.repeat(300_000)] })).status).toBe(413);
  });
});

describe('a test event of the dashboard', () => {
  it('is acknowledged once it is verified, and calls nothing', async () => {
    const text = JSON.stringify({ type: 'test', data: { merchant: MERCHANT } });
    const send = (headers: Record<string, string>) =>
      pay.events.handler(optionsOf())(
        new Request('http://shop.example/events', { method: 'POST', headers, body: text }),
      );
    expect((await send(signedHeaders(text))).status).toBe(204);
    expect((await send({})).status).toBe(401);
    expect(calls.names).toEqual([]);
  });
});

describe('an event is not acknowledged', () => {
  beforeEach(async () => {
    startExpress(pay.events.handler(optionsOf()));
    await payOrder();
    await calls.first('paid');
    calls.list.length = 0;
  });

  it.each([
    ['less', { amount: '9.98', currency: 'GBP' }],
    ['more', { amount: '99.9', currency: 'GBP' }],
    ['another currency', { amount: '9.99', currency: 'EUR' }],
  ])('when the shop expected %s', async (_what, price) => {
    const handler = pay.events.handler(optionsOf({ expectedAmount: () => price }));
    const response = await deliver({}, { handler });
    expect([response.status, await codeOf(response)]).toEqual([409, 'amount_differs']);
    expect(calls.names).toEqual([]);
    expect(calls.errors).toMatchObject([{ code: 'amount_differs' }]);
  });

  it('when the shop has no such order', async () => {
    const handler = pay.events.handler(optionsOf({ expectedAmount: () => undefined }));
    expect((await deliver({}, { handler })).status).toBe(404);
    expect(calls.names).toEqual([]);
  });

  it('when the work fails, and the answer does not say why', async () => {
    const onPaid = () => Promise.reject(new Error('the books are locked'));
    const handler = pay.events.handler(optionsOf({ onPaid }));
    const response = await deliver({}, { handler });
    const text = await response.text();
    expect([response.status, JSON.parse(text)]).toEqual([
      500,
      expect.objectContaining({ code: 'callback_failed' }),
    ]);
    expect(text).not.toContain('books');
    expect(calls.errors).toMatchObject([{ message: 'the books are locked' }]);
  });

  it('before the work is done', async () => {
    const work = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const onPaid = () => {
      started.resolve();
      return work.promise;
    };
    let isAnswered = false;
    const answer = deliver({}, { handler: pay.events.handler(optionsOf({ onPaid })) });
    void answer.then(() => (isAnswered = true));
    await started.promise;
    await new Promise(setImmediate);
    expect(isAnswered).toBe(false);
    work.resolve();
    expect((await answer).status).toBe(204);
  });

  it('when the amount of the shop is a number, which may not be exact', async () => {
    const price = { amount: 9.99 as unknown as string, currency: 'GBP' };
    const handler = pay.events.handler(optionsOf({ expectedAmount: () => price }));
    expect((await deliver({}, { handler })).status).toBe(500);
    expect(calls.errors).toMatchObject([{ field: 'expectedAmount(…).amount' }]);
  });

  it('is acknowledged when the shop leaves out final zeros', async () => {
    const prices = ['9.990', '09.99'].map((amount) => ({ amount, currency: 'GBP' }));
    for (const price of prices) {
      const handler = pay.events.handler(optionsOf({ expectedAmount: () => price }));
      expect((await deliver({}, { handler })).status).toBe(204);
    }
  });
});

describe('a handler', () => {
  const noop = () => undefined;

  it.each([
    ['expectedAmount', { onPaid: noop }],
    ['onPaid', { expectedAmount: noop }],
    ['onRefunded', { expectedAmount: noop, onPaid: noop, onRefunded: 'yes' }],
    ['onpaid', { expectedAmount: noop, onPaid: noop, onpaid: noop }],
  ])('is refused at once when %s is wrong, not with the first payment', async (field, options) => {
    const wrong = options as unknown as EventHandlerOptions;
    const expected = expect.objectContaining({ code: 'invalid_argument', field }) as Error;
    expect(() => pay.events.handler(wrong)).toThrow(expected);
    const event = { id: 'msg_1', data: { order } } as PayEvent;
    await expect(pay.events.handle(event, wrong)).rejects.toThrow(expected);
  });

  const fastifyReply = { raw: {}, header: noop, code: noop, send: noop };
  it.each([
    [
      "Fastify's reply",
      'response',
      /reply\.raw/,
      (request: NodeRequest) => [request, fastifyReply],
    ],
    ["Koa's context", 'response', /ctx\.req/, (request: NodeRequest) => [{ ...request }, noop]],
    [
      'nothing to answer with',
      'response',
      /Node's ServerResponse/,
      (request: NodeRequest) => [request],
    ],
    ["Hono's context", 'request', /c\.req\.raw/, (request: NodeRequest) => [{ req: request }]],
  ])(
    'given %s does no work, and says what to pass',
    async (_what, field, words, argumentsOf: (request: NodeRequest) => readonly unknown[]) => {
      startExpress(pay.events.handler(optionsOf()));
      await payOrder();
      await calls.first('paid');
      calls.list.length = 0;
      const text = JSON.stringify({ type: 'checkout.paid', data: { merchant: MERCHANT, order } });
      const request = { headers: signedHeaders(text), body: text };
      const handler = pay.events.handler(optionsOf()) as (...given: unknown[]) => Promise<unknown>;
      await expect(handler(...argumentsOf(request))).rejects.toMatchObject({
        code: 'invalid_argument',
        field,
        message: expect.stringMatching(words) as string,
      });
      expect([calls.names, calls.errors]).toEqual([[], []]);
    },
  );
});

describe('a body that was read before', () => {
  const url = 'http://shop.example/events';

  it('is an error that says what to do', async () => {
    const text = JSON.stringify({ data: { merchant: MERCHANT, order } });
    const request = new Request(url, { method: 'POST', headers: signedHeaders(text), body: text });
    await request.text();
    expect((await pay.events.handler(optionsOf())(request)).status).toBe(500);
    expect(calls.errors).toMatchObject([{ code: 'raw_body_gone' }]);
    expect(String(calls.errors[0])).toContain('before the body parser');
  });

  it('and no longer has the signed text is refused, with what to do', async () => {
    const text = '{ "data": { "merchant": "teashop" } }';
    const node = {
      headers: signedHeaders(text),
      body: JSON.parse(text) as object,
      readableDidRead: true,
    };
    await expect(pay.events.verify(node)).rejects.toThrow(/put this handler before it/);
  });

  it('is verified from the bytes that the parser kept', async () => {
    const text = '{ "data": { "merchant": "teashop" } }';
    const rawBody = new TextEncoder().encode(text);
    const node = { headers: signedHeaders(text), body: {}, rawBody, readableDidRead: true };
    expect(await pay.events.verify(node)).toMatchObject({
      id: 'msg_1',
      data: { merchant: MERCHANT },
    });
  });
});
