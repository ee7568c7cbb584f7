/** @jsxImportSource preact */
import type {} from '@pay-checkout/widget/preact';

export const right = (
  <pay-checkout
    class="pay"
    merchant="teashop"
    orderToken="A1001.1.x"
    autostart
    onpay-paid={({ order, currentTarget }) => [order?.length, currentTarget.merchant]}
    onpay-error={({ code, retryable }) => [code.length, retryable]}
  >
    <a href="/pay">Pay</a>
  </pay-checkout>
);

export const wrong = [
  // @ts-expect-error There is no such mode.
  <pay-checkout mode="modal" />,
  // @ts-expect-error There is no such property.
  <pay-checkout amount="9.99" />,
  // @ts-expect-error The event has no such field.
  <pay-checkout onpay-paid={({ amount }) => amount} />,
];
