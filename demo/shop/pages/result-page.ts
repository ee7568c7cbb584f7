/**
 * Where the payment page sends people back to. The address is only a hint (anyone can type one):
 * the tag follows the checkout, and the order page says what the shop knows.
 */
import { html, render } from 'lit';
import { find } from '../../shared/pages/find.js';
import { brand } from './brand.js';
import { mountPaymentTag } from './payment-tag.js';
import { readOrder } from './shop-api.js';
import './basket-link.js';

const { words } = brand;
/** Whether a payment has arrived is for the tag to say. */
const left = { title: words.left, lead: words.leftLead };
const TEXTS = new Map([
  ['return', { title: words.returned, lead: words.returnedLead }],
  ['cancel', left],
  ['back', left],
]);

const query = new URLSearchParams(location.search);
const order = query.get('order') ?? '';
const text = TEXTS.get(query.get('kind') ?? 'return');
const lead = find(document, '#words', HTMLElement);

find(document, '#title', HTMLElement).textContent = text?.title ?? words.welcomeBack;
void start();

async function start(): Promise<void> {
  const view = await readOrder(order).catch(() => null);
  if (view === null) {
    render(html`${words.unreachable} <a href=${location.href}>${words.tryAgain}</a>`, lead);
    return;
  }
  // A shopper who paid by a link has no order here, and still wants to know the result.
  if (view === undefined && !query.has('checkout')) {
    render(html`${words.unknownOrder} <a href="/">${words.goToShop}</a>`, lead);
    return;
  }
  lead.textContent = text?.lead ?? '';
  if (view !== undefined) showNext(view.order);
  const tag = mountPaymentTag({
    host: find(document, '#payment', HTMLElement),
    order,
    ...(view?.orderToken !== undefined && { orderToken: view.orderToken }),
    isRedirect: false,
  });
  tag.addEventListener('pay-paid', () => {
    find(document, '#title', HTMLElement).textContent = words.thankYou;
    lead.textContent = view ? words.orderPageHas : words.packNow;
  });
}

function showNext(orderNumber: string): void {
  render(
    html`<a class="button quiet" href="/order?order=${encodeURIComponent(orderNumber)}">
      ${words.seeOrder}
    </a>`,
    find(document, '#next', HTMLElement),
  );
}
