import type { DrillSandbox } from './drill-sandbox.ts';
import { DrillShop, SHOP_ORIGIN } from './drill-shop.ts';
import type { Call, Reply } from './http.ts';

export interface PutOrder {
  readonly amountMinor: number;
  readonly isVoid: boolean;
}

interface OpenReply {
  readonly checkout?: string;
  readonly sessionId?: string;
  readonly revision?: number;
}

interface StatusReply {
  readonly checkouts: readonly { readonly state: string; readonly revision: number }[];
}

/** One server or several, of which some may be dead. */
export interface AnsweringServer {
  /** Repeats a request until it is answered. */
  call(path: string, call?: Call): Promise<Reply>;
}

/** One order, its page and its shopper: repeats what a real one would, and remembers what it was shown. */
export class Shopper {
  readonly order: string;
  merchant = DrillShop.merchant;
  /** Every session that the page was ever given, by the checkout of its price, in order. */
  readonly shown = new Map<string, Set<string>>();
  /** The checkouts of which a visit or a hint was answered with 2xx. */
  readonly acknowledged = { return: new Set<string>(), cancel: new Set<string>() };
  /** How many webhooks of our own were answered with 2xx, by the `order_id` that they came for. */
  readonly webhooks = new Map<number | null, number>();
  /** Every state that the page was shown of a checkout, in order. */
  readonly reported = new Map<string, string[]>();
  /** The order as its shop put it: what was answered with 2xx last, then what was not answered yet. */
  readonly put: { acknowledged?: PutOrder; pending?: PutOrder } = {};
  /** The one that was opened last. */
  checkout = '';
  /** The highest revision of each checkout that the page was shown. */
  readonly #revisions = new Map<string, number>();
  /** Where the form of each session that was paid sends the shopper. */
  readonly #redirects = new Map<string, string>();
  readonly #server: AnsweringServer;
  readonly #sandbox: DrillSandbox;
  readonly #shop: DrillShop;
  readonly #tabs: number;
  /** Of the order that was put. */
  #orderToken: string | undefined;

  constructor(
    order: string,
    parts: {
      readonly server: AnsweringServer;
      readonly sandbox: DrillSandbox;
      readonly shop: DrillShop;
      /** How many pages open the order at once. Default 1. */
      readonly tabs?: number;
    },
  ) {
    this.order = order;
    this.#server = parts.server;
    this.#sandbox = parts.sandbox;
    this.#shop = parts.shop;
    this.#tabs = parts.tabs ?? 1;
  }

  /** Lets the shop put the order at this price, again when nothing answers. Answers its order token. */
  async putOrder(
    amount: string,
    { merchant = DrillShop.puttingMerchant, more = {} } = {},
  ): Promise<string> {
    this.merchant = merchant;
    const put = { amountMinor: Number(amount.replace('.', '')), isVoid: false };
    const text = await this.#askAsShop('PUT', put, { amount, currency: 'GBP', ...more });
    const { orderToken } = JSON.parse(text) as { orderToken: string };
    this.#orderToken = orderToken;
    return orderToken;
  }

  async makeOrderVoid(): Promise<void> {
    const { amountMinor = 0 } = this.put.acknowledged ?? {};
    await this.#askAsShop('DELETE', { amountMinor, isVoid: true });
  }

  async #askAsShop(method: 'PUT' | 'DELETE', put: PutOrder, body?: unknown): Promise<string> {
    const headers = { authorization: `Bearer ${this.#shop.keyOf(this.merchant)}` };
    const path = `/v1/merchant/orders/${this.order}`;
    this.put.pending = put;
    const { status, text } = await this.#server.call(path, { method, headers, body });
    if (status > 299) throw new Error(`${method} was answered ${String(status)}: ${text}`);
    this.put.acknowledged = put;
    return text;
  }

  /**
   * Opens the checkout as the page does, in each tab, and asks again while another request creates it.
   *
   * @param renew the session that the SDK refused
   */
  async open(renew?: string): Promise<string> {
    const tabs = Array.from({ length: this.#tabs }, () => this.#openInTab(renew));
    const [session = ''] = await Promise.all(tabs);
    return session;
  }

  async #openInTab(renew?: string): Promise<string> {
    for (;;) {
      const { status, text } = await this.#server.call('/v1/checkouts', {
        headers: { origin: SHOP_ORIGIN },
        body: {
          merchant: this.merchant,
          order: this.order,
          orderToken: this.#orderToken ?? this.#shop.token(this.order),
          ...(renew !== undefined && { renew }),
        },
      });
      if (status === 202) continue;
      const { checkout, sessionId, revision = 0 } = JSON.parse(text) as OpenReply;
      if (status !== 200 || checkout === undefined || sessionId === undefined) {
        throw new Error(`creating a checkout was answered ${String(status)}: ${text}`);
      }
      this.checkout = checkout;
      this.shown.set(checkout, (this.shown.get(checkout) ?? new Set()).add(sessionId));
      this.#noteRevision(checkout, revision);
      return sessionId;
    }
  }

  async hint(kind: 'submitted' | 'cancelled', sessionId: string): Promise<void> {
    const path = `/v1/checkouts/${this.checkout}/hints`;
    const headers = { origin: SHOP_ORIGIN };
    const { status, text } = await this.#server.call(path, { headers, body: { kind, sessionId } });
    if (status !== 200) throw new Error(`a hint was answered ${String(status)}: ${text}`);
    if (kind === 'cancelled') this.acknowledged.cancel.add(this.checkout);
  }

  async pay(sessionId: string, card?: 'withoutWebhook'): Promise<void> {
    this.#redirects.set(sessionId, await this.#sandbox.pay(sessionId, card));
  }

  /** Visits the address that the provider sends the shopper to; reloads when nothing answers. */
  async comeBack(sessionId: string, kind: 'return' | 'cancel'): Promise<void> {
    const address =
      kind === 'return'
        ? (this.#redirects.get(sessionId) ?? '')
        : (await this.#sandbox.session(sessionId)).CancelUrl;
    const { status } = await this.#server.call(new URL(address).pathname);
    if (status !== 200) throw new Error(`the return address answered ${String(status)}`);
    this.acknowledged[kind].add(this.#checkoutOf(sessionId));
  }

  /** Posts a webhook as the provider does: again when nothing answers. */
  async receive(
    path: string,
    webhook: {
      /** Whose address it is; null for that of an endpoint. */
      readonly orderId: number | null;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    },
  ): Promise<void> {
    const { orderId, body, headers = {} } = webhook;
    const { status, text } = await this.#server.call(path, { body, headers });
    if (status < 200 || status > 299) {
      throw new Error(`a webhook was answered ${String(status)}: ${text}`);
    }
    this.webhooks.set(orderId, (this.webhooks.get(orderId) ?? 0) + 1);
  }

  /** Polls as the element does until the page is shown a state. */
  async untilReported(state: string, checkout = this.checkout): Promise<void> {
    const reported = this.reported.get(checkout) ?? [];
    this.reported.set(checkout, reported);
    while (reported.at(-1) !== state) {
      const seen = this.#revisions.get(checkout) ?? 0;
      const path = `/v1/checkouts?id=${checkout}:${String(seen)}&wait=25`;
      const { status, text } = await this.#server.call(path);
      const [found] = status === 200 ? (JSON.parse(text) as StatusReply).checkouts : [];
      if (!found) throw new Error(`the status was answered ${String(status)}: ${text}`);
      this.#noteRevision(checkout, found.revision);
      reported.push(found.state);
    }
  }

  #noteRevision(checkout: string, revision: number): void {
    if (revision < (this.#revisions.get(checkout) ?? 0)) throw new Error('a revision went back');
    this.#revisions.set(checkout, revision);
  }

  /** The checkout in which a session was shown. */
  #checkoutOf(sessionId: string): string {
    const found = [...this.shown].find(([, sessions]) => sessions.has(sessionId));
    return found?.[0] ?? this.checkout;
  }
}
