import { hash, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { orderLookupReply } from '../contract-schemas.js';
import { AppError, orderNotFound } from '../errors.js';
import { toFieldErrors } from '../field-errors.js';
import type { Merchant } from '../merchants/merchant.js';
import type { SplitRule } from '../split-rule.js';
import type { ShopClient } from '../provider/shop-client.js';

const LIMITS = { timeoutSeconds: 3, maxAnswerBytes: 64 * 1024 };

/** An order as the shop prices it at this moment: the only source of what is to be paid. */
export type ShopOrder = z.infer<typeof orderLookupReply> & {
  /** It was put by API, so its price is the stored one, even if that changes in the meantime. */
  readonly isStored?: true;
};

/**
 * The version of an order that a checkout stands for: a hash of amount, currency and the order's own
 * split, so that the same price is the same checkout, and another price is another one.
 */
export function orderVersionOf(price: {
  readonly amountMinor: number;
  readonly currency: string;
  readonly split?: readonly SplitRule[] | undefined;
}): string {
  const shares = (price.split ?? []).map((rule) => {
    const share = 'fixed' in rule ? ['fixed', rule.fixed] : [rule.percent, rule.min, rule.cap];
    return `\n${JSON.stringify([rule.partnerMerchantId, rule.typeId, ...share])}`;
  });
  const text = `${String(price.amountMinor)}\n${price.currency}${shares.join('')}`;
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/** Where the price of an order comes from; undefined when the shop does not know the order. */
export type OrderLookup = (merchant: Merchant, order: string) => Promise<ShopOrder | undefined>;

/**
 * The order lookup over HTTP: a signed POST `{merchant, order}` to the merchant's `orderLookup.url`.
 *
 * @throws {AppError} 502 `order_lookup_failed` when the shop cannot be reached or answers nonsense;
 * the answer is never quoted, since it holds personal data
 */
export function createOrderLookup(shop: ShopClient): OrderLookup {
  return async (merchant, order) => {
    const { orderLookup } = merchant;
    if (!orderLookup) return undefined;
    const body = JSON.stringify({ merchant: merchant.id, order });
    const message = { id: `msg_${randomUUID()}`, body };
    const answer = await shop
      .ask(merchant, orderLookup, message, LIMITS)
      .catch((error: unknown) => {
        throw lookupFailed(merchant, 'The shop could not be asked for this order.', error);
      });
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) {
      throw lookupFailed(
        merchant,
        `The shop answered ${String(answer.status)} to the order lookup.`,
      );
    }
    const reply = orderLookupReply.safeParse(parseJson(answer.text));
    if (!reply.success) {
      const fields = toFieldErrors(reply.error)
        .map(({ field }) => field)
        .join(', ');
      throw lookupFailed(merchant, `The shop’s answer to the order lookup is wrong in: ${fields}.`);
    }
    if (reply.data.order !== order) throw orderNotFound();
    return reply.data;
  };
}

function lookupFailed(merchant: Merchant, message: string, cause?: unknown): AppError {
  return new AppError(502, 'order_lookup_failed', `${message} Try again shortly.`, {
    cause,
    merchant: merchant.id,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
