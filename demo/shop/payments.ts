/** Our side of the session server: a client for each of our merchant entries there. */
import { isPayCheckoutError, type OrderDetails, PayCheckout } from '@pay-checkout/merchant';
import type { Brand } from '../brands/brand.js';
import type { ShopConfig } from './config.js';
import { toDecimalText } from './money.js';
import type { PricedBasket } from './catalogue.js';
import type { Order } from './order.js';
import type { PaymentView } from './order-view.js';
import { ShopError } from './problem.js';

const ASK_WITHIN_SECONDS = 3;
/** How long an order token creates a checkout. A page that stays open longer asks for another. */
const TOKEN_SECONDS = 30 * 60;

export class Payments {
  /** The entry of the shop itself. */
  readonly own: PayCheckout;
  /** Those of the playground, by merchant. */
  readonly others: ReadonlyMap<string, PayCheckout>;

  readonly #brand: Brand;
  readonly #makesTokens: boolean;

  constructor(
    config: Pick<
      ShopConfig,
      | 'brand'
      | 'payApiUrl'
      | 'payApiKey'
      | 'signingSecret'
      | 'orderTokenSecret'
      | 'playgroundMerchants'
    >,
  ) {
    const clientOf = (merchant: string, apiKey: string): PayCheckout =>
      new PayCheckout({
        server: config.payApiUrl,
        merchant,
        apiKey,
        signingSecret: config.signingSecret,
        ...(config.orderTokenSecret && { orderTokenSecret: config.orderTokenSecret }),
        timeoutSeconds: ASK_WITHIN_SECONDS,
      });
    this.#brand = config.brand;
    this.#makesTokens = config.orderTokenSecret !== undefined;
    this.own = clientOf(config.brand.id, config.payApiKey);
    this.others = new Map(
      config.playgroundMerchants.map(({ id, apiKey }) => [id, clientOf(id, apiKey)]),
    );
  }

  /** The one entry at which an order is priced and paid. */
  of({ playground }: Pick<Order, 'playground'>): PayCheckout {
    const found = playground === undefined ? this.own : this.others.get(playground.merchant);
    if (found === undefined) throw new Error('The merchant of this order is not ours any more.');
    return found;
  }

  /**
   * A token for the tag of this order; none once it is paid. With a secret for tokens it is made here, and the
   * session server looks the order up. Without one, and at the entries of the playground, orders are put, and
   * the session server makes it.
   */
  async tokenOf(order: Order): Promise<string | undefined> {
    const pay = this.of(order);
    if (pay === this.own && this.#makesTokens) {
      return pay.orderToken(order.order, { expiresInSeconds: TOKEN_SECONDS });
    }
    const details = { ...this.detailsOf(order), expiresInSeconds: TOKEN_SECONDS };
    const { orderToken } = await pay.orders.put(order.order, details).catch(throwUnreachable);
    return orderToken;
  }

  /** What the session server knows of an order; `state: 'none'` when no payment was started. */
  async askState(order: Pick<Order, 'order' | 'playground'>): Promise<PaymentView> {
    const known = await this.of(order)
      .orders.get(order.order)
      .catch((error: unknown) => {
        if (isPayCheckoutError(error, 'order_not_found')) return undefined;
        return throwUnreachable(error);
      });
    if (known === undefined || known.checkouts.length === 0) {
      return { state: 'none', certain: false, sessions: 0, transactions: 0 };
    }
    const { state, certain, checkouts } = known;
    return {
      state,
      certain,
      sessions: checkouts.flatMap(({ attempts }) => attempts).length,
      transactions: checkouts.flatMap(({ transactions }) => transactions).length,
    };
  }

  /** What the session server is given of an order, whether it asks for it or the shop puts it. */
  detailsOf({ basket, currency, customer, address, playground }: Order): OrderDetails {
    return {
      amount: toDecimalText(basket.totalMinor, currency),
      currency,
      lineItems: this.#linesOf(basket, currency),
      customer: {
        email: customer.email,
        ...(customer.phone && { phone: customer.phone }),
        name: `${customer.firstName} ${customer.lastName}`,
        firstName: customer.firstName,
        lastName: customer.lastName,
      },
      ...(!playground?.asksAddress && {
        address: {
          address1: address.address1,
          ...(address.address2 && { address2: address.address2 }),
          postcode: address.postcode,
        },
      }),
    };
  }

  /** None where the panel has given the order another price: they would not add up. */
  #linesOf(
    { lines, deliveryMinor, totalMinor }: PricedBasket,
    currency: string,
  ): OrderDetails['lineItems'] {
    const sum = lines.reduce((total, { lineMinor }) => total + lineMinor, deliveryMinor);
    if (sum !== totalMinor) return undefined;
    const items = lines.map(({ name, quantity, lineMinor }) => ({
      name,
      quantity,
      amount: toDecimalText(lineMinor, currency),
    }));
    if (deliveryMinor === 0) return items;
    return [
      ...items,
      { name: this.#brand.words.delivery, amount: toDecimalText(deliveryMinor, currency) },
    ];
  }
}

function throwUnreachable(cause: unknown): never {
  const text = 'The payment service does not answer.';
  throw new ShopError(502, 'payment_service_unreachable', text, [], cause);
}
