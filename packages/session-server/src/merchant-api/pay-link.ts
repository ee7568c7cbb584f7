import type { Merchant } from '../merchants/merchant.js';
import { signOrderToken } from '../orders/order-token.js';

export interface PayLinkOptions {
  readonly publicUrl: string;
  readonly merchant: Merchant;
  readonly order: string;
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly locale?: string | undefined;
}

/** A token for an order, and the address of the hosted page that takes its payment. */
export function makePayLink({ publicUrl, merchant, order, expiresAt, locale }: PayLinkOptions): {
  readonly orderToken: string;
  readonly payUrl: string;
} {
  const [secret] = merchant.orderTokenSecret;
  if (!secret) throw new Error('no secret for order tokens');
  const claim = { merchant: merchant.id, order, expiresAt };
  const orderToken = signOrderToken(secret.reveal(), claim);
  const query = locale === undefined ? '' : `?locale=${locale}`;
  return { orderToken, payUrl: `${publicUrl}/v1/pay/${merchant.id}/${orderToken}${query}` };
}
