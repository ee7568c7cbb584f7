const express = require('express');
const { PayCheckout } = require('@pay-checkout/merchant');

const server = process.env.PAY_CHECKOUT_SERVER;
const pay = new PayCheckout({
  server,
  merchant: 'teashop',
  apiKey: process.env.PAY_CHECKOUT_API_KEY,
  signingSecret: process.env.PAY_CHECKOUT_SIGNING_SECRET,
});
const prices = new Map([['A1001', { amount: '9.99', currency: 'GBP' }]]);
const paid = new Set();

const app = express();
app.get('/pay/:order', async ({ params: { order } }, response) => {
  const price = prices.get(order);
  if (!price) return response.sendStatus(404);
  const { orderToken } = await pay.orders.put(order, price);
  response.send(`<!doctype html>
    <html lang="en">
      <title>Pay</title>
      <script src="${server}/v1/pay-checkout.js" async crossorigin></script>
      <pay-checkout merchant="teashop" order="${order}" order-token="${orderToken}"></pay-checkout>
      <p id="thanks" hidden>See you soon!</p>
      <script>
        document.addEventListener('pay-paid', () => (document.querySelector('#thanks').hidden = false));
      </script>
    </html>`);
});
app.get('/orders/:order', ({ params: { order } }, response) => {
  response.json({ paid: paid.has(order) });
});
app.post(
  '/events',
  pay.events.handler({
    expectedAmount: (order) => prices.get(order),
    onPaid: ({ order }) => paid.add(order),
  }),
);
app.listen(Number(process.env.PORT ?? 3000));
