import { PayCheckout } from '@pay-checkout/react';
import { useState } from 'react';
import { redirect } from 'react-router';
import { pay, priceOf, server } from '../shop.server.js';

export async function loader({ params: { order } }) {
  const { state, orderToken, payUrl } = await pay.orders.put(order, priceOf(order));
  return state === 'paid' ? redirect(`/orders/${order}`) : { server, order, orderToken, payUrl };
}

export default function Pay({ loaderData: { payUrl, ...tag } }) {
  const [isPaid, setPaid] = useState(false);
  return (
    <>
      <PayCheckout merchant="teashop" {...tag} onPayPaid={() => setPaid(true)}>
        <a href={payUrl}>Pay for order {tag.order}</a>
      </PayCheckout>
      {isPaid && <p>See you soon!</p>}
    </>
  );
}
