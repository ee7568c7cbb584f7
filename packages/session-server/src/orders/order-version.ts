import { hash } from 'node:crypto';

/**
 * The version of an order that a checkout stands for: a hash of amount and currency, so that the
 * same price is the same checkout, and another price is another one.
 */
export function orderVersionOf(price: {
  readonly amountMinor: number;
  readonly currency: string;
}): string {
  const text = `${String(price.amountMinor)}\n${price.currency}`;
  return hash('sha256', text, 'base64url').slice(0, 22);
}
