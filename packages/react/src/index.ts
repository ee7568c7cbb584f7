'use client';

import { createComponent, type EventName } from '@lit/react';
import {
  PayCheckout as PayCheckoutElement,
  type CheckoutEvent,
  type PayErrorEvent,
  type PayMetricEvent,
  type PayRedirectEvent,
  type PayStateChangeEvent,
} from '@pay-checkout/widget';
import * as React from 'react';

export { configure } from '@pay-checkout/widget';
export type {
  CheckoutEvent,
  PayCheckoutElement,
  PayErrorEvent,
  PayMetricEvent,
  PayRedirectEvent,
  PayStateChangeEvent,
};

// Where no page has defined them, the component would take properties for attributes, and a server would
// write the order token into its markup.
for (const name of Object.keys(PayCheckoutElement.properties)) {
  const { prototype } = PayCheckoutElement;
  if (!(name in prototype)) Object.defineProperty(prototype, name, { writable: true });
}

/**
 * The tag as a component: properties of the element as props, each event as `onPay…`, the element as `ref`.
 *
 * A server renders only the tag and its children: no order token is in the markup. The props and the
 * listeners come when the page hydrates.
 *
 * @example
 * ```tsx
 * <PayCheckout merchant="teashop" order="A1001" orderToken={token} onPayPaid={showThanks} />
 * ```
 */
export const PayCheckout = createComponent({
  // React 18 warns of a layout effect on a server.
  react: {
    ...React,
    useLayoutEffect: globalThis.document ? React.useLayoutEffect : React.useEffect,
  },
  tagName: 'pay-checkout',
  elementClass: PayCheckoutElement,
  events: {
    onPayStatechange: 'pay-statechange' as EventName<PayStateChangeEvent>,
    onPayReady: 'pay-ready' as EventName<CheckoutEvent>,
    onPayPaid: 'pay-paid' as EventName<CheckoutEvent>,
    onPayDeclined: 'pay-declined' as EventName<CheckoutEvent>,
    onPayFailed: 'pay-failed' as EventName<CheckoutEvent>,
    onPayUnconfirmed: 'pay-unconfirmed' as EventName<CheckoutEvent>,
    onPayCancel: 'pay-cancel' as EventName<CheckoutEvent>,
    onPayBack: 'pay-back' as EventName<CheckoutEvent>,
    onPayExpired: 'pay-expired' as EventName<CheckoutEvent>,
    onPayError: 'pay-error' as EventName<PayErrorEvent>,
    onPayRedirect: 'pay-redirect' as EventName<PayRedirectEvent>,
    onPayMetric: 'pay-metric' as EventName<PayMetricEvent>,
  },
});
