import type {} from '@pay-checkout/widget/vue';
import type { GlobalComponents } from 'vue';

type Props = InstanceType<GlobalComponents['pay-checkout']>['$props'];

export const right: Props = {
  class: 'pay',
  merchant: 'teashop',
  orderToken: 'A1001.1.x',
  'order-token': 'A1001.1.x',
  autostart: true,
  onPayPaid: ({ order, currentTarget }) => [order?.length, currentTarget.merchant],
  onPayError: ({ code, retryable }) => [code.length, retryable],
};

export const wrong: Props[] = [
  // @ts-expect-error There is no such mode.
  { mode: 'modal' },
  // @ts-expect-error There is no such property.
  { amount: '9.99' },
  // @ts-expect-error The event has no such field.
  { onPayPaid: ({ amount }) => amount as unknown },
];
