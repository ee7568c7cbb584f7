/** What the session server asks and says: the price of an order, and what became of it. Both are signed. */
import { Router } from 'express';
import type { LookupAnswer, PayCheckout, PayEvent, MerchantOrder } from '@pay-checkout/merchant';
import { toDecimalText } from './money.js';
import type { OrderStore } from './order-store.js';
import type { Order } from './order.js';
import type { Payments } from './payments.js';

export interface PaymentRoutesOptions {
  readonly store: OrderStore;
  readonly payments: Payments;
}

/** `POST /api/order-lookup` and `POST /api/events`; below them, those of each merchant of the playground. */
export function paymentRoutes({ store, payments }: PaymentRoutesOptions): Router {
  const router = Router();
  const mount = (pay: PayCheckout, path: string): void => {
    const findOrder = (order: string): Order | undefined => {
      const found = store.findOrder(order);
      return found !== undefined && payments.of(found) === pay ? found : undefined;
    };
    // The same whatever became of the order: the store says what it means.
    const record = (known: MerchantOrder, event: PayEvent): void => {
      if (findOrder(known.order) === undefined)
        throw new Error(`There is no order ${known.order}.`);
      store.recordEvent(known, event);
    };
    router.post(
      `/api/order-lookup${path}`,
      pay.orders.lookupHandler((order) => toLookupAnswer(findOrder(order))),
    );
    router.post(
      `/api/events${path}`,
      pay.events.handler({
        expectedAmount: (order) => toPrice(findOrder(order)),
        onPaid: record,
        onRefunded: record,
        onAttention: record,
        onUnpaid: record,
      }),
    );
  };
  mount(payments.own, '');
  for (const [merchant, pay] of payments.others) mount(pay, `/${merchant}`);
  return router;
}

function toPrice(order: Order | undefined) {
  return order && { amount: toDecimalText(order.basket.totalMinor), currency: order.currency };
}

function toLookupAnswer(order: Order | undefined): LookupAnswer | undefined {
  const price = toPrice(order);
  if (order === undefined || price === undefined) return undefined;
  const { customer, address, playground } = order;
  return {
    ...price,
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
