/** The order as the shop knows it. It polls until the payment is confirmed. */
import { html, render, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { OrderView } from '../order-view.js';
import { brand } from './brand.js';
import { emptyBasketOf } from './basket.js';
import { renderSummary } from './order-summary.js';
import {
  describePayment,
  describeTimeline,
  headlineOf,
  thankFor,
  type TimelineLine,
} from './order-words.js';
import { readOrder, readPayment } from './shop-api.js';
import './basket-link.js';

/** Pauses between polls; the last one repeats. */
const PAUSES_MS = [1000, 2000, 3000, 5000, 10_000];
const MAX_POLLS = 60;

const { words } = brand;
const order = new URLSearchParams(location.search).get('order') ?? '';
const host = find(document, '#order', HTMLElement);
const time = new Intl.DateTimeFormat(brand.language, { dateStyle: 'medium', timeStyle: 'short' });

let polls = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

void poll();

async function poll(): Promise<void> {
  clearTimeout(timer);
  polls += 1;
  try {
    const view = await readOrder(order);
    render(view === undefined ? renderUnknown() : renderOrder(view), host);
    if (view === undefined) return;
    if (view.state === 'paid') {
      emptyBasketOf(view.order);
      return;
    }
  } catch {
    if (polls === 1) render(renderUnreachable(), host);
  }
  pollLater();
}

function pollLater(): void {
  if (polls >= MAX_POLLS) return;
  const pauseMs = PAUSES_MS[Math.min(polls, PAUSES_MS.length) - 1];
  timer = setTimeout(() => {
    // A hidden page does not poll; it polls as soon as it is visible again.
    if (document.visibilityState === 'visible') void poll();
  }, pauseMs);
}

function pollNow(): void {
  polls = 1;
  void poll();
}

/** Asks the payment service too, and shows its answer. */
async function askNow(): Promise<void> {
  pollNow();
  const said = await readPayment(order).then(describePayment, () => words.noAnswer);
  const answer = host.querySelector('[data-answer]');
  if (answer !== null) answer.textContent = said;
}

document.addEventListener('visibilitychange', () => {
  const isWaiting = host.querySelector('[data-waiting]') !== null;
  if (document.visibilityState === 'visible' && isWaiting) pollNow();
});

function renderOrder(view: OrderView): TemplateResult {
  const isPaid = view.state === 'paid';
  return html`
    <p class="kicker">${words.orderNumber(view.order)}</p>
    <div role="status">
      <h1 class="state">
        <span class=${isPaid ? 'dot is-paid' : 'dot'}></span>${headlineOf(view)}
      </h1>
    </div>
    ${isPaid ? html`<p class="lead">${thankFor(view)}</p>` : renderWaiting(view)}
    <div class="columns">
      <div>
        <section aria-labelledby="timeline">
          <h2 id="timeline">${words.soFar}</h2>
          <ol class="timeline">
            ${describeTimeline(view).map(renderLine)}
          </ol>
        </section>
        <section aria-labelledby="address">
          <h2 id="address">${words.address}</h2>
          ${renderAddress(view)}
        </section>
      </div>
      <aside class="panel" aria-label=${words.yourOrder}>${renderSummary(view.basket)}</aside>
    </div>
  `;
}

function renderWaiting(view: OrderView): TemplateResult {
  const isPolling = polls < MAX_POLLS;
  return html`<p class="lead" data-waiting>
      ${words.notConfirmed} ${isPolling ? words.checksAgain : ''}
    </p>
    <p data-answer role="status"></p>
    <p class="next">
      <button type="button" class="button quiet" @click=${() => void askNow()}>
        ${words.checkAgain}
      </button>
      <a class="button quiet" href="/pay?order=${encodeURIComponent(view.order)}"
        >${words.goToPayment}</a
      >
    </p>`;
}

function renderLine({ at, words }: TimelineLine): TemplateResult {
  return html`<li>
    <time datetime=${at}>${time.format(new Date(at))}</time><span>${words}</span>
  </li>`;
}

function renderAddress({ address }: OrderView): TemplateResult {
  const lines = [
    address.address1,
    address.address2,
    `${address.town} ${address.postcode}`,
    address.country,
  ];
  return html`<address>
    ${lines.filter((line) => line !== undefined).map((line) => html`<span>${line}</span>`)}
  </address>`;
}

function renderUnknown(): TemplateResult {
  return html`<h1>${words.unknownTitle}</h1>
    <p class="lead">${words.unknownLead}</p>
    <a class="button" href="/">${words.backToShop}</a>`;
}

function renderUnreachable(): TemplateResult {
  return html`<h1>${words.unreachableTitle}</h1>
    <p class="lead" data-waiting>${words.triesAgain}</p>`;
}
