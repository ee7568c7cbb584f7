import { PayCheckout } from '@pay-checkout/merchant';

/** Made when it is used: a build has no secrets. */
export const getPay = () =>
  new PayCheckout({
    server: process.env.PAY_CHECKOUT_SERVER,
    merchant: 'teashop',
    apiKey: process.env.PAY_CHECKOUT_API_KEY,
    signingSecret: process.env.PAY_CHECKOUT_SIGNING_SECRET,
  });

export const priceOf = (order) =>
  order === 'A1001' ? { amount: '9.99', currency: 'GBP' } : undefined;

/** Yours is a database. */
export const paid = (globalThis.paid ??= new Set());
