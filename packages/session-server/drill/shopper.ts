import type { DrillSandbox } from './drill-sandbox.ts';
import { DrillShop } from './drill-shop.ts';
import type { KillableServer } from './killable-server.ts';

export const SHOP_ORIGIN = 'http://shop.localhost:4100';

interface OpenReply {
  readonly checkout?: string;
  readonly sessionId?: string;
}

interface StatusReply {
  readonly checkouts: readonly { readonly state: string; readonly revision: number }[];
}

/** One order, its page and its shopper: repeats what a real one would, and remembers what it was told. */
export class Shopper {
  readonly order: string;
  /** Every session that the page was ever given. */
  readonly sessions = new Set<string>();
  /** Visits, hints and strange webhooks that were answered with 2xx. */
  readonly acknowledged = new Set<'return' | 'cancel' | 'stray webhook'>();
  /** Every state that the page was told, in order. */
  readonly told: string[] = [];
  checkout = '';
  readonly #server: KillableServer;
  readonly #sandbox: DrillSandbox;
  readonly #shop: DrillShop;

  constructor(
    order: string,
    parts: {
      readonly server: KillableServer;
      readonly sandbox: DrillSandbox;
      readonly shop: DrillShop;
    },
  ) {
    this.order = order;
    this.#server = parts.server;
    this.#sandbox = parts.sandbox;
    this.#shop = parts.shop;
  }

  /** Opens the checkout as the page does, and asks again while another request is opening it. */
  async open(): Promise<string> {
    for (;;) {
      const { status, text } = await this.#server.call('/v1/checkouts', {
        headers: { origin: SHOP_ORIGIN },
        body: {
          merchant: DrillShop.merchant,
          order: this.order,
          orderToken: this.#shop.token(this.order),
        },
      });
      if (status === 202) continue;
      const { checkout, sessionId } = JSON.parse(text) as OpenReply;
      if (status !== 200 || checkout === undefined || sessionId === undefined) {
        throw new Error(`opening was answered ${String(status)}: ${text}`);
      }
      this.checkout = checkout;
      this.sessions.add(sessionId);
      return sessionId;
    }
  }

  async hint(kind: 'submitted' | 'cancelled', sessionId: string): Promise<void> {
    const path = `/v1/checkouts/${this.checkout}/hints`;
    const headers = { origin: SHOP_ORIGIN };
    const { status, text } = await this.#server.call(path, { headers, body: { kind, sessionId } });
    if (status !== 200) throw new Error(`a hint was answered ${String(status)}: ${text}`);
    if (kind === 'cancelled') this.acknowledged.add('cancel');
  }

  async pay(sessionId: string, card?: 'withoutWebhook'): Promise<void> {
    await this.#sandbox.pay(sessionId, card);
  }

  /** Visits the address that the provider sends the shopper to; reloads when nothing answers. */
  async comeBack(sessionId: string, kind: 'return' | 'cancel'): Promise<void> {
    const session = await this.#sandbox.session(sessionId);
    const address = kind === 'return' ? session.RedirectUrl : session.CancelUrl;
    const { status } = await this.#server.call(new URL(address).pathname);
    if (status !== 200) throw new Error(`the return address answered ${String(status)}`);
    this.acknowledged.add(kind);
  }

  /** Polls as the element does until the page is told a state. */
  async untilTold(state: string): Promise<void> {
    let seen = 0;
    while (this.told.at(-1) !== state) {
      const path = `/v1/checkouts?id=${this.checkout}:${String(seen)}&wait=25`;
      const { status, text } = await this.#server.call(path);
      const [found] = status === 200 ? (JSON.parse(text) as StatusReply).checkouts : [];
      if (!found) throw new Error(`the status was answered ${String(status)}: ${text}`);
      if (found.revision < seen) throw new Error('the revision went back');
      seen = found.revision;
      this.told.push(found.state);
    }
  }
}
