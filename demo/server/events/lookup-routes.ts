/** Answers the session server's question: what does this order cost, and may it be paid. */
import { Router } from 'express';
import { toDecimalText } from '../../shared/money.js';
import { parseInput } from '../http/parse-input.js';
import { ShopError } from '../http/problem.js';
import { openSignedBody, readRawBody } from '../http/signed-body.js';
import { payingMerchant, type Order } from '../orders/order.js';
import type { OrderStore } from '../orders/order-store.js';
import type { ShopConfig } from '../shop-config.js';
import { orderLookupSchema } from './lookup-schema.js';

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
