/** Answers the session server's question: what does this order cost, and may it be paid. */
import { Router } from 'express';
import { z } from 'zod';
import type { ShopConfig } from './config.js';
import { toDecimalText } from './money.js';
import type { OrderStore } from './order-store.js';
import { payingMerchant, type Order } from './order.js';
import { parseInput, ShopError } from './problem.js';
import { openSignedBody, readRawBody } from './signed-body.js';

export interface LookupRoutesOptions {
  readonly store: OrderStore;
  readonly config: Pick<ShopConfig, 'merchant' | 'signingSecret'>;
}

/** `POST /api/order-lookup`, signed. */
export function lookupRoutes({ store, config }: LookupRoutesOptions): Router {
  const router = Router();
  router.post('/api/order-lookup', readRawBody, (request, response) => {
    const { json } = openSignedBody(request, config.signingSecret);
    const asked = parseInput(orderLookupSchema, json);
    const order = store.findOrder(asked.order);
    if (order === undefined || asked.merchant !== payingMerchant(order, config.merchant)) {
      throw new ShopError(404, 'order_not_found', 'There is no such order.');
    }
    response.set('Cache-Control', 'no-store').json(toLookupReply(order));
  });
  return router;
}

function toLookupReply(order: Order): object {
  const { customer, address, playground } = order;
  return {
    order: order.order,
    amount: toDecimalText(order.basket.totalMinor),
    currency: order.currency,
    status: order.state === 'paid' ? 'paid' : 'payable',
    customer: {
      email: customer.email,
      ...(customer.phone && { phone: customer.phone }),
      name: `${customer.firstName} ${customer.lastName}`,
      firstName: customer.firstName,
      lastName: customer.lastName,
    },
    ...(!playground?.asksAddress && {
      address: {
        address1: address.address1,
        ...(address.address2 && { address2: address.address2 }),
        postcode: address.postcode,
      },
    }),
  };
}

/** Body of `POST /api/order-lookup`. */
export const orderLookupSchema = z.looseObject({
  merchant: z.string({ error: 'must be the id of a merchant' }),
  order: z.string({ error: 'must be the number of an order' }).max(64),
});
