import express from 'express';
import { PayCheckout } from '@pay-checkout/merchant';

const { PAY_CHECKOUT_SERVER: server, PAY_CHECKOUT_MERCHANT: merchant } = process.env;
const { PAY_CHECKOUT_API_KEY: apiKey, PAY_CHECKOUT_SIGNING_SECRET: signingSecret } = process.env;
const pay = new PayCheckout({ server, merchant, apiKey, signingSecret });

// Yours: the orders, which of them are paid, and the page around the tag.
const orders = new Map([
  ['A1001', { amount: '9.99', currency: 'GBP' }],
  ['A1002', { amount: '24.50', currency: 'GBP' }],
]);
const paid = new Set();
const top = `<!doctype html><html lang="en"><meta charset="utf-8"><title>My Shop</title>
  <meta name="viewport" content="width=device-width">
  <style>body { font: 1rem/1.5 system-ui; max-inline-size: 34rem; margin: 2rem auto; padding: 0 1rem }</style>
  <script src="${server}/v1/pay-checkout.js" async crossorigin></script>
  <h1><a href="/">My Shop</a></h1>`;

const app = express();
app.get('/', (_request, response) => {
  const rows = [...orders].map(
    ([order, { amount, currency }]) =>
      `<li><a href="/pay/${order}">Order ${order}</a>, ${amount} ${currency}, ${paid.has(order) ? 'paid' : 'not paid'}`,
  );
  response.send(`${top}<ul>${rows.join('')}</ul>`);
});
app.get('/pay/:order', async ({ params: { order } }, response) => {
  const price = orders.get(order);
  if (!price) return void response.sendStatus(404);
  const { state, orderToken } = await pay.orders.put(order, price);
  if (state === 'paid') return void response.send(`${top}<p>Order ${order} is paid.`);
  response.send(
    `${top}<pay-checkout merchant="${merchant}" order="${order}" order-token="${orderToken}"></pay-checkout>`,
  );
});
// Shoppers come back here. The tag reads the checkout from the address, and shows its outcome.
app.get('/result', ({ query }, response) => {
  const order = String(query.order);
  if (!orders.has(order)) return void response.sendStatus(404);
  response.send(`${top}<pay-checkout merchant="${merchant}" order="${order}"></pay-checkout>`);
});

// The receiver: only here is an order known to be paid.
const events = pay.events.handler({
  expectedAmount: (order) => orders.get(order),
  onPaid: ({ order }) => {
    paid.add(order);
    console.log(`Order ${order} is paid: fulfil it.`);
  },
});
app.post('/events', events);
app.listen(Number(process.env.SHOP_PORT), '127.0.0.1');
