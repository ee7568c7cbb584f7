/** The order token: proves to the session server that this shopper may pay this order. */
import { createHmac } from 'node:crypto';
import type { ShopConfig } from './config.js';
import { payingMerchant, type Order } from './order.js';

/** Makes `<order>.<exp>.<hmac>`; it opens a checkout for this one order until `expiresAt`. */
export function makeOrderToken(
  secret: string,
  merchant: string,
  order: string,
  expiresAt: Date,
): string {
  const exp = Math.floor(expiresAt.getTime() / 1000);
  const hmac = createHmac('sha256', secret)
    .update(`pay-checkout.order.v1\n${merchant}\n${order}\n${exp}`)
    .digest('base64url');
  return `${order}.${exp}.${hmac}`;
}

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
