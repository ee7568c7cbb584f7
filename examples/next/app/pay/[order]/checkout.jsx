'use client';

import { PayCheckout } from '@pay-checkout/react';
import { useState } from 'react';

export function Checkout({ payUrl, ...tag }) {
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
