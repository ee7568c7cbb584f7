import { pay, priceOf, server, shop } from '../back-end/shop.js';

shop.get('/pay/:order', async ({ params: { order } }, response) => {
  const { state, orderToken, payUrl } = await pay.orders.put(order, priceOf(order));
  if (state === 'paid') return response.redirect(`/orders/${order}`);
  response.send(`<!doctype html>
    <html lang="en">
      <title>Pay</title>
      <script src="${server}/v1/pay-checkout.js" async crossorigin></script>
      <pay-checkout merchant="teashop" order="${order}" order-token="${orderToken}">
        <a href="${payUrl}">Pay for order ${order}</a>
      </pay-checkout>
      <p id="thanks" hidden>See you soon!</p>
      <script>
        document.addEventListener('pay-paid', () => (document.querySelector('#thanks').hidden = false));
      </script>
    </html>`);
});
shop.listen(Number(process.env.PORT ?? 3000));
