/**
 * What a basket costs. The back end prices orders from the brand's price list; the pages only show it.
 */
import type { Brand, Product } from '../brands/brand.js';

/** The most of one product in one order. */
export const MAX_QUANTITY = 20;

/** The product with this sku, if this shop sells it. */
export function findProduct({ products }: Brand, sku: string): Product | undefined {
  return products.find((product) => product.sku === sku);
}

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

/**
 * Prices a basket from our own list. Items that we do not sell are left out: the order's schema has
 * refused them by name before, and a remembered basket may hold things that are gone.
 */
export function priceBasket(brand: Brand, items: readonly OrderItem[]): PricedBasket {
  const lines = items.flatMap(({ sku, quantity }) => {
    const product = findProduct(brand, sku);
    return product === undefined ? [] : [priceLine(product, quantity)];
  });
  const subtotalMinor = lines.reduce((sum, line) => sum + line.lineMinor, 0);
  const isFree = lines.length === 0 || subtotalMinor >= brand.freeDeliveryFromMinor;
  const deliveryMinor = isFree ? 0 : brand.deliveryMinor;
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
