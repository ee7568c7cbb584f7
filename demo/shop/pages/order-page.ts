/** The order as the shop knows it. It polls until the payment is confirmed. */
import { html, render, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { OrderView } from '../order-view.js';
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
const NO_ANSWER = 'The payment service does not answer. Please try again in a minute.';

const order = new URLSearchParams(location.search).get('order') ?? '';
const host = find(document, '#order', HTMLElement);
const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

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
  const words = await readPayment(order).then(describePayment, () => NO_ANSWER);
  const answer = host.querySelector('[data-answer]');
  if (answer !== null) answer.textContent = words;
}

document.addEventListener('visibilitychange', () => {
  const isWaiting = host.querySelector('[data-waiting]') !== null;
  if (document.visibilityState === 'visible' && isWaiting) pollNow();
});

function renderOrder(view: OrderView): TemplateResult {
  const isPaid = view.state === 'paid';
  return html`
    <p class="kicker">Order ${view.order}</p>
    <div role="status">
      <h1 class="state">
        <span class=${isPaid ? 'dot is-paid' : 'dot'}></span>${headlineOf(view)}
      </h1>
    </div>
    ${isPaid ? html`<p class="lead">${thankFor(view)}</p>` : renderWaiting(view)}
    <div class="columns">
      <div>
        <section aria-labelledby="timeline">
          <h2 id="timeline">What happened so far</h2>
          <ol class="timeline">
            ${describeTimeline(view).map(renderLine)}
          </ol>
        </section>
        <section aria-labelledby="address">
          <h2 id="address">Delivery address</h2>
          ${renderAddress(view)}
        </section>
      </div>
      <aside class="panel" aria-label="Your order">${renderSummary(view.basket)}</aside>
    </div>
  `;
}

function renderWaiting(view: OrderView): TemplateResult {
  const isPolling = polls < MAX_POLLS;
  return html`<p class="lead" data-waiting>
      We have no confirmed payment for this order yet. If you have just paid, please wait: do not
      pay twice. ${isPolling ? 'This page checks again every few seconds.' : ''}
    </p>
    <p data-answer role="status"></p>
    <p class="next">
      <button type="button" class="button quiet" @click=${() => void askNow()}>Check again</button>
      <a class="button quiet" href="/pay?order=${encodeURIComponent(view.order)}">Go to payment</a>
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
  return html`<h1>We do not know this order here</h1>
    <p class="lead">
      An order can be seen only in the browser that placed it. Is this the same one?
    </p>
    <a class="button" href="/">Back to the shop</a>`;
}

function renderUnreachable(): TemplateResult {
  return html`<h1>We cannot reach the shop</h1>
    <p class="lead" data-waiting>This page tries again automatically.</p>`;
}
