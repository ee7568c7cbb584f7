import type { Merchant } from './merchant.js';

/** Where merchants come from: a file, or a platform's own function. */
export interface MerchantSource {
  /** The merchant with this id, or undefined. */
  find(id: string): Promise<Merchant | undefined>;
  /**
   * Every merchant: for preflights, where the browser does not say which one is meant. The very
   * same array until something changes, so that what is made of it can be kept.
   */
  all(): Promise<readonly Merchant[]>;
  close(): Promise<void>;
}
