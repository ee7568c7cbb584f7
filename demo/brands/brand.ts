/** What makes one shop differ from another: data only. The code of all shops is the same. */
import type { Words } from './hollin-and-slip/words.js';

/** One thing on the shelf. */
export interface Product {
  /** Our own stock-keeping name; also the name of its picture. */
  readonly sku: string;
  readonly name: string;
  /** One line, shown under the name. */
  readonly summary: string;
  /** Price of one, in minor units of the brand's currency, tax included. */
  readonly priceMinor: number;
}

/** Where parcels go, and what a postcode looks like there. */
export interface Country {
  readonly name: string;
  /** Of the postcode in capitals. */
  readonly postcode: RegExp;
}

export interface Brand {
  /** Its folder here, its name in `SHOP_BRAND` and its id at the session server. */
  readonly id: string;
  readonly name: string;
  /** BCP 47 language of its pages, and the direction of its script. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  /** Orders are numbered from 1001; a letter before the number tells the shops apart. */
  readonly orderPrefix: string;
  /** ISO 4217 code of every price. */
  readonly currency: string;
  readonly products: readonly Product[];
  /** The products that stand at the top of the shelf. */
  readonly hero: readonly string[];
  /** Price of sending a parcel, and the price of the goods from which it is sent free; in minor units. */
  readonly deliveryMinor: number;
  readonly freeDeliveryFromMinor: number;
  readonly countries: readonly Country[];
  /** Colour of the browser's frame, by day and by night. */
  readonly themeColor: { readonly light: string; readonly dark: string };
  /** Look of the session server's pages for it: `brand` of its entry in the merchants file. */
  readonly checkoutLook: Readonly<Record<string, unknown>>;
  /** Whether the footer leads to the playground. */
  readonly hasPlayground: boolean;
  readonly words: Words;
}
