/** @jsxImportSource solid-js */
import type {} from '@pay-checkout/widget/solid';

export const right = (
  <pay-checkout
    class="pay"
    merchant="teashop"
    order-token="A1001.1.x"
    prop:labels={{ buttons: { pay: 'Place order' } }}
    autostart
    on:pay-paid={({ order, currentTarget }) => [order?.length, currentTarget.merchant]}
    on:pay-error={({ code, retryable }) => [code.length, retryable]}
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
  <pay-checkout on:pay-paid={({ amount }) => amount} />,
];
