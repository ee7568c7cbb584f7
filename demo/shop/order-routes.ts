/** What the pages ask: place an order, and read one's own order again. */
import { json, Router, type Request } from 'express';
import { priceBasket } from './catalogue.js';
import type { ShopConfig } from './config.js';
import { toDecimalText } from './money.js';
import { orderRequestSchema } from './order-request.js';
import type { OrderStore } from './order-store.js';
import type { OrderView, PlacedOrder } from './order-view.js';
import type { Payments } from './payments.js';
import type { Order } from './order.js';
import { parseInput, orderNotFound, ShopError } from './problem.js';
import { ensureShopperKeyHash, readShopperKeyHash } from './shopper-key.js';

export interface OrderRoutesOptions {
  readonly store: OrderStore;
  readonly payments: Payments;
  readonly config: Pick<ShopConfig, 'publicUrl' | 'brand'>;
  readonly now: () => Date;
}

/** `POST /api/orders`, `GET /api/orders/:order` and `GET /api/orders/:order/payment`. */
export function orderRoutes({ store, payments, config, now }: OrderRoutesOptions): Router {
  const router = Router();
  const { brand } = config;
  const isSecure = config.publicUrl.startsWith('https:');
  const schema = orderRequestSchema(brand);

  /** An order can be placed and read while the session server does not answer. */
  const tokenOf = (order: Order): Promise<string | undefined> =>
    payments.tokenOf(order).catch((error: unknown) => {
      if (error instanceof ShopError) return undefined;
      throw error;
    });

  // Only JSON is read: another site's page cannot send it without a preflight, which we never allow.
  router.post('/api/orders', json({ limit: '32kb' }), async (request, response) => {
    const { items, customer, address } = parseInput(schema, request.body);
    const stored = store.addOrder({
      shopperKeyHash: ensureShopperKeyHash(request, response, isSecure),
      basket: priceBasket(brand, items),
      currency: brand.currency,
      customer,
      address,
      createdAt: now(),
    });
    const orderToken = await tokenOf(stored);
    const reply: PlacedOrder = {
      order: stored.order,
      ...(orderToken !== undefined && { orderToken }),
      amount: toDecimalText(stored.basket.totalMinor, stored.currency),
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

  router.get('/api/orders/:order', async (request, response) => {
    const found = findOwnOrder(request);
    const orderToken = await tokenOf(found);
    const reply: OrderView = {
      order: found.order,
      state: found.state,
      amount: toDecimalText(found.basket.totalMinor, found.currency),
      currency: found.currency,
      basket: found.basket,
      firstName: found.customer.firstName,
      address: found.address,
      createdAt: found.createdAt,
      ...(found.paidAt !== undefined && { paidAt: found.paidAt }),
      refund: found.refund,
      attention: found.attention,
      timeline: store.listTimeline(found.order),
      ...(orderToken !== undefined && { orderToken }),
      merchant: payments.of(found).merchant,
    };
    response.set('Cache-Control', 'no-store').json(reply);
  });

  router.get('/api/orders/:order/payment', async (request, response) => {
    const found = findOwnOrder(request);
    response.set('Cache-Control', 'no-store').json(await payments.askState(found));
  });

  return router;
}
