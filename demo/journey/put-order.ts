import { expect, vi } from 'vitest';
import { deriveApiKey } from '../stack/secrets.js';
import { ROASTERY } from '../stack/merchants.js';
import { PATIENCE_MS } from './patience.js';
import { BARE_PAGE } from './shopper.js';
import type { SandboxSession } from './sandbox-control.js';
import type { MerchantOrder, Servers } from './servers.js';

/** Also in a hook, where `expect.poll` is not allowed. */
function until(holds: () => Promise<void>): Promise<void> {
  return vi.waitFor(holds, { timeout: PATIENCE_MS });
}

interface Opened {
  readonly checkout: string;
  readonly sessionId: string;
}

/** An order that a shop puts at the session server, and all that can happen to it without a browser. */
export class PutOrder {
  readonly name: string;
  readonly #servers: Servers;
  token = '';
  payUrl = '';
  /** The checkout that was opened last, and those before it. */
  readonly opened: Opened[] = [];

  constructor(servers: Servers, name: string) {
    this.#servers = servers;
    this.name = name;
  }

  get attributes(): Readonly<Record<string, string>> {
    return { merchant: ROASTERY, order: this.name, 'order-token': this.token };
  }

  get latest(): Opened {
    const latest = this.opened.at(-1);
    if (!latest) throw new Error('This order was not opened.');
    return latest;
  }

  async put(amount: string): Promise<this> {
    const reply = await this.#asMerchant<{ orderToken: string; payUrl: string }>('PUT', {
      amount,
      currency: 'KWD',
      returnUrl: `${this.#servers.addresses.shop}${BARE_PAGE}?checkout={checkout}`,
    });
    this.token = reply.orderToken;
    this.payUrl = reply.payUrl;
    return this;
  }

  async makeVoid(): Promise<void> {
    await this.#asMerchant('DELETE');
  }

  async read(): Promise<MerchantOrder> {
    return this.#asMerchant('GET');
  }

  /** Waits until the session server knows the order to be so. */
  async becomes(known: Partial<MerchantOrder>): Promise<void> {
    await until(async () => {
      expect(await this.read()).toMatchObject(known);
    });
  }

  /** Waits until the session server says that a card was submitted, or no longer says so. */
  async becomesSubmitted(isSubmitted = true): Promise<void> {
    await until(async () => {
      expect(await this.isSubmitted()).toBe(isSubmitted);
    });
  }

  /** Opens the checkout as a page does. */
  async open(): Promise<void> {
    const { attributes } = this;
    const { merchant, order, 'order-token': orderToken } = attributes;
    this.opened.push(await this.#asPage<Opened>('', { merchant, order, orderToken }));
  }

  /** Whether the session server says that a card was submitted. */
  async isSubmitted(): Promise<boolean> {
    const { merchant, order, 'order-token': orderToken } = this.attributes;
    const asked = { merchant, order, orderToken, preview: true };
    return (await this.#asPage<{ submitted?: true }>('', asked)).submitted === true;
  }

  /** Says what a page with the form says. */
  async hint(kind: string): Promise<void> {
    const { checkout, sessionId } = this.latest;
    await this.#asPage(`/${checkout}/hints`, { kind, sessionId });
  }

  /** The sessions at the provider, oldest first. */
  async sessions(): Promise<SandboxSession[]> {
    return this.#servers.sandbox.sessionsOf(this.name);
  }

  /** The shopper visits one of the addresses of the session. */
  async visit(address: 'RedirectUrl' | 'CancelUrl' | 'backurl'): Promise<void> {
    const session = (await this.sessions()).at(-1);
    const { pay, payApi } = this.#servers.addresses;
    const response = await fetch(session?.[address].replace(pay, payApi) ?? '');
    expect(response.status).toBe(200);
  }

  /** A card is approved, or what the scenario says, in the latest session or an earlier one. */
  async pay(scenario = 'approved', session = -1): Promise<void> {
    const { session_id: id = '' } = (await this.sessions()).at(session) ?? {};
    await this.#servers.sandbox.pay(id, scenario);
  }

  /** What was paid, listed or not. */
  async payments(): Promise<{ readonly id: string }[]> {
    return this.#servers.sandbox.paymentsOf(this.name);
  }

  /** The provider lists what was paid. */
  async list(): Promise<void> {
    for (const { id } of await this.payments()) await this.#servers.sandbox.list(id);
  }

  /** The provider lists that a card payment in the latest session failed. */
  async listFailure(): Promise<void> {
    for (const session of (await this.sessions()).slice(-1)) {
      await this.#servers.sandbox.listFailure(session);
    }
  }

  async refund(): Promise<void> {
    for (const { id } of await this.payments()) await this.#servers.sandbox.refund(id);
  }

  async #asMerchant<T>(method: string, body?: unknown): Promise<T> {
    const key = deriveApiKey(this.#servers.stack.secrets, ROASTERY);
    return this.#call(`/merchant/orders/${this.name}`, method, body, {
      authorization: `Bearer ${key}`,
    });
  }

  async #asPage<T>(path: string, body: unknown): Promise<T> {
    const { shop } = this.#servers.addresses;
    return this.#call(`/checkouts${path}`, 'POST', body, { origin: shop });
  }

  async #call<T>(
    path: string,
    method: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<T> {
    const response = await fetch(`${this.#servers.addresses.payApi}/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const reply = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${reply}`);
    return (reply ? JSON.parse(reply) : undefined) as T;
  }
}
