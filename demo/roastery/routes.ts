/** A second merchant, with the integration of the quick start: orders are put, and events come back. */
import express, { type ErrorRequestHandler, Router } from 'express';
import { isPayCheckoutError, PayCheckout, type Price } from '@pay-checkout/merchant';
import { CURRENCY, findCoffee } from './coffees.js';
import { orderPage, paymentPage, problemPage, shelfPage } from './pages.js';
import type { RoasteryOrder, RoasteryOrderStore } from './order-store.js';

export interface RoasteryOptions {
  readonly store: RoasteryOrderStore;
  /** Its entry at the session server. */
  readonly merchant: string;
  readonly apiKey: string;
  readonly signingSecret: string;
  /** The session server as our back end and as browsers reach it. */
  readonly payApiUrl: string;
  readonly payPublicUrl: string;
  /** HTML of a drawer below the pages of an order. */
  readonly drawer?: string;
  /** Files of its pages. */
  readonly publicDirectory: string;
}

/** `/roastery` and everything below it. */
export function roasteryRoutes(options: RoasteryOptions): Router {
  const { store, merchant, apiKey, signingSecret, payApiUrl, payPublicUrl, drawer } = options;
  const pay = new PayCheckout({ server: payApiUrl, merchant, apiKey, signingSecret });
  const router = Router();

  router.get('/roastery', (_request, response) => {
    response.send(shelfPage());
  });

  router.post('/roastery/orders', express.urlencoded({ limit: '1kb' }), (request, response) => {
    const coffee = findCoffee((request.body as { sku?: unknown } | undefined)?.sku);
    if (coffee === undefined) response.status(400).send(problemPage('لا نبيع هذا الصنف.'));
    else response.redirect(303, `/roastery/orders/${store.add(coffee)}`);
  });

  router.get('/roastery/orders/:order', async ({ params }, response) => {
    const found = store.find(params.order);
    response.set('Cache-Control', 'no-store');
    if (found === undefined) {
      response.status(404).send(problemPage('لا نعرف هذا الطلب.'));
      return;
    }
    const { orderToken, payUrl } =
      found.state === 'awaiting_payment' ? await putOrder(pay, found) : {};
    if (orderToken === undefined || payUrl === undefined) response.send(orderPage(found, drawer));
    else response.send(paymentPage(found, { merchant, payPublicUrl, orderToken, payUrl }, drawer));
  });

  router.post(
    '/roastery/events',
    pay.events.handler({
      expectedAmount: (order) => priceOf(store.find(order)),
      onPaid: ({ order }) => store.setState(order, 'paid'),
      onRefunded: ({ order, refund }) =>
        store.setState(order, refund === 'full' ? 'refunded' : 'refunded_in_part'),
    }),
  );

  router.use('/roastery', express.static(options.publicDirectory, { maxAge: '1h' }));
  router.use('/roastery', sendProblem);
  return router;
}

function putOrder(pay: PayCheckout, { order, coffee }: RoasteryOrder) {
  return pay.orders.put(order, {
    amount: coffee.price,
    currency: CURRENCY,
    description: coffee.name,
    locale: 'ar',
    lineItems: [{ name: coffee.name, amount: coffee.price }],
  });
}

function priceOf(found: RoasteryOrder | undefined): Price | undefined {
  return found && { amount: found.coffee.price, currency: CURRENCY };
}

const sendProblem: ErrorRequestHandler = (error, _request, response, next) => {
  if (!isPayCheckoutError(error)) {
    next(error);
    return;
  }
  response.status(502).send(problemPage('خدمة الدفع لا تجيب. أعد المحاولة بعد دقيقة.'));
};
