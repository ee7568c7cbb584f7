/** A token that opens a checkout for an order of ours, from now on for half an hour. */
import { makeOrderToken } from '../order-token.js';
import type { ShopConfig } from '../shop-config.js';
import { payingMerchant, type Order } from './order.js';

/** How long an order token opens a checkout. A page that stays open longer asks for another. */
const TOKEN_SECONDS = 30 * 60;

export function makeFreshToken(
  config: Pick<ShopConfig, 'merchant' | 'orderTokenSecret'>,
  order: Pick<Order, 'order' | 'playground'>,
  now: Date,
): string {
  const expiresAt = new Date(now.getTime() + TOKEN_SECONDS * 1000);
  const merchant = payingMerchant(order, config.merchant);
  return makeOrderToken(config.orderTokenSecret, merchant, order.order, expiresAt);
}
