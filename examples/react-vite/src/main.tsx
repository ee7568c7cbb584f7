import { configure, PayCheckout } from '@pay-checkout/react';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';

const { server, order, orderToken, payUrl } = await (
  await fetch(`/api${location.pathname}`)
).json();
configure({ server });

function Payment() {
  const [isPaid, setPaid] = useState(false);
  return (
    <>
      <PayCheckout
        merchant="teashop"
        order={order}
        orderToken={orderToken}
        onPayPaid={() => setPaid(true)}
      >
        <a href={payUrl}>Pay for order {order}</a>
      </PayCheckout>
      {isPaid && <p>See you soon!</p>}
    </>
  );
}

createRoot(document.querySelector('#app')!).render(
  <StrictMode>
    <Payment />
  </StrictMode>,
);
