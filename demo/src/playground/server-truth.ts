/** What the two servers know of the order: the shop's own back end, and the session server. */
import { html, render, type TemplateResult } from 'lit';
import type { OrderView, PaymentView } from '../../shared/order-view.js';
import { readOrder, readPayment } from '../parts/shop-api.js';
import { LookPace } from './look-pace.js';

/** Asks again and again while the page is seen, until the order is paid or another one is followed. */
export class ServerTruth {
  readonly #host: HTMLElement;
  #following = new AbortController();
  #pace = new LookPace();

  constructor(host: HTMLElement) {
    this.#host = host;
    document.addEventListener('visibilitychange', () => {
      this.lookNow();
    });
  }

  follow(order: string): void {
    this.#following.abort();
    this.#following = new AbortController();
    this.#pace = new LookPace();
    void this.#follow(order, this.#pace, this.#following.signal);
  }

  /** Something happened: the next look is now. */
  lookNow(): void {
    this.#pace.lookNow();
  }

  async #follow(order: string, pace: LookPace, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [view, payment] = await Promise.all([
        readOrder(order).catch(() => undefined),
        readPayment(order).catch(() => undefined),
      ]);
      if (signal.aborted) return;
      render(renderTruth(view, payment), this.#host);
      if (view?.state === 'paid' && payment?.state === 'paid') return;
      do await pace.pause();
      while (document.visibilityState === 'hidden' && !signal.aborted);
    }
  }
}

function renderTruth(
  view: OrderView | undefined,
  payment: PaymentView | undefined,
): TemplateResult {
  const certain = payment?.certain ? ', certain' : '';
  return html`<dl class="known">
    <div>
      <dt>Order</dt>
      <dd data-fact="order">${view?.order ?? 'unknown'}</dd>
    </div>
    <div>
      <dt>Shop</dt>
      <dd data-fact="shop" class=${view?.state === 'paid' ? 'is-good' : ''}>
        ${view?.state.replaceAll('_', ' ') ?? 'no answer'}
      </dd>
    </div>
    <div>
      <dt>Session server</dt>
      <dd data-fact="server" class=${payment?.state === 'paid' ? 'is-good' : ''}>
        ${payment === undefined ? 'no answer' : `${payment.state}${certain}`}
      </dd>
    </div>
    <div>
      <dt>Sessions opened</dt>
      <dd data-fact="sessions">${payment?.sessions ?? '–'}</dd>
    </div>
    <div>
      <dt>Transactions</dt>
      <dd data-fact="transactions">${payment?.transactions ?? '–'}</dd>
    </div>
    <div>
      <dt>Signed events</dt>
      <dd data-fact="events">
        ${
          view === undefined || view.timeline.length === 0
            ? 'none'
            : view.timeline.map(({ type, effect }) => `${type} (${effect})`).join(', ')
        }
      </dd>
    </div>
  </dl>`;
}
