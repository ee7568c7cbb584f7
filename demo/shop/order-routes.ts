/** What the pages ask: place an order, and read one's own order again. */
import { json, Router, type Request } from 'express';
import { z } from 'zod';
import { CURRENCY, priceBasket } from './catalogue.js';
import type { ShopConfig } from './config.js';
import { toDecimalText } from './money.js';
import { orderRequestSchema } from './order-request.js';
import type { OrderStore } from './order-store.js';
import { makeFreshToken } from './order-token.js';
import type { OrderView, PlacedOrder, PaymentView } from './order-view.js';
import { payingMerchant, type Order } from './order.js';
import { parseInput, orderNotFound, ShopError } from './problem.js';
import { ensureShopperKeyHash, readShopperKeyHash } from './shopper-key.js';

export interface OrderRoutesOptions {
  readonly store: OrderStore;
  readonly config: Pick<
    ShopConfig,
    | 'merchant'
    | 'orderTokenSecret'
    | 'publicUrl'
    | 'payApiUrl'
    | 'payApiKey'
    | 'playgroundMerchants'
  >;
  readonly now: () => Date;
}

/** `POST /api/orders`, `GET /api/orders/:order` and `GET /api/orders/:order/payment`. */
export function orderRoutes({ store, config, now }: OrderRoutesOptions): Router {
  const router = Router();
  const isSecure = config.publicUrl.startsWith('https:');

  // Only JSON is read: another site's page cannot send it without a preflight, which we never allow.
  router.post('/api/orders', json({ limit: '32kb' }), (request, response) => {
    const { items, customer, address } = parseInput(orderRequestSchema, request.body);
    const stored = store.addOrder({
      shopperKeyHash: ensureShopperKeyHash(request, response, isSecure),
      basket: priceBasket(items),
      currency: CURRENCY,
      customer,
      address,
      createdAt: now(),
    });
    const reply: PlacedOrder = {
      order: stored.order,
      orderToken: makeFreshToken(config, stored, now()),
      amount: toDecimalText(stored.basket.totalMinor),
      currency: stored.currency,
    };
    response.status(201).set('Cache-Control', 'no-store').json(reply);
  });

  const findOwnOrder = (request: Request<{ order: string }>): Order => {
    const keyHash = readShopperKeyHash(request);
    const found =
      keyHash === undefined ? undefined : store.findShopperOrder(request.params.order, keyHash);
    if (found === undefined) throw orderNotFound();
    return found;
  };

  router.get('/api/orders/:order', (request, response) => {
    const found = findOwnOrder(request);
    const reply: OrderView = {
      order: found.order,
      state: found.state,
      amount: toDecimalText(found.basket.totalMinor),
      currency: found.currency,
      basket: found.basket,
      firstName: found.customer.firstName,
      address: found.address,
      createdAt: found.createdAt,
      ...(found.paidAt !== undefined && { paidAt: found.paidAt }),
      refund: found.refund,
      attention: found.attention,
      timeline: store.listTimeline(found.order),
      orderToken: makeFreshToken(config, found, now()),
      merchant: payingMerchant(found, config.merchant),
    };
    response.set('Cache-Control', 'no-store').json(reply);
  });

  router.get('/api/orders/:order/payment', async (request, response) => {
    const found = findOwnOrder(request);
    response.set('Cache-Control', 'no-store').json(await askPaymentState(config, found));
  });

  return router;
}

const ASK_WITHIN_MS = 3000;

const merchantOrder = z.looseObject({
  state: z.string(),
  certain: z.boolean(),
  checkouts: z.array(
    z.looseObject({ attempts: z.array(z.unknown()), transactions: z.array(z.unknown()) }),
  ),
});

/** What the session server knows of an order; `state: 'none'` when no payment was started. */
export async function askPaymentState(
  config: Pick<ShopConfig, 'payApiUrl' | 'payApiKey' | 'playgroundMerchants'>,
  { order, playground }: Pick<Order, 'order' | 'playground'>,
): Promise<PaymentView> {
  const other = config.playgroundMerchants.find(({ id }) => id === playground?.merchant);
  const response = await fetch(
    `${config.payApiUrl}/v1/merchant/orders/${encodeURIComponent(order)}`,
    {
      headers: { Authorization: `Bearer ${other?.apiKey ?? config.payApiKey}` },
      redirect: 'error',
      signal: AbortSignal.timeout(ASK_WITHIN_MS),
    },
  ).catch(throwUnreachable);
  if (response.status === 404) {
    return { state: 'none', certain: false, sessions: 0, transactions: 0 };
  }
  const body: unknown = await response.json().catch(throwUnreachable);
  const known = merchantOrder.safeParse(body);
  if (!response.ok || !known.success) return throwUnreachable();
  const { state, certain, checkouts } = known.data;
  return {
    state,
    certain,
    sessions: checkouts.flatMap(({ attempts }) => attempts).length,
    transactions: checkouts.flatMap(({ transactions }) => transactions).length,
  };
}

function throwUnreachable(): never {
  throw new ShopError(502, 'payment_service_unreachable', 'The payment service does not answer.');
}
