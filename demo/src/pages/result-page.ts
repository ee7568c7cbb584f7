/**
 * Where the payment page sends people back to. The address is only a hint (anybody can type one):
 * the tag follows the checkout, and the order page says what the shop knows.
 */
import { html, render } from 'lit';
import { startBasketLink } from '../parts/basket-link.js';
import { find } from '../parts/find.js';
import { mountPaymentTag } from '../parts/payment-tag.js';
import { readOrder } from '../parts/shop-api.js';

const TITLES: Readonly<Record<string, string>> = {
  return: 'Back from the payment',
  cancel: 'Payment cancelled',
  back: 'Payment not finished',
};

const WORDS: Readonly<Record<string, string>> = {
  return:
    'We are asking whether your payment has arrived. Please do not pay again while we look. ' +
    'We pack your order once it is confirmed.',
  cancel: 'Your basket is as you left it. You can pay now, or come back later.',
  back: 'Your basket is as you left it. You can pay now, or come back later.',
};

const query = new URLSearchParams(location.search);
const order = query.get('order') ?? '';
const kind = query.get('kind') ?? 'return';
const words = find(document, '#words', HTMLElement);

startBasketLink();
find(document, '#title', HTMLElement).textContent = TITLES[kind] ?? 'Welcome back';
void start();

async function start(): Promise<void> {
  const view = await readOrder(order).catch(() => undefined);
  if (view === undefined) {
    render(html`We do not know this order in this browser. <a href="/">Go to the shop</a>.`, words);
    return;
  }
  words.textContent = WORDS[kind] ?? '';
  showNext(view.order, kind !== 'return' && view.state !== 'paid');
  const tag = mountPaymentTag({
    host: find(document, '#payment', HTMLElement),
    order: view.order,
    orderToken: view.orderToken,
    isRedirect: false,
  });
  tag.addEventListener('pay-paid', () => {
    find(document, '#title', HTMLElement).textContent = 'Thank you';
    words.textContent = 'Your order page has the details, and tells you when we have all we need.';
    showNext(view.order, false);
  });
}

function showNext(orderNumber: string, canPay: boolean): void {
  const number = encodeURIComponent(orderNumber);
  render(
    html`${canPay ? html`<a class="button" href="/pay?order=${number}">Back to payment</a>` : ''}
      <a class=${canPay ? 'button quiet' : 'button'} href="/order?order=${number}">
        See your order
      </a>`,
    find(document, '#next', HTMLElement),
  );
}
