/** What the playground may ask for: an order of any small amount at one of its own merchants. */
import { z } from 'zod';
import { fromDecimalText } from '../../shared/money.js';
import { LARGEST_AMOUNT, SMALLEST_AMOUNT } from '../../shared/playground-view.js';
import type { PlaygroundMerchant } from './playground-merchant.js';

/** Body of `POST /api/playground/orders`; the amount becomes minor units. */
export function playgroundOrderSchema(merchants: readonly PlaygroundMerchant[]) {
  return z.strictObject({
    merchant: z
      .string({ error: 'Name a merchant of the playground' })
      .refine(
        (id) => merchants.some((merchant) => merchant.id === id),
        'Name a merchant of the playground',
      ),
    amount: z.string({ error: 'Give the amount as text, such as "12.34"' }).transform(readAmount),
    /** Whether the shop keeps the shopper's address to itself, so that the element asks for it. */
    asksAddress: z.boolean({ error: 'Send true or false' }).default(false),
  });
}

function readAmount(text: string, context: z.RefinementCtx): number {
  const amountMinor = fromDecimalText(text);
  const smallest = fromDecimalText(SMALLEST_AMOUNT) ?? 0;
  const largest = fromDecimalText(LARGEST_AMOUNT) ?? 0;
  if (amountMinor !== undefined && amountMinor >= smallest && amountMinor <= largest) {
    return amountMinor;
  }
  const message = `Give an amount from ${SMALLEST_AMOUNT} to ${LARGEST_AMOUNT}, such as 12.34`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
