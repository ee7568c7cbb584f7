import type {} from '@pay-checkout/widget/svelte';
import type { SvelteHTMLElements } from 'svelte/elements';

type Props = SvelteHTMLElements['pay-checkout'];

export const right: Props = {
  class: 'pay',
  merchant: 'teashop',
  orderToken: 'A1001.1.x',
  'order-token': 'A1001.1.x',
  autostart: true,
  'onpay-paid': ({ order, currentTarget }) => [order?.length, currentTarget.merchant],
  'onpay-error': ({ code, retryable }) => [code.length, retryable],
};

export const wrong: Props[] = [
  // @ts-expect-error There is no such mode.
  { mode: 'modal' },
  // @ts-expect-error There is no such property.
  { amount: '9.99' },
  // @ts-expect-error The event has no such field.
  { 'onpay-paid': ({ amount }) => amount as unknown },
];
