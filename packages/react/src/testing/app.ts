import { createElement, type ReactElement } from 'react';
import { PayCheckout } from '@pay-checkout/react';

/** What the component called, in order. */
export const calls: string[] = [];

/** A page with the component, as a server renders it and the browser hydrates it. */
export function app(): ReactElement {
  return createElement(
    PayCheckout,
    {
      id: 'tag',
      className: 'pay',
      merchant: 'teashop',
      order: 'A1001',
      orderToken: 'A1001.2000000000.c2lnbmF0dXJl',
      server: 'https://pay.example',
      labels: { buttons: { pay: 'Place order' } },
      createSession: () => Promise.reject(new Error('The page has no session.')),
      onPayStatechange: ({ phase }) => calls.push(phase),
      onPayError: ({ code }) => calls.push(code),
    },
    createElement('a', { href: '/pay' }, 'Pay'),
  );
}
