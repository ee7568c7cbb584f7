/** What the roastery sells. Its currency has three decimals. */

export interface Coffee {
  readonly sku: string;
  readonly name: string;
  readonly summary: string;
  /** Decimal text in {@link CURRENCY}. */
  readonly price: string;
}

export const CURRENCY = 'KWD';
export const CURRENCY_DECIMALS = 3;

export const COFFEES: readonly Coffee[] = [
  {
    sku: 'first-cloud',
    name: 'السحابة الأولى',
    summary: 'تحميص فاتح، نكهة زهر الليمون. 250 غ.',
    price: '3.750',
  },
  {
    sku: 'cardamom-noon',
    name: 'ظهيرة الهيل',
    summary: 'مطحونة مع الهيل للقهوة العربية. 250 غ.',
    price: '4.125',
  },
  {
    sku: 'long-night',
    name: 'الليل الطويل',
    summary: 'تحميص داكن، نكهة الكاكاو والتمر. 500 غ.',
    price: '6.900',
  },
];

export function findCoffee(sku: unknown): Coffee | undefined {
  return COFFEES.find((coffee) => coffee.sku === sku);
}
