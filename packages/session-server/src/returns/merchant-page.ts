import type { Checkout } from '../checkouts/state-machine.js';
import type { ReturnKind } from '../contract.js';
import type { Merchant } from '../merchants/merchant.js';

/** The shopper's way back: the address that the order lookup gave, if any, else the merchant's page. */
export function shopperPage(merchant: Merchant, checkout: Checkout, kind: ReturnKind): string {
  return fillIn(checkout.returnUrl ?? merchant.returnUrl, checkout, kind);
}

/** The merchant's page for whoever knows a checkout id, which may have been shared. */
export function merchantPage(merchant: Merchant, checkout: Checkout, kind: ReturnKind): string {
  return fillIn(merchant.returnUrl, checkout, kind);
}

function fillIn(template: string, checkout: Checkout, kind: ReturnKind): string {
  const values: Readonly<Record<string, string>> = {
    order: checkout.order,
    checkout: checkout.id,
    kind,
  };
  return template.replace(/\{(order|checkout|kind)\}/g, (_match, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}
