import { describeError } from '../logger.js';
import type { Logger } from '../logger.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { parseMinor } from '../money.js';
import type { OrderLookup } from '../orders/order-lookup.js';
import type { Database } from '../store/database.js';
import type { ChangeFeed } from './change-feed.js';
import { getCheckout } from './repository.js';
import type { Checkout } from './state-machine.js';
import { applyFacts, type StepContext } from './steps.js';

export interface PriceCheckOptions {
  readonly merchants: MerchantSource;
  readonly lookUpOrder: OrderLookup;
  readonly database: Database;
  readonly context: StepContext;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
}

/**
 * Asks the shop for the price of an order that has just been paid. When the shop still sells it, at
 * another price, its merchant hears `price_changed`: the payment was made in an older session. The
 * payment itself never waits for it.
 */
export class PriceCheck {
  readonly #options: PriceCheckOptions;
  readonly #running = new Set<Promise<void>>();

  constructor(options: PriceCheckOptions) {
    this.#options = options;
  }

  start(checkout: Checkout): void {
    const check = this.#check(checkout)
      .catch((error: unknown) => {
        const { merchant, order } = checkout;
        this.#options.logger.warn(
          { merchant, order, ...describeError(error) },
          'the price of a paid order could not be compared',
        );
      })
      .finally(() => this.#running.delete(check));
    this.#running.add(check);
  }

  async close(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #check({ id, merchant: merchantId, order: name }: Checkout): Promise<void> {
    const { merchants, lookUpOrder, database, context, changes } = this.#options;
    const merchant = await merchants.find(merchantId);
    const order = merchant && (await lookUpOrder(merchant, name));
    if (order?.status !== 'payable') return;
    const { before, after } = await database.transaction('payment:compare-price', async (tx) => {
      const checkout = await getCheckout(tx, id);
      const isSame =
        order.currency === checkout.currency &&
        parseMinor(order.amount, checkout.decimals) === checkout.amountMinor;
      const fact = { type: 'attention-needed', code: 'price_changed' } as const;
      return applyFacts(tx, checkout, isSame ? [] : [fact], context);
    });
    if (after !== before) changes.notify(id);
  }
}
