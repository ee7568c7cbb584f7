/** What the playground asks: which client SDKs there are, and an order at one of them. */
import { json, Router } from 'express';
import { CURRENCY } from '../../shared/catalogue.js';
import { toDecimalText } from '../../shared/money.js';
import type { PlaygroundOrderReply, PlaygroundView } from '../../shared/playground-view.js';
import { parseInput } from '../http/parse-input.js';
import { ensureShopperKeyHash } from '../http/shopper-key.js';
import { makeFreshToken } from '../orders/fresh-token.js';
import type { NewOrder, OrderStore } from '../orders/order-store.js';
import type { ShopConfig } from '../shop-config.js';
import { playgroundOrderSchema } from './playground-schema.js';

export interface PlaygroundRoutesOptions {
  readonly store: OrderStore;
  readonly config: Pick<
    ShopConfig,
    'merchant' | 'orderTokenSecret' | 'publicUrl' | 'playgroundMerchants'
  >;
  readonly now: () => Date;
}

/** Whoever plays is this person. */
const PLAYER: Pick<NewOrder, 'customer' | 'address'> = {
  customer: { firstName: 'Robin', lastName: 'Sample', email: 'robin@example.test' },
  address: {
    address1: 'Flat 3, 12 Sample Street',
    town: 'Sampleton',
    postcode: 'ZZ1 1ZZ',
    country: 'United Kingdom',
  },
};

/** `GET /api/playground` and `POST /api/playground/orders`. Prices of the shop itself stay ours. */
export function playgroundRoutes({ store, config, now }: PlaygroundRoutesOptions): Router {
  const router = Router();
  const isSecure = config.publicUrl.startsWith('https:');
  const schema = playgroundOrderSchema(config.playgroundMerchants);

  router.get('/api/playground', (_request, response) => {
    const reply: PlaygroundView = {
      merchants: config.playgroundMerchants.map(({ id, shape, what, works }) => ({
        merchant: id,
        shape,
        what,
        works,
      })),
    };
    response.set('Cache-Control', 'no-store').json(reply);
  });

  router.post('/api/playground/orders', json({ limit: '4kb' }), (request, response) => {
    const { merchant, amount: totalMinor, asksAddress } = parseInput(schema, request.body);
    const line = { unitMinor: totalMinor, lineMinor: totalMinor };
    const stored = store.addOrder({
      ...PLAYER,
      shopperKeyHash: ensureShopperKeyHash(request, response, isSecure),
      basket: {
        lines: [{ sku: 'playground', name: 'A round in the playground', quantity: 1, ...line }],
        subtotalMinor: totalMinor,
        deliveryMinor: 0,
        totalMinor,
      },
      currency: CURRENCY,
      createdAt: now(),
      playground: { merchant, asksAddress },
    });
    const reply: PlaygroundOrderReply = {
      merchant,
      order: stored.order,
      orderToken: makeFreshToken(config, stored, now()),
      amount: toDecimalText(totalMinor),
      currency: stored.currency,
    };
    response.status(201).set('Cache-Control', 'no-store').json(reply);
  });

  return router;
}
