/** What the two servers know of the order: the shop's own back end, and the session server. */
import { html, render, type TemplateResult } from 'lit';
import type { OrderView, PaymentView } from '../../shop/order-view.js';
import { readOrder, readPayment, askShop } from '../../shop/pages/shop-api.js';
import type { PlaygroundOrderReply, PlaygroundView } from '../playground-routes.js';

/** Asks again and again while the page is seen, until the order is paid or another one is followed. */
export class ServerStatus {
  readonly #host: HTMLElement;
  #following = new AbortController();
  #pace = new PollPace();

  constructor(host: HTMLElement) {
    this.#host = host;
    document.addEventListener('visibilitychange', () => {
      this.pollNow();
    });
  }

  follow(order: string): void {
    this.#following.abort();
    this.#following = new AbortController();
    this.#pace = new PollPace();
    void this.#follow(order, this.#pace, this.#following.signal);
  }

  /** Something happened: polls now. */
  pollNow(): void {
    this.#pace.pollNow();
  }

  async #follow(order: string, pace: PollPace, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [view, payment] = await Promise.all([
        readOrder(order).catch(() => undefined),
        readPayment(order).catch(() => undefined),
      ]);
      if (signal.aborted) return;
      render(renderStatus(view, payment), this.#host);
      if (view?.state === 'paid' && payment?.state === 'paid') return;
      do await pace.pause();
      while (document.visibilityState === 'hidden' && !signal.aborted);
    }
  }
}

function renderStatus(
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

const PAUSE_MS = 2000;
/** Ten minutes; after that the page polls only when something happens. */
const MAX_PAUSES = 300;

export class PollPace {
  #pausesLeft = MAX_PAUSES;
  #wake: () => void = () => undefined;

  /** Something happened: the next poll is now, and others follow. */
  pollNow(): void {
    this.#pausesLeft = MAX_PAUSES;
    this.#wake();
  }

  /** Resolves when it is time for the next poll. */
  pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#pausesLeft -= 1;
      const timer = this.#pausesLeft < 0 ? undefined : setTimeout(resolve, PAUSE_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

export async function readPlayground(): Promise<PlaygroundView> {
  return (await askShop('/api/playground')) as PlaygroundView;
}

export async function placePlaygroundOrder(body: {
  readonly merchant: string;
  readonly amount: string;
  readonly asksAddress: boolean;
}): Promise<PlaygroundOrderReply> {
  return (await askShop('/api/playground/orders', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })) as PlaygroundOrderReply;
}
