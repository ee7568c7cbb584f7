/** For Workers and other runtimes that call `fetch(request, env)`: it needs nothing of Node. */
import { PayCheckout } from '@pay-checkout/merchant';
import { Hono } from 'hono';
import { html } from 'hono/html';

const prices = new Map([['A1001', { amount: '9.99', currency: 'GBP' }]]);
// Yours is a database: an isolate forgets.
const paid = new Set();

const payOf = (env) =>
  new PayCheckout({
    server: env.PAY_CHECKOUT_SERVER,
    merchant: 'teashop',
    apiKey: env.PAY_CHECKOUT_API_KEY,
    signingSecret: env.PAY_CHECKOUT_SIGNING_SECRET,
  });

const app = new Hono();
app.get('/pay/:order', async (c) => {
  const order = c.req.param('order');
  const price = prices.get(order);
  if (!price) return c.notFound();
  const { orderToken } = await payOf(c.env).orders.put(order, price);
  return c.html(
    html`<!doctype html>
      <html lang="en">
        <title>Pay</title>
        <script src="${c.env.PAY_CHECKOUT_SERVER}/v1/pay-checkout.js" async crossorigin></script>
        <pay-checkout
          merchant="teashop"
          order="${order}"
          order-token="${orderToken}"
        ></pay-checkout>
        <p id="thanks" hidden>See you soon!</p>
        <script>
          document.addEventListener('pay-paid', () => {
            document.querySelector('#thanks').hidden = false;
          });
        </script>
      </html>`,
  );
});
app.get('/orders/:order', (c) => c.json({ paid: paid.has(c.req.param('order')) }));
app.post('/events', (c) =>
  payOf(c.env).events.handler({
    expectedAmount: (order) => prices.get(order),
    onPaid: ({ order }) => paid.add(order),
  })(c.req.raw),
);

export default app;
