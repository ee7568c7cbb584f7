/** What a basket costs: lines, delivery and total, all in minor units. Pure. */
import { findProduct, type Product } from './catalogue.js';

/** What a shopper wants: never a price. */
export interface OrderItem {
  readonly sku: string;
  readonly quantity: number;
}

/** One line of a priced order. */
export interface PricedLine {
  readonly sku: string;
  readonly name: string;
  readonly quantity: number;
  readonly unitMinor: number;
  readonly lineMinor: number;
}

/** A basket with its prices. */
export interface PricedBasket {
  readonly lines: readonly PricedLine[];
  readonly subtotalMinor: number;
  readonly deliveryMinor: number;
  readonly totalMinor: number;
}

/** Price of sending a parcel. */
export const DELIVERY_MINOR = 395;

/** Orders of this much or more are sent free. */
export const FREE_DELIVERY_FROM_MINOR = 5000;

/**
 * Prices a basket from our own list. Items that we do not sell are left out: the order's schema has
 * refused them by name before, and a remembered basket may hold things that are gone.
 */
export function priceBasket(items: readonly OrderItem[]): PricedBasket {
  const lines = items.flatMap(({ sku, quantity }) => {
    const product = findProduct(sku);
    return product === undefined ? [] : [priceLine(product, quantity)];
  });
  const subtotalMinor = lines.reduce((sum, line) => sum + line.lineMinor, 0);
  const isFree = lines.length === 0 || subtotalMinor >= FREE_DELIVERY_FROM_MINOR;
  const deliveryMinor = isFree ? 0 : DELIVERY_MINOR;
  return { lines, subtotalMinor, deliveryMinor, totalMinor: subtotalMinor + deliveryMinor };
}

function priceLine(product: Product, quantity: number): PricedLine {
  return {
    sku: product.sku,
    name: product.name,
    quantity,
    unitMinor: product.priceMinor,
    lineMinor: product.priceMinor * quantity,
  };
}
