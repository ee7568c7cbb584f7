/** The order token: how our back end tells the session server "this shopper may pay this order". */
import { createHmac } from 'node:crypto';

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
