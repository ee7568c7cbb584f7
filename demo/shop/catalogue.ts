/**
 * What the shop sells and what it costs: the one price list. The back end prices orders from it;
 * the pages only show it.
 */

/** One thing on the shelf. */
export interface Product {
  /** Our own stock-keeping name; also the name of its picture in `shop/pictures`. */
  readonly sku: string;
  readonly name: string;
  /** One line, shown under the name. */
  readonly summary: string;
  /** Price of one, in pence, tax included. */
  readonly priceMinor: number;
}

/** ISO 4217 code of every price in the shop. */
export const CURRENCY = 'GBP';

/** Digits after the point in {@link CURRENCY}. */
export const CURRENCY_DECIMALS = 2;

/** The most of one product in one order. */
export const MAX_QUANTITY = 20;

export const PRODUCTS: readonly Product[] = [
  {
    sku: 'moon-teapot',
    name: 'Moon teapot',
    summary: 'Round, low and steady. Holds three cups. Celadon over grey stoneware.',
    priceMinor: 6800,
  },
  {
    sku: 'two-tone-cup',
    name: 'Two-tone cup',
    summary: 'No handle, thick walls: warm in the hand and slow to cool.',
    priceMinor: 1850,
  },
  {
    sku: 'hill-green-tea',
    name: 'Hill green tea',
    summary: 'Pan-fired spring leaf, a little nutty. 100 g in a tin.',
    priceMinor: 1240,
  },
  {
    sku: 'night-vase',
    name: 'Night vase',
    summary: 'Tall, ink blue, for three stems and not one more.',
    priceMinor: 5400,
  },
  {
    sku: 'smoked-black-tea',
    name: 'Smoked black tea',
    summary: 'Dried over pine. For rain and long letters. 100 g in a tin.',
    priceMinor: 1190,
  },
  {
    sku: 'breakfast-bowl',
    name: 'Breakfast bowl',
    summary: 'Deep enough for soup, pretty enough for plums.',
    priceMinor: 2250,
  },
  {
    sku: 'honey-jar',
    name: 'Honey jar',
    summary: 'Lidded, with a beech dipper. Iron glaze, one of a kind each time.',
    priceMinor: 3175,
  },
  {
    sku: 'bamboo-whisk',
    name: 'Bamboo whisk',
    summary: 'Eighty tines, split by hand, on a stand that keeps its shape.',
    priceMinor: 999,
  },
  {
    sku: 'tall-jug',
    name: 'Tall jug',
    summary: 'Pours without a drip. Milk, water, or a bunch of mint.',
    priceMinor: 3950,
  },
  {
    sku: 'camomile-sachets',
    name: 'Camomile sachets',
    summary: 'Whole flowers in twelve little bags, for the last cup of the day.',
    priceMinor: 720,
  },
  {
    sku: 'oval-plate',
    name: 'Oval plate',
    summary: 'A brushed ring of cobalt on white. For cake, mostly.',
    priceMinor: 2600,
  },
  {
    sku: 'cast-kettle',
    name: 'Cast kettle',
    summary: 'Iron, with a plaited handle. Heavy, and meant to be.',
    priceMinor: 8900,
  },
];

const bySku = new Map(PRODUCTS.map((product) => [product.sku, product]));

/** The product with this sku, if we sell it. */
export function findProduct(sku: string): Product | undefined {
  return bySku.get(sku);
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
