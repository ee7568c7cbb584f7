import { AppError, type FieldError } from '../errors.js';
import type { Merchant } from '../merchants/merchant.js';
import { parseMinor } from '../money.js';
import type { ShopOrder } from '../orders/order-lookup.js';
import {
  findSplitMistakes,
  isSentAsPercent,
  PERCENT_DECIMALS,
  percentUnits,
  type SplitRule,
  type SplitValueType,
} from '../split-rule.js';

/** One share of one order, in minor units. */
export interface SplitShare {
  readonly partnerMerchantId: number;
  readonly typeId: number;
  readonly minor: number;
  /** Decimal text, where the share is sent as a percentage. */
  readonly percent?: string;
}

/** The whole in units of a percentage's last decimal place: a millionth each. */
const WHOLE = 100n * 10n ** BigInt(PERCENT_DECIMALS);

/**
 * The rules for one order: those of its merchant, and its own.
 *
 * @throws {AppError} 502 `order_lookup_failed` when its own are wrong
 */
export function splitRulesOf(
  merchant: Merchant,
  { split }: Pick<ShopOrder, 'split'>,
): readonly SplitRule[] {
  const { rules, mistakes } = combineSplit(merchant, split);
  if (mistakes.length === 0) return rules;
  const fields = mistakes.map(({ field }) => field).join(', ');
  throw new AppError(
    502,
    'order_lookup_failed',
    `The shop’s answer to the order lookup is wrong in: ${fields}.`,
    { merchant: merchant.id },
  );
}

/** The rules for an order with its own split, and what is wrong with that. */
export function combineSplit(
  merchant: Merchant,
  split: readonly SplitRule[] | undefined,
): { readonly rules: readonly SplitRule[]; readonly mistakes: readonly FieldError[] } {
  if (!split) return { rules: merchant.split, mistakes: [] };
  const rules = merchant.orderSplit === 'replace' ? split : [...merchant.split, ...split];
  const own = findSplitMistakes(split, merchant).map(({ path, message }) => ({
    field: ['split', ...path].join('.'),
    message,
  }));
  if (own.length > 0) return { rules, mistakes: own };
  // Together they may exceed 100 %.
  const ofBoth = findSplitMistakes(rules, merchant);
  return { rules, mistakes: ofBoth.map(({ message }) => ({ field: 'split', message })) };
}

/**
 * The shares of one amount. The percent shares are summed and rounded half-even once; the cents of
 * that sum are dealt by largest remainder (a tie goes to the earlier rule). A share that its minimum
 * or cap binds counts as a fixed one. Shares of zero are left out. Shares that come to more than the amount refuse the order: 422 `split_exceeds_amount`.
 */
export function splitAmount(
  amountMinor: number,
  decimals: number,
  rules: readonly SplitRule[],
  valueType: SplitValueType = 'amount',
): SplitShare[] {
  const amount = BigInt(amountMinor);
  const parts = rules.map((rule, index) => {
    const share = 'percent' in rule ? amount * unitsOf(rule.percent) : 0n;
    const fixed = fixedMinorOf(rule, share, decimals);
    const exact = fixed === undefined ? share : 0n;
    return { rule, index, fixed, exact, floor: exact / WHOLE, remainder: exact % WHOLE };
  });
  const dealt = dealCents(parts);
  const shares = parts.map(({ rule, index, fixed, floor }) => ({
    partnerMerchantId: rule.partnerMerchantId,
    typeId: rule.typeId,
    minor: fixed ?? Number(floor + (dealt.has(index) ? 1n : 0n)),
    ...('percent' in rule && isSentAsPercent(rule, valueType) && { percent: rule.percent }),
  }));
  const total = shares.reduce((sum, share) => sum + BigInt(share.minor), 0n);
  if (total > amount) {
    throw new AppError(
      422,
      'split_exceeds_amount',
      'The split fees of this merchant come to more than the order. Lower the fixed shares, or set a minimum order value in the shop.',
    );
  }
  return shares.filter(({ minor, percent }) =>
    percent === undefined ? minor > 0 : unitsOf(percent) > 0n,
  );
}

interface Part {
  readonly index: number;
  /** The share in millionths of a minor unit: no digit lost. */
  readonly exact: bigint;
  readonly floor: bigint;
  readonly remainder: bigint;
}

/** The rules that get one cent more than their floor, so that all come to the rounded sum. */
function dealCents(parts: readonly Part[]): ReadonlySet<number> {
  const rounded = divideHalfEven(parts.reduce((sum, { exact }) => sum + exact, 0n));
  const cents = Number(parts.reduce((left, { floor }) => left - floor, rounded));
  const byRemainder = parts
    .filter(({ remainder }) => remainder > 0n)
    .sort((a, b) => Number(b.remainder - a.remainder) || a.index - b.index);
  return new Set(byRemainder.slice(0, cents).map(({ index }) => index));
}

function divideHalfEven(exact: bigint): bigint {
  const quotient = exact / WHOLE;
  const twice = (exact % WHOLE) * 2n;
  const up = twice > WHOLE || (twice === WHOLE && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}

/** A fixed share, or a percentage that its minimum or cap binds. */
function fixedMinorOf(rule: SplitRule, exact: bigint, decimals: number): number | undefined {
  if ('fixed' in rule) return amountOf(rule.fixed, decimals);
  const { min, cap } = rule;
  const isBoundBy = (text: string | undefined, isBound: (limit: bigint) => boolean) =>
    text !== undefined && isBound(BigInt(amountOf(text, decimals)) * WHOLE)
      ? amountOf(text, decimals)
      : undefined;
  return isBoundBy(min, (limit) => exact < limit) ?? isBoundBy(cap, (limit) => exact > limit);
}

function unitsOf(percent: string): bigint {
  const units = percentUnits(percent);
  if (units === undefined) throw new RangeError(`not a percentage: ${percent}`);
  return BigInt(units);
}

function amountOf(text: string, decimals: number): number {
  const minor = parseMinor(text, decimals);
  if (minor === undefined) throw new RangeError(`not an amount of this currency: ${text}`);
  return minor;
}
