/** A shop on a port of its own, and the two who talk to it: a shopper and the session server. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkOrderToken, Secret } from '@pay-checkout/session-server';
import { Webhook } from 'standardwebhooks';
import { Router } from 'express';
import { breakRoutes } from '../playground/break-routes.js';
import { playgroundRoutes } from '../playground/playground-routes.js';
import { createShop } from '../shop/app.js';
import type { Environment } from '../shared/config.js';
import { readShopConfig } from '../shop/config.js';
import { OrderStore } from '../shop/order-store.js';
import { Payments } from '../shop/payments.js';
import type { OrderView, PlacedOrder } from '../shop/order-view.js';

export const MERCHANT = 'hollin-and-slip';
export const ORDER_TOKEN_SECRET = 'order-token-secret-for-tests';
export const SIGNING_SECRET = `whsec_${Buffer.from('signing-secret-for-tests').toString('base64')}`;

/** Good settings, as an environment. */
export const GOOD_ENV = {
  SHOP_PORT: '0',
  SHOP_PUBLIC_URL: 'http://shop.localhost:4100',
  SHOP_DATA_FILE: ':memory:',
  SHOP_PAY_PUBLIC_URL: 'http://pay.localhost:4200',
  SHOP_PAY_API_URL: 'http://127.0.0.1:4200',
  SHOP_BRAND: MERCHANT,
  SHOP_ORDER_TOKEN_SECRET: ORDER_TOKEN_SECRET,
  SHOP_SIGNING_SECRET: SIGNING_SECRET,
  SHOP_PAY_API_KEY: 'merchant-api-key-for-tests',
  SHOP_PLAYGROUND_MERCHANTS: JSON.stringify(
    ['promise', 'throws'].map((shape) => ({
      id: `playground-${shape}`,
      apiKey: `api-key-of-playground-${shape}`,
      shape,
      what: `is the ${shape} one`,
      works: shape === 'promise',
    })),
  ),
  SHOP_SDK_ORIGINS:
    '{"script":["http://sandbox.localhost:4300"],"frame":["http://sandbox.localhost:4300"],"connect":[]}',
} as const;

/** A body of `POST /api/orders` that is right: £68.00 and £37.00, sent free. */
export const GOOD_ORDER = {
  items: [
    { sku: 'moon-teapot', quantity: 1 },
    { sku: 'two-tone-cup', quantity: 2 },
  ],
  customer: { firstName: 'Ada', lastName: 'Example', email: 'ada@example.com' },
  address: {
    address1: 'Flat 2, 14 Clay Lane',
    town: 'Bristol',
    postcode: 'bs1 4st',
    country: 'United Kingdom',
  },
};

/** An answer, with its body parsed. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export interface RunningShop {
  readonly address: string;
  /** Places {@link GOOD_ORDER}; the cookie belongs to the browser that placed it. */
  placeOrder(): Promise<{ placed: PlacedOrder; cookie: string }>;
  readOrder(order: string, cookie: string): Promise<OrderView>;
  post(path: string, body: unknown): Promise<Answer>;
  get(path: string, cookie?: string): Promise<Answer>;
  /** Sends what the session server would send, signed (with the good secret, unless another). */
  postSigned(path: string, body: unknown, options?: SignedOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface SignedOptions {
  readonly id?: string;
  readonly secret?: string;
  /** Changes the body after it was signed. */
  readonly tamper?: (text: string) => string;
}

export interface RunningShopOptions {
  readonly dataFile?: string;
  readonly env?: Environment;
  readonly now?: () => Date;
  readonly siteDirectory?: string;
}

export async function startShop(options: RunningShopOptions = {}): Promise<RunningShop> {
  const config = readShopConfig({ ...GOOD_ENV, ...options.env });
  const store = new OrderStore(options.dataFile ?? ':memory:', config.brand.orderPrefix);
  const payments = new Payments(config);
  const clock = options.now === undefined ? {} : { now: options.now };
  const moreRoutes = Router();
  moreRoutes.use(playgroundRoutes({ store, payments, config, ...clock }));
  const { breakThings } = config;
  if (breakThings !== undefined) {
    moreRoutes.use(breakRoutes({ breakThings, store, payments }));
  }
  const server = createServer(
    createShop({
      config,
      store,
      payments,
      ...clock,
      moreRoutes,
      ...(options.siteDirectory !== undefined && { siteDirectory: options.siteDirectory }),
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const post: RunningShop['post'] = async (path, body) =>
    toAnswer(
      await fetch(address + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );

  const get: RunningShop['get'] = async (path, cookie) =>
    toAnswer(await fetch(address + path, { headers: cookie === undefined ? {} : { cookie } }));

  return {
    address,
    post,
    get,
    async placeOrder() {
      const { body, headers } = await post('/api/orders', GOOD_ORDER);
      const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
      return { placed: body as unknown as PlacedOrder, cookie };
    },
    async readOrder(order, cookie) {
      return (await get(`/api/orders/${order}`, cookie)).body as unknown as OrderView;
    },
    async postSigned(path, body, { id = 'msg_1', secret = SIGNING_SECRET, tamper } = {}) {
      const text = JSON.stringify(body);
      const sentAt = new Date();
      return toAnswer(
        await fetch(address + path, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            'webhook-id': id,
            'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
            'webhook-signature': new Webhook(secret).sign(id, sentAt, text),
          },
          body: tamper?.(text) ?? text,
        }),
      );
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      store.close();
    },
  };
}

async function toAnswer(response: Response): Promise<Answer> {
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const body = isJson ? ((await response.json()) as Record<string, unknown>) : {};
  return { status: response.status, headers: response.headers, body };
}

/** What the session server makes of an order token. */
export function checkToken(
  token: string,
  claim: { readonly merchant: string; readonly order: string },
): string {
  const check = (minutes: number): string =>
    checkOrderToken(token, claim, [new Secret(ORDER_TOKEN_SECRET)], Date.now() + minutes * 60_000);
  if (check(0) !== 'valid') return check(0);
  return check(29) === 'valid' && check(31) === 'expired' ? 'valid for 30 minutes' : 'valid';
}
