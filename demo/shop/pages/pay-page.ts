/** The payment page of a merchant: the order on one side, one tag on the other. */
import { html, render } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { OrderView } from '../order-view.js';
import { brand } from './brand.js';
import { renderSummary } from './order-summary.js';
import { mountPaymentTag } from './payment-tag.js';
import { readOrder } from './shop-api.js';
import './basket-link.js';

/** How long the element's script may take before another way to pay is offered. */
const SCRIPT_PATIENCE_MS = 8000;

const { words } = brand;
const query = new URLSearchParams(location.search);
const order = query.get('order') ?? '';
const isRedirect = query.get('mode') === 'redirect';
const notice = find(document, '#notice', HTMLElement);

void start();

async function start(): Promise<void> {
  const view = await readOrder(order).catch(() => null);
  if (view === null) {
    render(html`${words.unreachable} <a href=${location.href}>${words.tryAgain}</a>`, notice);
  } else if (view === undefined) {
    render(html`${words.unknownOrder} <a href="/basket">${words.goToBasket}</a>`, notice);
  } else if (view.state === 'paid') {
    render(
      html`${words.isPaid(view.order)} <a href=${orderAddress(view.order)}>${words.seeOrder}</a>`,
      notice,
    );
  } else if (view.orderToken === undefined) {
    render(
      html`${words.cannotPay} <a href=${orderAddress(view.order)}>${words.seeOrder}</a>`,
      notice,
    );
  } else {
    showPayment(view, view.orderToken);
  }
}

function showPayment(view: OrderView, orderToken: string): void {
  notice.textContent = words.oneMoreStep(view.order, view.firstName);
  find(document, '[data-payment]', HTMLElement).hidden = false;
  render(renderSummary(view.basket), find(document, '#summary', HTMLElement));
  showOtherWay(view.order);
  const tag = mountPaymentTag({
    host: find(document, '#payment', HTMLElement),
    order: view.order,
    orderToken,
    isRedirect,
  });
  tag.addEventListener('pay-paid', () => {
    notice.textContent = words.thanksFor(view.order, view.firstName);
    showNext(view.order);
  });
  offerHostedPage(orderToken);
}

/** The shop ships when its back end knows; the order page says when that is. */
function showNext(orderNumber: string): void {
  const next = find(document, '#next', HTMLElement);
  next.hidden = false;
  render(html`<a class="button" href=${orderAddress(orderNumber)}>${words.seeOrder}</a>`, next);
  find(document, '#other-way', HTMLElement).hidden = true;
}

function showOtherWay(orderNumber: string): void {
  const here = `/pay?order=${encodeURIComponent(orderNumber)}`;
  const link = isRedirect
    ? html`<a href=${here}>${words.payHere}</a>`
    : html`<a href="${here}&mode=redirect">${words.paySeparately}</a>`;
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
