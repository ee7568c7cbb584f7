import type { Checkout } from '../checkout/checkout.js';
import type { ReturnKind } from '../contract.js';
import type { Merchant } from '../merchants/merchant.js';

/** The merchant's own page for a checkout: its template, or what the order lookup gave, filled in. */
export function merchantPage(merchant: Merchant, checkout: Checkout, kind: ReturnKind): string {
  const values: Readonly<Record<string, string>> = {
    order: checkout.order,
    checkout: checkout.id,
    kind,
  };
  return (checkout.returnUrl ?? merchant.returnUrl).replace(
    /\{(order|checkout|kind)\}/g,
    (_match, name: string) => encodeURIComponent(values[name] ?? ''),
  );
}
