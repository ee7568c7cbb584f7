import { notFound } from 'next/navigation';
import { connection } from 'next/server';
import { getPay, priceOf } from '../../../lib/shop.js';
import { Checkout } from './checkout.jsx';

/** On the server: only the order token goes to the browser. */
export default async function Page({ params }) {
  await connection();
  const { order } = await params;
  const price = priceOf(order);
  if (!price) notFound();
  const { orderToken, payUrl } = await getPay().orders.put(order, price);
  const server = process.env.PAY_CHECKOUT_SERVER;
  return <Checkout server={server} order={order} orderToken={orderToken} payUrl={payUrl} />;
}
