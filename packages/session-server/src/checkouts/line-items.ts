import type { LineItem } from '../contract.js';
import { AppError, type FieldError } from '../errors.js';
import type { Merchant } from '../merchants/merchant.js';
import { formatSigned, parseSigned } from '../money.js';
import type { ShopOrder } from '../orders/order-lookup.js';

/** What is wrong with the lines of an order: an amount that is not exact, or a sum that is not the order's. */
export function mistakesInLines(
  lines: readonly LineItem[],
  amountMinor: number,
  decimals: number,
): FieldError[] {
  const amounts = lines.map(({ amount }) => parseSigned(amount, decimals));
  const mistakes = amounts.flatMap((minor, index): FieldError[] => {
    if (minor !== undefined) return [];
    const message = `expected decimal text with at most ${String(decimals)} decimal places, such as "${formatSigned(-250, decimals)}"`;
    return [{ field: `lineItems.${String(index)}.amount`, message }];
  });
  if (mistakes.length > 0) return mistakes;
  const sum = amounts.reduce<number>((total, minor) => total + (minor ?? 0), 0);
  if (sum === amountMinor) return [];
  const amount = formatSigned(amountMinor, decimals);
  const lineSum = Number.isSafeInteger(sum) ? formatSigned(sum, decimals) : 'too much';
  const message = `expected amounts that add up to ${amount}, the amount of the order; they add up to ${lineSum}`;
  return [{ field: 'lineItems', message }];
}

/** @throws {AppError} 502 `order_lookup_failed` when the lines that a shop gave do not add up */
export function checkLines(order: ShopOrder, amountMinor: number, merchant: Merchant): void {
  const [mistake] = mistakesInLines(order.lineItems ?? [], amountMinor, merchant.decimals);
  if (!mistake || order.lineItems === undefined) return;
  throw new AppError(
    502,
    'order_lookup_failed',
    `The shop’s answer to the order lookup is wrong in: ${mistake.field} (${mistake.message}).`,
    { merchant: merchant.id },
  );
}
