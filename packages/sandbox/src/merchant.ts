/** A merchant as the provider knows it. It decides the currency, which spec 4.6 does not carry. */
export interface Merchant {
  /** `merchant_id` of spec 4.6 and `merchantId` of spec 2.1. */
  readonly id: number;
  readonly name: string;
  /** ISO 4217 code, three capital letters. */
  readonly currency: string;
  /** The reseller that `resellerId` of spec 4.1 selects. Default: the sandbox's own. */
  readonly resellerId?: number;
}

/** The invented merchants of a sandbox that was given none. */
export const DEFAULT_MERCHANTS: readonly Merchant[] = [
  { id: 1001, name: 'Pebble & Fern', currency: 'GBP' },
  { id: 1002, name: 'Lanternfish Books', currency: 'EUR' },
  { id: 1003, name: 'Koyama Paper', currency: 'JPY' },
  { id: 1004, name: 'Saltmarsh Cycles', currency: 'GBP', resellerId: 7002 },
  { id: 1005, name: 'Atelier Brume', currency: 'EUR', resellerId: 7002 },
  { id: 1006, name: 'Dune Radio', currency: 'KWD', resellerId: 7003 },
];
