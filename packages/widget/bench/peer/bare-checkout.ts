import { css, html, LitElement, type TemplateResult } from 'lit';
import type {
  CheckoutConfigReply,
  CheckoutStatusReply,
  CreateCheckoutReply,
} from '@pay-checkout/session-server/contract';

interface Sdk {
  configure(options: object): Promise<unknown>;
}

/**
 * The least that takes a payment at the same server: the amount, no words but a few, no way back, no
 * errors. With the attribute `without-amount` it does not say what is paid, and so pays nothing for
 * the browser's first `Intl.NumberFormat`.
 */
class BareCheckout extends LitElement {
  static override styles = css`
    :host {
      display: block;
    }
    section {
      border: 1px solid #ccc;
      padding: 16px;
    }
  `;
  static override properties = {
    merchant: {},
    order: {},
    orderToken: { attribute: 'order-token' },
    server: {},
    autostart: { type: Boolean },
    withoutAmount: { type: Boolean, attribute: 'without-amount' },
    phase: { state: true },
  };

  merchant = '';
  order = '';
  orderToken = '';
  server = '';
  autostart = false;
  withoutAmount = false;
  phase = 'idle';
  #amount = '';
  #sdk: Promise<Sdk> | undefined;
  readonly #leaving = new AbortController();

  override connectedCallback(): void {
    super.connectedCallback();
    this.#sdk = this.#load();
    if (this.autostart) void this.start();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leaving.abort();
  }

  async start(): Promise<void> {
    this.phase = 'opening';
    const { merchant, order, orderToken } = this;
    const reply = await this.#ask<CreateCheckoutReply>('/v1/checkouts', {
      method: 'POST',
      body: JSON.stringify({ merchant, order, orderToken }),
    });
    const sdk = await this.#sdk;
    const container = document.createElement('div');
    container.id = 'bare-checkout-form';
    this.append(container);
    await sdk?.configure({ session_id: reply.sessionId, container: `#${container.id}` });
    if (!this.withoutAmount) this.#amount = formatAmount(reply);
    this.phase = 'ready';
    this.dispatchEvent(new Event('pay-ready', { bubbles: true }));
    await this.#follow(reply.checkout);
  }

  override render(): TemplateResult {
    return html`<section>
      ${
        this.phase === 'idle'
          ? html`<button @click=${() => this.start()}>Pay</button>`
          : `${this.phase} ${this.#amount}`
      }<slot></slot>
    </section>`;
  }

  async #load(): Promise<Sdk> {
    const query = `?merchant=${encodeURIComponent(this.merchant)}`;
    const { sdk } = await this.#ask<CheckoutConfigReply>(`/v1/checkout-config${query}`);
    const script = document.createElement('script');
    script.src = sdk.url;
    const loaded = new Promise((resolve, reject) => {
      script.onload = resolve;
      script.onerror = reject;
    });
    document.head.append(script);
    await loaded;
    return (globalThis as unknown as Record<string, Sdk>)[sdk.global] as Sdk;
  }

  async #follow(checkout: string): Promise<void> {
    for (let revision = 1; this.phase !== 'paid';) {
      const path = `/v1/checkouts?id=${checkout}:${revision}&wait=25`;
      const { checkouts } = await this.#ask<CheckoutStatusReply>(path);
      for (const known of checkouts) {
        revision = known.revision;
        if (known.state === 'paid') this.phase = 'paid';
      }
    }
  }

  async #ask<Reply>(path: string, init?: RequestInit): Promise<Reply> {
    const { signal } = this.#leaving;
    const response = await fetch(this.server + path, { ...init, signal });
    if (!response.ok) throw new Error(String(response.status));
    return (await response.json()) as Reply;
  }
}

function formatAmount({ amount, currency }: CreateCheckoutReply): string {
  const { lang } = document.documentElement;
  const format = new Intl.NumberFormat(lang, { style: 'currency', currency });
  return format.format(amount as Intl.StringNumericLiteral);
}

customElements.define('bare-checkout', BareCheckout);
