/** @jsxImportSource react */
import type {} from '@pay-checkout/widget/react-18';

export const right = (
  <pay-checkout
    ref={(tag) => tag?.start()}
    class="pay"
    merchant="teashop"
    order="A1001"
    order-token="A1001.1.x"
    autostart=""
  >
    <a href="/pay">Pay</a>
  </pay-checkout>
);

export const wrong = [
  // @ts-expect-error There is no such mode.
  <pay-checkout mode="modal" />,
  // @ts-expect-error React 18 sets no properties.
  <pay-checkout orderToken="A1001.1.x" />,
  // @ts-expect-error React 18 would write `false`, which switches it on.
  <pay-checkout autostart={false} />,
  // @ts-expect-error React 18 attaches no listeners.
  <pay-checkout onpay-paid={() => undefined} />,
];
