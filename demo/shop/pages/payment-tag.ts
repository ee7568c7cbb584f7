/** Puts our `<pay-checkout>` tag on the page once its order and token are known. */
import { find } from '../../shared/pages/find.js';
import { emptyBasketOf } from './basket.js';
import { readOrder } from './shop-api.js';

/** How many fresh tokens a page fetches before it stops: a clock that is wrong never gets one. */
const MAX_FRESH_TOKENS = 3;

export interface PaymentTagOptions {
  readonly host: HTMLElement;
  readonly order: string;
  readonly orderToken?: string;
  /** Pay on the session server's page instead of in ours. */
  readonly isRedirect: boolean;
}

/** The tag of the page's `<template id="tag">`, filled in and running. */
export function mountPaymentTag(options: PaymentTagOptions): HTMLElement {
  const { host, order, orderToken, isRedirect } = options;
  const template = find(document, '#tag', HTMLTemplateElement);
  const tag = find(document.importNode(template.content, true), 'pay-checkout', HTMLElement);
  tag.setAttribute('order', order);
  if (orderToken !== undefined) tag.setAttribute('order-token', orderToken);
  if (isRedirect) tag.setAttribute('mode', 'redirect');
  tag.addEventListener('pay-paid', () => {
    emptyBasketOf(order);
  });
  keepTokenFresh(tag, order);
  host.replaceChildren(tag);
  return tag;
}

function keepTokenFresh(tag: HTMLElement, order: string): void {
  let freshTokens = 0;
  tag.addEventListener('pay-error', (event) => {
    if (readCode(event) !== 'order_token_expired' || freshTokens >= MAX_FRESH_TOKENS) return;
    freshTokens += 1;
    void refresh(tag, order);
  });
}

/** Without the shop there is no new token, and the tag goes on saying that the old one has run out. */
async function refresh(tag: HTMLElement, order: string): Promise<void> {
  const view = await readOrder(order).catch(() => undefined);
  if (view?.orderToken !== undefined) tag.setAttribute('order-token', view.orderToken);
}

function readCode(event: Event): unknown {
  return 'code' in event ? event.code : undefined;
}
