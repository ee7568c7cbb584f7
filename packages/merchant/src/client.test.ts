import { createContext, runInContext } from 'node:vm';
import { inspect } from 'node:util';
import { build, type Rolldown } from 'vite';
import type * as Contract from '@pay-checkout/session-server';
import { checkOrderToken, Secret } from '@pay-checkout/session-server';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  expectTypeOf,
  it,
} from 'vitest';
import { PayCheckout, type PayCheckoutOptions } from './client.js';
import { isPayCheckoutError, type PayCheckoutError } from './errors.js';
import type { EventPage } from './events.js';
import type { LookupAnswer, OrderInput, OrderPage, PayableOrder } from './orders.js';
import { type FlakyProxy, startFlakyProxy } from './testing/flaky-proxy.js';
import {
  API_KEY,
  MERCHANT,
  ORDER_TOKEN_SECRET,
  RealStack,
  SIGNING_SECRET,
  signedHeaders,
} from './testing/real-stack.js';
import type { MerchantOrder } from './types.js';

const GOOD: PayCheckoutOptions = {
  server: 'https://pay.example',
  merchant: MERCHANT,
  apiKey: API_KEY,
  signingSecret: SIGNING_SECRET,
  orderTokenSecret: ORDER_TOKEN_SECRET,
};
const CANARIES = [API_KEY, SIGNING_SECRET, SIGNING_SECRET.slice(6), ORDER_TOKEN_SECRET];

/** Every text in which an object could show something. */
function everythingOf(value: unknown): string {
  const hidden = inspect(value, { depth: Infinity, showHidden: true, getters: true });
  return [hidden, String(value), JSON.stringify(value), (value as Error).stack].join('\n');
}

async function failureOf(work: Promise<unknown> | (() => unknown)): Promise<PayCheckoutError> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (isPayCheckoutError(error)) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('the options', () => {
  it.each([
    ['server', 'pay.example'],
    ['server', 'ftp://pay.example'],
    ['server', 'https://pay.example/api'],
    ['server', 'https://user:canary@pay.example'],
    ['merchant', ''],
    ['apiKey', undefined],
    ['apiKey', 'canary\nkey'],
    ['signingSecret', 'canary-without-prefix'],
    ['signingSecret', 'whsec_canary!'],
    ['orderTokenSecret', ''],
    ['timeoutSeconds', 0],
    ['timeoutSeconds', Infinity],
    ['signingsecret', 'canary'],
  ])('are refused with the name of what is wrong, never its value: %s %j', async (field, value) => {
    const options = { ...GOOD, [field]: value };
    const error = await failureOf(() => new PayCheckout(options));
    expect(error).toMatchObject({ code: 'invalid_argument', field });
    expect(error.message).toContain(field);
    expect(everythingOf(error)).not.toContain('canary');
  });

  it('need no signing secret for orders and the feed, and one before the first event comes', async () => {
    const pay = new PayCheckout({ ...GOOD, signingSecret: undefined });
    const expected = { code: 'invalid_argument', field: 'signingSecret' };
    const onPaid = () => undefined;
    const handler = () => pay.events.handler({ expectedAmount: onPaid, onPaid });
    expect(await failureOf(handler)).toMatchObject(expected);
    expect(await failureOf(() => pay.orders.lookupHandler(onPaid))).toMatchObject(expected);
  });

  it('are not shown by the client: no secret in console.log, JSON or text', () => {
    const shown = everythingOf(new PayCheckout(GOOD));
    expect(shown).toContain('https://pay.example');
    for (const canary of CANARIES) expect(shown).not.toContain(canary);
  });
});

describe('an order token', () => {
  it('is the one that any shop computes from the description', async () => {
    const pay = new PayCheckout({ ...GOOD, merchant: 'shop-1' });
    const token = await pay.orderToken('A1001', { expiresInSeconds: 60 });
    const exp = Number(token.split('.')[1]);
    expect(exp - Date.now() / 1000).toBeGreaterThan(58);
    expect(exp - Date.now() / 1000).toBeLessThanOrEqual(60);
    const claim = { merchant: 'shop-1', order: 'A1001' };
    expect(checkOrderToken(token, claim, [new Secret(ORDER_TOKEN_SECRET)], Date.now())).toBe(
      'valid',
    );
  });

  it('needs its secret, and an order that the session server takes', async () => {
    const { orderTokenSecret: _, ...rest } = GOOD;
    const without = failureOf(new PayCheckout(rest).orderToken('A1001'));
    expect(await without).toMatchObject({ field: 'orderTokenSecret' });
    for (const order of ['', '..', 'A/1', '.A', 'x'.repeat(65)]) {
      const error = await failureOf(new PayCheckout(GOOD).orderToken(order));
      expect(error).toMatchObject({ code: 'invalid_argument', field: 'order' });
    }
  });
});

describe('with the session server', () => {
  const prices = new Map<string, LookupAnswer>([
    ['A1', { amount: '9.99', currency: 'GBP', status: 'payable' }],
  ]);
  let stack: RealStack;
  let proxy: FlakyProxy;
  let pay: PayCheckout;

  beforeAll(async () => {
    stack = await RealStack.start();
    const lookup = stack.client().orders.lookupHandler((order) => prices.get(order));
    stack.shop = (request, response) => void lookup(request, response);
    await stack.openCheckout('A1', await stack.client().orderToken('A1'));
  });
  beforeEach(async () => {
    proxy = await startFlakyProxy(() => stack.url);
    pay = new PayCheckout({ ...stack.options, server: proxy.url, timeoutSeconds: 3 });
  });
  afterEach(() => proxy.close());
  afterAll(() => stack.close());

  it('reads the truth about an order', async () => {
    expect(await pay.orders.get('A1')).toMatchObject({
      merchant: MERCHANT,
      order: 'A1',
      state: 'open',
      certain: false,
      amount: '9.99',
    });
  });

  it('types what is said as the contract of the session server has it', () => {
    expectTypeOf<Contract.MerchantOrder>().toExtend<MerchantOrder>();
    expectTypeOf<Contract.MerchantOrderList>().toExtend<OrderPage>();
    expectTypeOf<Contract.MerchantEventList>().toExtend<EventPage>();
    expectTypeOf<keyof PayableOrder>().toEqualTypeOf<keyof Contract.PutOrderReply>();
    expectTypeOf<OrderInput>().toExtend<Contract.PutOrderRequest>();
    expectTypeOf<Omit<Contract.ShopOrder, 'order'>>().toExtend<LookupAnswer>();
  });

  it('refuses an option that it does not know, which would be left out in silence', async () => {
    const expected = { code: 'invalid_argument' };
    const unknown = { updateAfter: new Date() } as object;
    expect(await failureOf(pay.orders.list(unknown))).toMatchObject(expected);
    expect(await failureOf(pay.events.list(unknown))).toMatchObject(expected);
    expect(await failureOf(pay.orderToken('A1', { expiresIn: 60 } as object))).toMatchObject(
      expected,
    );
    const lookUp = () => undefined;
    const lookup = () => pay.orders.lookupHandler(lookUp, { onerror: lookUp } as object);
    expect(await failureOf(lookup)).toMatchObject({ field: 'onerror' });
    expect(proxy.requests).toHaveLength(0);
  });

  it('finds out that the key is that of another merchant', async () => {
    const other = new PayCheckout({ ...stack.options, merchant: 'another-shop' });
    for (const work of [other.orders.get('A1'), other.events.list()]) {
      const error = await failureOf(work);
      expect(error).toMatchObject({ code: 'wrong_merchant', field: 'merchant' });
      expect(error.message).toContain('"teashop", not of another-shop');
    }
  });

  it('does not take the answer about one order for another', async () => {
    proxy.faults.push({ merchant: MERCHANT, order: 'A2' });
    expect(await failureOf(pay.orders.get('A1'))).toMatchObject({ code: 'unexpected_answer' });
  });

  it('passes on the code of an error, and the id of the request', async () => {
    const error = await failureOf(pay.orders.get('A404'));
    expect(error).toMatchObject({ code: 'order_not_found', httpStatus: 404 });
    expect(error.requestId).toMatch(/\w/);
    expect(isPayCheckoutError(error, 'order_not_found')).toBe(true);
    expect(isPayCheckoutError(error, 'timeout')).toBe(false);
    expect(proxy.requests).toHaveLength(1);
  });

  it('says that a key is refused, and shows none', async () => {
    const wrong = new PayCheckout({ ...stack.options, apiKey: 'canary-of-another-key' });
    const error = await failureOf(wrong.orders.get('A1'));
    expect(error).toMatchObject({ code: 'merchant_key_refused', httpStatus: 401, field: 'apiKey' });
    expect(error.message).toContain('the platform gave you');
    expect(everythingOf(error)).not.toContain('canary');
  });

  it.each([['cut' as const], [503], [429]])(
    'asks again after a failure that passes: %s',
    async (fault) => {
      proxy.faults.push(fault, fault);
      expect(await pay.orders.get('A1')).toMatchObject({ order: 'A1' });
      expect(proxy.requests).toHaveLength(3);
    },
  );

  it('stops after three attempts, and shows no secret', async () => {
    proxy.faults.push('cut', 'cut', 'cut', 'cut');
    const error = await failureOf(pay.orders.get('A1'));
    expect(error.code).toBe('no_answer');
    expect(error.message).toBe(
      `GET ${proxy.url}/v1/merchant/orders/A1: no answer (UND_ERR_SOCKET)`,
    );
    expect(proxy.requests).toHaveLength(3);
    for (const canary of CANARIES) expect(everythingOf(error)).not.toContain(canary);
  });

  it('follows no redirect: the key would go with it', async () => {
    proxy.faults.push(302);
    expect(await failureOf(pay.orders.get('A1'))).toMatchObject({ code: 'unexpected_answer' });
    expect(proxy.requests).toHaveLength(1);
  });

  it('is not asked again before the pause that it asked for, however long that is', async () => {
    const hasty = new PayCheckout({ ...stack.options, server: proxy.url, timeoutSeconds: 0.5 });
    proxy.faults.push(503);
    proxy.pauses.push('99999999999');
    await expect(hasty.orders.get('A1001')).rejects.toMatchObject({ httpStatus: 503 });
    expect(proxy.requests).toHaveLength(1);
  });

  it('gives up in time, or when the caller does', async () => {
    proxy.faults.push('hang', 'hang');
    const hasty = new PayCheckout({ ...stack.options, server: proxy.url, timeoutSeconds: 0.1 });
    expect((await failureOf(hasty.orders.get('A1'))).code).toBe('timeout');
    const reason = new Error('the page was left');
    const stopped = pay.orders.get('A1', { signal: AbortSignal.abort(reason) });
    await expect(stopped).rejects.toBe(reason);
  });

  describe('that asks for the price of an order', () => {
    const reported: unknown[] = [];
    const onError = (error: unknown) => reported.push(error);
    const ask = (body: object, headers?: Record<string, string>) => {
      const text = JSON.stringify(body);
      const request = new Request('http://shop.example/order-lookup', {
        method: 'POST',
        headers: headers ?? signedHeaders(text),
        body: text,
      });
      return pay.orders.lookupHandler((order) => prices.get(order), { onError })(request);
    };

    it('answers with the order of the shop', async () => {
      const answer = await ask({ merchant: MERCHANT, order: 'A1' });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ order: 'A1', ...prices.get('A1') });
    });

    it('answers nothing to strangers, and nothing about what there is not', async () => {
      const question = { merchant: MERCHANT, order: 'A1' };
      const statuses = [
        await ask(question, {}),
        await ask(question, signedHeaders('{}')),
        await ask({ ...question, merchant: 'another-shop' }),
        await ask({ ...question, order: 'A2' }),
      ].map(({ status }) => status);
      expect(statuses).toEqual([401, 401, 400, 404]);
      expect(reported).toMatchObject([
        { code: 'signature_missing' },
        { code: 'bad_signature' },
        { code: 'wrong_merchant' },
      ]);
    });
  });
});

describe('the library', () => {
  let code: string;

  beforeAll(async () => {
    const result = (await build({
      configFile: false,
      logLevel: 'silent',
      build: {
        write: false,
        lib: { entry: `${import.meta.dirname}/index.ts`, formats: ['iife'], name: 'Merchant' },
        rolldownOptions: { external: [/^node:/] },
      },
    })) as Rolldown.RolldownOutput[];
    code = result[0]?.output[0].code ?? '';
  });

  it('needs nothing of Node: no module, and no global but those of the web', async () => {
    expect(code).not.toMatch(/node:|\brequire\(/);
    const web = {
      fetch,
      Request,
      Response,
      Headers,
      URL,
      crypto,
      TextEncoder,
      TextDecoder,
      AbortSignal,
      btoa,
      console,
      setTimeout,
      clearTimeout,
    };
    const context = createContext({ ...web });
    const { PayCheckout: There } = runInContext(`${code}; Merchant`, context) as {
      PayCheckout: typeof PayCheckout;
    };
    const pay = new There(GOOD);
    expect(await pay.orderToken('A1001')).toMatch(/^A1001\.\d+\.[\w-]{43}$/);
    const text = JSON.stringify({ type: 'checkout.paid', data: { merchant: MERCHANT } });
    const request = new Request('http://shop.example', {
      method: 'POST',
      headers: signedHeaders(text),
      body: text,
    });
    expect(await pay.events.verify(request)).toMatchObject({ id: 'msg_1' });
  });
});
