/** What is behind the examples: prices, the receiver of events, and what is paid. */
import { PayCheckout } from '@pay-checkout/merchant';
import express from 'express';

export const server = process.env.PAY_CHECKOUT_SERVER;

export const pay = new PayCheckout({
  server,
  merchant: 'teashop',
  apiKey: process.env.PAY_CHECKOUT_API_KEY,
  signingSecret: process.env.PAY_CHECKOUT_SIGNING_SECRET,
});

export const priceOf = (order) =>
  order === 'A1001' ? { amount: '9.99', currency: 'GBP' } : undefined;

const paid = new Set();

export const shop = express();
shop.post(
  '/events',
  pay.events.handler({ expectedAmount: priceOf, onPaid: ({ order }) => paid.add(order) }),
);
shop.get('/orders/:order', ({ params: { order } }, response) =>
  response.json({ paid: paid.has(order) }),
);
