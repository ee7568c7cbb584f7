import { z } from 'zod';
import { formatMinor, parseMinor } from './money.js';

/** Percentages have up to four decimal places. */
export const PERCENT_DECIMALS = 4;
const WHOLE_UNITS = 100 * 10 ** PERCENT_DECIMALS;

const percent = z.string().refine((text) => (percentUnits(text) ?? Infinity) <= WHOLE_UNITS, {
  error: 'expected decimal text from "0" to "100" with at most 4 decimal places',
});

const receiver = { partnerMerchantId: z.int().positive(), typeId: z.int() };

export const splitRules = z.array(
  z.union(
    [
      z.strictObject({
        ...receiver,
        percent,
        /** The share is at least this, and at most `cap`. */
        min: z.string().optional(),
        cap: z.string().optional(),
      }),
      z.strictObject({ ...receiver, fixed: z.string() }),
    ],
    {
      error:
        'expected partnerMerchantId, typeId, and either percent or fixed as decimal text, such as "2.5"',
    },
  ),
);

/** One share of an order: fixed, or a percentage of the amount. */
export type SplitRule = z.infer<typeof splitRules>[number];

/**
 * What `value_type` says (spec 4.6 shows `amount` only). `percent`: percentages are sent as such, and
 * nothing else is. `mixed`: percentages without bounds are, in addition to amounts.
 */
export const splitValueType = z.enum(['amount', 'percent', 'mixed']);

export type SplitValueType = z.infer<typeof splitValueType>;

/** Decimal text of a percentage in units of its last decimal place. */
export function percentUnits(text: string): number | undefined {
  return parseMinor(text, PERCENT_DECIMALS);
}

/** Whether a share is sent as a percentage. */
export function isSentAsPercent(rule: SplitRule, valueType: SplitValueType): boolean {
  const isPlain = 'percent' in rule && rule.min === undefined && rule.cap === undefined;
  return isPlain && valueType !== 'amount';
}

/** What is wrong with the rules of a merchant or of an order, beyond their form. */
export function findSplitMistakes(
  rules: readonly SplitRule[],
  { decimals, splitValueType: type }: { decimals: number; splitValueType: SplitValueType },
): { readonly path: (string | number)[]; readonly message: string }[] {
  const mistakes: { path: (string | number)[]; message: string }[] = [];
  rules.forEach((rule, index) => {
    const amounts = 'fixed' in rule ? { fixed: rule.fixed } : { min: rule.min, cap: rule.cap };
    for (const [field, text] of Object.entries(amounts)) {
      if (text === undefined || parseMinor(text, decimals) !== undefined) continue;
      const message = `expected decimal text with at most ${String(decimals)} decimal places, such as "${formatMinor(30, decimals)}"`;
      mistakes.push({ path: [index, field], message });
    }
    const { min = '0', cap } = 'percent' in rule ? rule : {};
    if (cap !== undefined && (parseMinor(min, decimals) ?? 0) > (parseMinor(cap, decimals) ?? 0)) {
      mistakes.push({ path: [index, 'cap'], message: 'expected no less than min' });
    }
    if (type === 'percent' && !isSentAsPercent(rule, type)) {
      const message =
        'expected a percentage without min and cap, since splitValueType is "percent"';
      mistakes.push({ path: [index], message });
    }
  });
  const units = rules.map((rule) => ('percent' in rule ? (percentUnits(rule.percent) ?? 0) : 0));
  if (units.reduce((sum, share) => sum + share, 0) > WHOLE_UNITS) {
    mistakes.push({ path: [], message: 'expected percentages that come to at most 100 together' });
  }
  return mistakes;
}
