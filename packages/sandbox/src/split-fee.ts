import { fromMinor, toMinor } from './money.js';

/** An item of `SplitFee` (spec 4.6). */
export interface SplitItem {
  readonly partner_merchant_id: number;
  readonly type_id: number;
  readonly value: number;
  readonly value_type: string;
}

/** Who gets what of a payment, as decimal text. */
export interface SplitShares {
  /** `share` is left out when the sandbox does not know the `value_type`. */
  readonly items: readonly (SplitItem & { readonly share?: string })[];
  /** All shares together. */
  readonly total: string;
  /** What the merchant keeps. */
  readonly rest: string;
}

/** Decimals of a percentage, and the two that make it a share. */
const PERCENT_DECIMALS = 8;
const WHOLE = 100n * 10n ** BigInt(PERCENT_DECIMALS);

/**
 * Works out a split in minor units. The spec shows only `amount`. A `percent` is of the amount of the
 * session and rounded down, so that no split takes more than there is.
 */
export function workOutSplit(
  amount: bigint,
  items: readonly SplitItem[],
  decimals: number,
): SplitShares {
  const shares = items.map((item) => shareOf(item, amount, decimals));
  const total = shares.reduce<bigint>((sum, share) => sum + (share ?? 0n), 0n);
  return {
    items: items.map((item, index) => {
      const share = shares[index];
      return share === undefined ? item : { ...item, share: fromMinor(share, decimals) };
    }),
    total: fromMinor(total, decimals),
    rest: fromMinor(amount - total, decimals),
  };
}

function shareOf(item: SplitItem, amount: bigint, decimals: number): bigint | undefined {
  const value = String(item.value);
  if (item.value_type === 'amount') return toMinor(value, decimals);
  if (item.value_type !== 'percent') return undefined;
  const percent = toMinor(value, PERCENT_DECIMALS);
  return percent === undefined ? undefined : (amount * percent) / WHOLE;
}
