/** What the pages ask: place an order, and read one's own order again. */
import { json, Router, type Request } from 'express';
import { CURRENCY } from '../../shared/catalogue.js';
import { toDecimalText } from '../../shared/money.js';
import type { OrderView, PlacedOrder } from '../../shared/order-view.js';
import { priceBasket } from '../../shared/pricing.js';
import { parseInput } from '../http/parse-input.js';
import { orderNotFound } from '../http/problem.js';
import { ensureShopperKeyHash, readShopperKeyHash } from '../http/shopper-key.js';
import type { ShopConfig } from '../shop-config.js';
import { makeFreshToken } from './fresh-token.js';
import { orderRequestSchema } from './order-schema.js';
import { payingMerchant, type Order } from './order.js';
import type { OrderStore } from './order-store.js';
import { askPaymentState } from './payment-inquiry.js';

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
