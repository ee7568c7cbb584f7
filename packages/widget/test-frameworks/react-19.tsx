/** @jsxImportSource react */
import type {} from '@pay-checkout/widget/react-19';

export const right = (
  <pay-checkout
    ref={(tag) => tag?.start()}
    className="pay"
    merchant="teashop"
    order="A1001"
    orderToken="A1001.1.x"
    autostart
    mode="overlay"
    labels={{ buttons: { pay: 'Place order' } }}
    onpay-paid={({ order, currentTarget }) => [order?.length, currentTarget.merchant]}
    onpay-error={({ code, retryable }) => [code.length, retryable]}
  >
    <a href="/pay">Pay</a>
  </pay-checkout>
);

export const asMarkup = <pay-checkout order-token="A1001.1.x" return-param="id" theme="dark" />;

export const wrong = [
  // @ts-expect-error There is no such mode.
  <pay-checkout mode="modal" />,
  // @ts-expect-error There is no such property.
  <pay-checkout amount="9.99" />,
  // @ts-expect-error The event has no such field.
  <pay-checkout onpay-paid={({ amount }) => amount} />,
];
