/** What the session server asks and says: the price of an order, and its outcome. Both are signed. */
import { Router } from 'express';
import type {
  LookupAnswer,
  MerchantOrder,
  PayCheckout,
  PayEvent,
  Price,
} from '@pay-checkout/merchant';
import type { OrderStore } from './order-store.js';
import type { Order } from './order.js';
import type { Payments } from './payments.js';

export interface PaymentRoutesOptions {
  readonly store: OrderStore;
  readonly payments: Payments;
}

/** `POST /api/order-lookup`, `POST /api/events` and `POST /api/events/:merchant` of the playground. */
export function paymentRoutes({ store, payments }: PaymentRoutesOptions): Router {
  const router = Router();
  const findOrder = (pay: PayCheckout, order: string): Order | undefined => {
    const found = store.findOrder(order);
    return found !== undefined && payments.of(found) === pay ? found : undefined;
  };
  const mountEvents = (pay: PayCheckout, path: string): void => {
    // The same whatever the outcome of the order: the store says what it means.
    const record = (known: MerchantOrder, event: PayEvent): void => {
      if (findOrder(pay, known.order) === undefined)
        throw new Error(`There is no order ${known.order}.`);
      store.recordEvent(known, event);
    };
    router.post(
      path,
      pay.events.handler({
        expectedAmount: (order) => priceOf(payments, findOrder(pay, order)),
        onPaid: record,
        onRefunded: record,
        onAttention: record,
        onUnpaid: record,
      }),
    );
  };
  router.post(
    '/api/order-lookup',
    payments.own.orders.lookupHandler((order) =>
      answerOf(payments, findOrder(payments.own, order)),
    ),
  );
  mountEvents(payments.own, '/api/events');
  for (const [merchant, pay] of payments.others) mountEvents(pay, `/api/events/${merchant}`);
  return router;
}

function priceOf(payments: Payments, order: Order | undefined): Price | undefined {
  return order && payments.detailsOf(order);
}

function answerOf(payments: Payments, order: Order | undefined): LookupAnswer | undefined {
  return (
    order && { ...payments.detailsOf(order), status: order.state === 'paid' ? 'paid' : 'payable' }
  );
}
