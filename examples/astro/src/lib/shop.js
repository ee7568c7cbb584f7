import { PayCheckout } from '@pay-checkout/merchant';

export const server = process.env.PAY_CHECKOUT_SERVER;

export const pay = new PayCheckout({
  server,
  merchant: 'teashop',
  apiKey: process.env.PAY_CHECKOUT_API_KEY,
  signingSecret: process.env.PAY_CHECKOUT_SIGNING_SECRET,
});

export const priceOf = (order) =>
  order === 'A1001' ? { amount: '9.99', currency: 'GBP' } : undefined;

/** Yours is a database. */
export const paid = new Set();
