import { AppError } from '../errors.js';
import { PERCENT_DECIMALS, type SplitRule } from '../merchants/merchant.js';
import { parseMinor } from '../money.js';

/** One share of one order, in minor units. */
export interface SplitShare {
  readonly partnerMerchantId: number;
  readonly typeId: number;
  readonly minor: number;
}

/** The whole in units of a percentage's last decimal place: a millionth each. */
const WHOLE = 100n * 10n ** BigInt(PERCENT_DECIMALS);

/**
 * The shares of one amount. The percent shares are summed and rounded half-even once; the cents of
 * that sum are dealt by largest remainder (a tie goes to the earlier rule). Shares of zero are left
 * out. Shares that come to more than the amount refuse the order: 422 `split_exceeds_amount`.
 */
export function splitAmount(
  amountMinor: number,
  decimals: number,
  rules: readonly SplitRule[],
): SplitShare[] {
  const amount = BigInt(amountMinor);
  const parts = rules.map((rule, index) => {
    const exact = 'percent' in rule ? amount * percentUnits(rule.percent) : 0n;
    return { rule, index, exact, floor: exact / WHOLE, remainder: exact % WHOLE };
  });
  const dealt = dealCents(parts);
  const shares = parts.map(({ rule, index, floor }) => ({
    partnerMerchantId: rule.partnerMerchantId,
    typeId: rule.typeId,
    minor:
      'fixed' in rule
        ? fixedMinor(rule.fixed, decimals)
        : Number(floor + (dealt.has(index) ? 1n : 0n)),
  }));
  const total = shares.reduce((sum, share) => sum + BigInt(share.minor), 0n);
  if (total > amount) {
    throw new AppError(
      422,
      'split_exceeds_amount',
      'The split fees of this merchant come to more than the order. Lower the fixed shares, or set a minimum order value in the shop.',
    );
  }
  return shares.filter((share) => share.minor > 0);
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

function percentUnits(percent: string): bigint {
  const units = parseMinor(percent, PERCENT_DECIMALS);
  if (units === undefined) throw new RangeError(`not a percentage: ${percent}`);
  return BigInt(units);
}

function fixedMinor(fixed: string, decimals: number): number {
  const minor = parseMinor(fixed, decimals);
  if (minor === undefined) throw new RangeError(`not an amount of this currency: ${fixed}`);
  return minor;
}
