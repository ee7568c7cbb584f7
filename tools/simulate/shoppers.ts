import { findCheckout } from '../../packages/session-server/dist/checkouts/repository.js';
import type { Checkout } from '../../packages/session-server/dist/checkouts/state-machine.js';
import type { Merchant } from '../../packages/session-server/dist/merchants/merchant.js';
import type { ProviderModel } from './provider-model.ts';
import { type Random, zipf } from './random.ts';
import type { SimulatedServer } from './simulated-server.ts';
import { sleep } from './virtual-time.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** As long as a status request waits. */
const STATUS_WAIT_MS = 25 * SECOND_MS;
/** How long a shopper looks at the page after a payment, at most. */
const PATIENCE_MS = 5 * MINUTE_MS;
const TRIES = 3;

/** Shares of what shoppers, the provider and merchants do. */
const PAYS = 0.7;
const CLOSES_TAB = 0.1;
const WEBHOOK_ARRIVES = 0.95;
const IS_REFUNDED = 0.03;
const REFUNDED_WITHIN_MS = 20 * DAY_MS;

/** A payment at the provider that the server has not seen yet. */
export interface Payment {
  readonly paidAt: number;
  readonly listedAt: number;
  /** Whether the shopper waits on the page for the outcome. */
  readonly isWatched: boolean;
}

export interface ShoppersOptions {
  readonly random: Random;
  readonly server: SimulatedServer;
  readonly provider: ProviderModel;
  readonly merchants: readonly Merchant[];
  readonly now: () => number;
  /** Orders in all; they come, and refunds are made, until `until`. */
  readonly orders: number;
  readonly until: number;
  /** Whether there are more shoppers in the evening than at night. */
  readonly hasNights: boolean;
}

/** Shoppers who open checkouts, pay or leave, and wait for the outcome or close the tab. */
export class Shoppers {
  readonly counts = { opened: 0, paid: 0, refunded: 0 };
  /** By order. */
  readonly payments = new Map<string, Payment>();
  /** When refunds were made, by order. */
  readonly refunds = new Map<string, number>();
  readonly #options: ShoppersOptions;
  readonly #startedAt: number;
  readonly #gone = new AbortController();

  constructor(options: ShoppersOptions) {
    this.#options = options;
    this.#startedAt = options.now();
  }

  /** Lets the orders come, from now on. */
  start(): void {
    const { random, merchants } = this.#options;
    const choose = zipf(merchants.length, random);
    void this.#come(choose);
  }

  /** All of them close their pages. */
  leave(): void {
    this.#gone.abort();
  }

  async #come(choose: () => number): Promise<void> {
    const { orders, until, now, random, merchants, hasNights } = this.#options;
    const meanMs = (until - this.#startedAt) / orders;
    for (let number = 1; number <= orders; number += 1) {
      const busy = hasNights
        ? 1 + 0.8 * Math.sin(((now() % DAY_MS) / DAY_MS - 0.4) * 2 * Math.PI)
        : 1;
      await sleep(random.pause(meanMs) / busy);
      const merchant = merchants[choose()];
      if (merchant) void this.#visit(merchant, `A${String(number)}`);
    }
  }

  async #visit(merchant: Merchant, order: string): Promise<void> {
    const { random, server, provider, now } = this.#options;
    const opened = await this.#open(merchant, order);
    if (!opened) return;
    const { checkout, sessionId } = opened;
    const leaving = new AbortController();
    void this.#wait(checkout, AbortSignal.any([leaving.signal, this.#gone.signal]));
    await sleep(Math.min(random.duration(70 * SECOND_MS, 0.8), 40 * MINUTE_MS));
    if (!random.chance(PAYS)) {
      leaving.abort();
      return;
    }
    await server.checkouts.takeHint(checkout.id, { kind: 'submitted', sessionId });
    const session = provider.session(sessionId);
    const { listedAt, refund } = provider.pay(session);
    this.counts.paid += 1;
    const isWatched = !random.chance(CLOSES_TAB);
    const key = orderKey(checkout);
    this.payments.set(key, { paidAt: now(), listedAt, isWatched });
    this.#planWebhook(session.webhookUrl, order);
    this.#planRefund(key, refund);
    if (isWatched) await sleep(PATIENCE_MS);
    leaving.abort();
  }

  /** Opens a checkout; a shopper tries again when the provider fails. */
  async #open(merchant: Merchant, order: string) {
    const { server } = this.#options;
    for (let tries = 1; tries <= TRIES; tries += 1) {
      try {
        const request = { merchant: merchant.id, order, requestId: `request-${order}` };
        const result = await server.checkouts.create(merchant, request, () => Promise.resolve());
        if (result.kind === 'opened' && result.sessionId !== undefined) {
          this.counts.opened += 1;
          return { checkout: result.checkout, sessionId: result.sessionId };
        }
      } catch {
        await sleep(10 * SECOND_MS);
      }
    }
    return undefined;
  }

  /** Asks for the state again and again, as the status route does for a page. */
  async #wait({ id }: Checkout, signal: AbortSignal): Promise<void> {
    const { server } = this.#options;
    while (!signal.aborted) {
      const checkout = await findCheckout(server.database, id);
      if (!checkout || checkout.state === 'paid') return;
      server.reconciliation.ask(checkout);
      await server.changes.wait([id], STATUS_WAIT_MS, signal);
    }
  }

  #planWebhook(url: string, order: string): void {
    const { random, server } = this.#options;
    if (!random.chance(WEBHOOK_ARRIVES)) return;
    const body = JSON.stringify({
      event: 'payment',
      order,
      status: 'SUCCESS',
      note: 'x'.repeat(300),
    });
    setTimeout(
      () => {
        void server.receiveWebhook(url, body);
      },
      random.duration(2 * SECOND_MS, 1),
    );
  }

  #planRefund(key: string, refund: () => void): void {
    const { random, now, until } = this.#options;
    if (!random.chance(IS_REFUNDED)) return;
    const delayMs = random.next() * REFUNDED_WITHIN_MS;
    if (now() + delayMs > until) return;
    setTimeout(() => {
      refund();
      this.counts.refunded += 1;
      this.refunds.set(key, now());
    }, delayMs);
  }
}

export function orderKey({ merchant, order }: Pick<Checkout, 'merchant' | 'order'>): string {
  return `${merchant}/${order}`;
}
