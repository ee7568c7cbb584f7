/** Our side of the session server: a client for each of our merchant entries there. */
import { isPayCheckoutError, PayCheckout } from '@pay-checkout/merchant';
import type { ShopConfig } from './config.js';
import type { Order } from './order.js';
import type { PaymentView } from './order-view.js';
import { ShopError } from './problem.js';

const ASK_WITHIN_SECONDS = 3;
/** How long an order token creates a checkout. A page that stays open longer asks for another. */
const TOKEN_SECONDS = 30 * 60;

type PaidOrder = Pick<Order, 'order' | 'playground'>;

export class Payments {
  /** The entry of the shop itself. */
  readonly own: PayCheckout;
  /** Those of the playground, by merchant. */
  readonly others: ReadonlyMap<string, PayCheckout>;

  constructor(
    config: Pick<
      ShopConfig,
      | 'payApiUrl'
      | 'merchant'
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
        orderTokenSecret: config.orderTokenSecret,
        timeoutSeconds: ASK_WITHIN_SECONDS,
      });
    this.own = clientOf(config.merchant, config.payApiKey);
    this.others = new Map(
      config.playgroundMerchants.map(({ id, apiKey }) => [id, clientOf(id, apiKey)]),
    );
  }

  /** The one entry at which an order is looked up and paid. */
  of({ playground }: Pick<Order, 'playground'>): PayCheckout {
    const found = playground === undefined ? this.own : this.others.get(playground.merchant);
    if (found === undefined) throw new Error('The merchant of this order is not ours any more.');
    return found;
  }

  /** A token for the tag of this order. */
  tokenOf(order: PaidOrder): Promise<string> {
    return this.of(order).orderToken(order.order, { expiresInSeconds: TOKEN_SECONDS });
  }

  /** What the session server knows of an order; `state: 'none'` when no payment was started. */
  async askState(order: PaidOrder): Promise<PaymentView> {
    try {
      const { state, certain, checkouts } = await this.of(order).orders.get(order.order);
      return {
        state,
        certain,
        sessions: checkouts.flatMap(({ attempts }) => attempts).length,
        transactions: checkouts.flatMap(({ transactions }) => transactions).length,
      };
    } catch (error) {
      if (isPayCheckoutError(error, 'order_not_found')) {
        return { state: 'none', certain: false, sessions: 0, transactions: 0 };
      }
      const text = 'The payment service does not answer.';
      throw new ShopError(502, 'payment_service_unreachable', text, [], error);
    }
  }
}
