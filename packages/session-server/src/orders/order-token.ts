import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@pay-checkout/partner-api';

/** What a token turned out to be. `forged` covers everything that was not made with a valid secret. */
export type OrderTokenCheck = 'valid' | 'expired' | 'forged';

export interface OrderTokenParts {
  readonly order: string;
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly hmac: string;
}

/** Splits `<order>.<exp>.<hmac>` from the right, since an order may contain dots itself. */
export function splitOrderToken(token: string): OrderTokenParts | undefined {
  const match = /^(.+)\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/.exec(token);
  if (!match) return undefined;
  const [, order = '', exp = '', hmac = ''] = match;
  return { order, expiresAt: Number(exp), hmac };
}

/** The token that a shop's back end makes where it answers the order lookup; see `docs/order-lookup.md`. */
export function signOrderToken(
  secret: string,
  claim: { readonly merchant: string; readonly order: string; readonly expiresAt: number },
): string {
  const { merchant, order, expiresAt } = claim;
  const hmac = createHmac('sha256', secret)
    .update(`pay-checkout.order.v1\n${merchant}\n${order}\n${String(expiresAt)}`)
    .digest('base64url');
  return `${order}.${String(expiresAt)}.${hmac}`;
}

/** Checks a token for one merchant and order, in constant time, against every secret still valid. */
export function checkOrderToken(
  token: string,
  expected: { readonly merchant: string; readonly order: string },
  secrets: readonly Secret[],
  nowMs: number,
): OrderTokenCheck {
  const parts = splitOrderToken(token);
  if (parts?.order !== expected.order) return 'forged';
  const given = Buffer.from(token);
  const authentic = secrets.some((secret) => {
    const made = Buffer.from(
      signOrderToken(secret.reveal(), { ...expected, expiresAt: parts.expiresAt }),
    );
    return made.length === given.length && timingSafeEqual(made, given);
  });
  if (!authentic) return 'forged';
  return parts.expiresAt * 1000 <= nowMs ? 'expired' : 'valid';
}
