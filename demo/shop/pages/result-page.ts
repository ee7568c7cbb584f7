/**
 * Where the payment page sends people back to. The address is only a hint (anyone can type one):
 * the tag follows the checkout, and the order page says what the shop knows.
 */
import { html, render } from 'lit';
import { find } from '../../shared/pages/find.js';
import { mountPaymentTag } from './payment-tag.js';
import { readOrder } from './shop-api.js';
import './basket-link.js';

interface Words {
  readonly title: string;
  readonly lead: string;
}

/** Whether a payment has arrived is for the tag below to say. */
const LEFT: Words = {
  title: 'You left the payment page',
  lead: 'Your order is kept. Below you see whether a payment has arrived.',
};

const WORDS = new Map<string, Words>([
  [
    'return',
    {
      title: 'Back from the payment',
      lead: 'Below is what the payment service knows. We pack your order once it is confirmed.',
    },
  ],
  ['cancel', LEFT],
  ['back', LEFT],
]);

const query = new URLSearchParams(location.search);
const order = query.get('order') ?? '';
const said = WORDS.get(query.get('kind') ?? 'return');
const words = find(document, '#words', HTMLElement);

find(document, '#title', HTMLElement).textContent = said?.title ?? 'Welcome back';
void start();

async function start(): Promise<void> {
  const view = await readOrder(order).catch(() => null);
  if (view === null) {
    render(html`We could not reach the shop. <a href=${location.href}>Try again</a>.`, words);
    return;
  }
  // A shopper who paid by a link has no order here, and still wants to know the result.
  if (view === undefined && !query.has('checkout')) {
    render(html`We do not know this order in this browser. <a href="/">Go to the shop</a>.`, words);
    return;
  }
  words.textContent = said?.lead ?? '';
  if (view !== undefined) showNext(view.order);
  const tag = mountPaymentTag({
    host: find(document, '#payment', HTMLElement),
    order,
    ...(view?.orderToken !== undefined && { orderToken: view.orderToken }),
    isRedirect: false,
  });
  tag.addEventListener('pay-paid', () => {
    find(document, '#title', HTMLElement).textContent = 'Thank you';
    words.textContent = view
      ? 'Your order page has the details, and says when we have all we need.'
      : 'We pack your order now.';
  });
}

function showNext(orderNumber: string): void {
  render(
    html`<a class="button quiet" href="/order?order=${encodeURIComponent(orderNumber)}">
      See your order
    </a>`,
    find(document, '#next', HTMLElement),
  );
}
