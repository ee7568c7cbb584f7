/** Takes the session server's signed events: the only thing that can mark an order paid. */
import { Router } from 'express';
import type { ShopConfig } from './config.js';
import type { OrderStore } from './order-store.js';
import { payingMerchant, checkoutEventSchema } from './order.js';
import { parseInput, ShopError } from './problem.js';
import { openSignedBody, readRawBody } from './signed-body.js';

export interface EventRoutesOptions {
  readonly store: OrderStore;
  readonly config: Pick<ShopConfig, 'merchant' | 'signingSecret' | 'playgroundMerchants'>;
  readonly now: () => Date;
}

/** `POST /api/events`, signed. The answer is 2xx only when the event is on the disk. */
export function eventRoutes({ store, config, now }: EventRoutesOptions): Router {
  const router = Router();
  router.post('/api/events', readRawBody, (request, response) => {
    const { id, text, json } = openSignedBody(request, config.signingSecret);
    const event = parseInput(checkoutEventSchema, json);
    const { merchant, order } = event.data;
    const known = store.findOrder(order);
    const isOurs =
      known === undefined
        ? [config.merchant, ...config.playgroundMerchants.map(({ id }) => id)].includes(merchant)
        : merchant === payingMerchant(known, config.merchant);
    if (!isOurs) {
      throw new ShopError(400, 'wrong_merchant', 'data.merchant is not this shop.');
    }
    const effect = store.addEvent({ id, event, text, receivedAt: now() });
    if (effect === 'unknown_order') {
      throw new ShopError(404, 'order_not_found', 'data.order is not an order of this shop.');
    }
    response.json({ effect });
  });
  return router;
}
