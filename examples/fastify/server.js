import { PayCheckout } from '@pay-checkout/merchant';
import Fastify from 'fastify';

const server = process.env.PAY_CHECKOUT_SERVER;
const pay = new PayCheckout({
  server,
  merchant: 'teashop',
  apiKey: process.env.PAY_CHECKOUT_API_KEY,
  signingSecret: process.env.PAY_CHECKOUT_SIGNING_SECRET,
});
const prices = new Map([['A1001', { amount: '9.99', currency: 'GBP' }]]);
const paid = new Set();

const app = Fastify();
app.get('/pay/:order', async ({ params: { order } }, reply) => {
  const price = prices.get(order);
  if (!price) return reply.code(404).send();
  const { orderToken } = await pay.orders.put(order, price);
  return reply.type('text/html').send(`<!doctype html>
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
app.get('/orders/:order', async ({ params: { order } }) => ({ paid: paid.has(order) }));

const receive = pay.events.handler({
  expectedAmount: (order) => prices.get(order),
  onPaid: ({ order }) => paid.add(order),
});
app.post('/events', (request, reply) => {
  reply.hijack();
  return receive(request, reply.raw);
});
await app.listen({ port: Number(process.env.PORT ?? 3000) });
