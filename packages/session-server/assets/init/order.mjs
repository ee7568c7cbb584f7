// A shop's back end in its shortest form: prices an order and prints its payment link, or its state.
import { PayCheckout } from '@pay-checkout/merchant';

const { PAY_CHECKOUT_SERVER: server, PAY_CHECKOUT_MERCHANT: merchant } = process.env;
const { PAY_CHECKOUT_API_KEY: apiKey } = process.env;
const pay = new PayCheckout({ server, merchant, apiKey });
const [order = 'A1001', amount] = process.argv.slice(2);
if (amount === undefined) {
  console.log((await pay.orders.get(order)).state);
} else {
  const { state, payUrl } = await pay.orders.put(order, { amount, currency: 'GBP' });
  console.log(payUrl ?? state);
}
