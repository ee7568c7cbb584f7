/** The payment page of a merchant: the order on one side, one tag on the other. */
import { html, render } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { OrderView } from '../order-view.js';
import { renderSummary } from './order-summary.js';
import { mountPaymentTag } from './payment-tag.js';
import { readOrder } from './shop-api.js';
import './basket-link.js';

/** How long the element's script may take before another way to pay is offered. */
const SCRIPT_PATIENCE_MS = 8000;

const query = new URLSearchParams(location.search);
const order = query.get('order') ?? '';
const isRedirect = query.get('mode') === 'redirect';
const notice = find(document, '#notice', HTMLElement);

void start();

async function start(): Promise<void> {
  const view = await readOrder(order).catch(() => null);
  if (view === null) {
    render(html`We could not reach the shop. <a href=${location.href}>Try again</a>.`, notice);
  } else if (view === undefined) {
    render(
      html`We do not know this order in this browser. <a href="/basket">Go to the basket</a>.`,
      notice,
    );
  } else if (view.state === 'paid') {
    render(
      html`Order ${view.order} is paid. <a href=${orderAddress(view.order)}>See your order</a>.`,
      notice,
    );
  } else {
    showPayment(view);
  }
}

function showPayment(view: OrderView): void {
  notice.textContent = `Order ${view.order}. One more step, ${view.firstName}.`;
  find(document, '[data-payment]', HTMLElement).hidden = false;
  render(renderSummary(view.basket), find(document, '#summary', HTMLElement));
  showOtherWay(view.order);
  const tag = mountPaymentTag({
    host: find(document, '#payment', HTMLElement),
    order: view.order,
    ...(view.orderToken !== undefined && { orderToken: view.orderToken }),
    isRedirect,
  });
  tag.addEventListener('pay-paid', () => {
    notice.textContent = `Order ${view.order}. Thank you, ${view.firstName}.`;
    showNext(view.order);
  });
  if (view.orderToken !== undefined) offerHostedPage(view.orderToken);
}

/** The shop ships when its back end knows; the order page says when that is. */
function showNext(orderNumber: string): void {
  const next = find(document, '#next', HTMLElement);
  next.hidden = false;
  render(html`<a class="button" href=${orderAddress(orderNumber)}>See your order</a>`, next);
  find(document, '#other-way', HTMLElement).hidden = true;
}

function showOtherWay(orderNumber: string): void {
  const here = `/pay?order=${encodeURIComponent(orderNumber)}`;
  const link = isRedirect
    ? html`<a href=${here}>Pay on this page instead</a>`
    : html`<a href="${here}&mode=redirect">Pay on a separate page instead</a>`;
  render(link, find(document, '#other-way', HTMLElement));
}

function offerHostedPage(orderToken: string): void {
  const base = find(document, '#hosted', HTMLAnchorElement).href;
  const blocked = find(document, '#blocked', HTMLElement);
  find(blocked, 'a', HTMLAnchorElement).href = `${base}${encodeURIComponent(orderToken)}`;
  const timer = setTimeout(() => {
    blocked.hidden = false;
  }, SCRIPT_PATIENCE_MS);
  void customElements.whenDefined('pay-checkout').then(() => {
    clearTimeout(timer);
    blocked.hidden = true;
  });
}

function orderAddress(orderNumber: string): string {
  return `/order?order=${encodeURIComponent(orderNumber)}`;
}
