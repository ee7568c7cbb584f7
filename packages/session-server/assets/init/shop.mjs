// A shop in its shortest form: it prices an order, shows the tag, and learns for certain what is paid.
import { createServer } from 'node:http';
import { PayCheckout } from '@pay-checkout/merchant';

const { PAY_CHECKOUT_SERVER: server, PAY_CHECKOUT_MERCHANT: merchant } = process.env;
const { PAY_CHECKOUT_API_KEY: apiKey, SHOP_PORT: port } = process.env;
const pay = new PayCheckout({ server, merchant, apiKey });
const price = { amount: '9.99', currency: 'GBP' };

/** With a token the tag pays the order; without one it shows the checkout that the address names. */
const page = (order, token = '') => `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>My Shop</title>
  <script src="${server}/v1/pay-checkout.js" async></script>
  <h1>My Shop</h1>
  <p>Order ${order}: ${price.amount} ${price.currency}</p>
  <pay-checkout merchant="${merchant}" order="${order}" order-token="${token}"></pay-checkout>
</html>`;

const shop = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://shop');
  const isResult = pathname === '/result';
  const order = isResult ? searchParams.get('order') : pathname.slice(1) || 'A1001';
  if (!/^[A-Z]\d+$/.test(order)) return response.writeHead(404).end();
  response.setHeader('content-type', 'text/html; charset=utf-8');
  if (!isResult) {
    const { state, orderToken } = await pay.orders.put(order, price);
    return response.end(state === 'paid' ? `Order ${order} is paid.` : page(order, orderToken));
  }
  const { state } = await pay.orders.get(order);
  console.log(`Order ${order} is ${state}.`);
  return response.end(page(order));
});
shop.listen(port, '127.0.0.1', () => console.log(`The shop is at http://127.0.0.1:${port}`));
