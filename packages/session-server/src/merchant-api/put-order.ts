import type { z } from 'zod';
import { mistakesInLines } from '../checkouts/line-items.js';
import { combineSplit, splitAmount } from '../checkouts/split-fee.js';
import { refreshOrder } from '../checkouts/order-state.js';
import { findCheckoutsOfOrder } from '../checkouts/repository.js';
import type { OrderState } from '../contract.js';
import type { putOrderRequest } from '../contract-schemas.js';
import type { DataEncryption } from '../encryption.js';
import { AppError, type FieldError, invalidRequest } from '../errors.js';
import type { Merchant } from '../merchants/merchant.js';
import { formatMinor, parseMinor } from '../money.js';
import { orderVersionOf } from '../orders/order-lookup.js';
import { emailDigestOf, openPersonalPart, sealPersonalPart } from '../orders/put-orders.js';
import {
  addOrder,
  findOrder,
  type OrderKey,
  type PutOrder,
  savePutOrder,
  voidOrder,
} from '../orders/repository.js';
import type { Transaction } from '../store/database.js';

export type PutOrderInput = z.output<typeof putOrderRequest>;

/**
 * The price of an order that a merchant puts, checked as that of a looked-up order is.
 *
 * @throws {AppError} 400 naming each wrong field; 422 `split_exceeds_amount`
 */
export function priceOfPut(input: PutOrderInput, merchant: Merchant): Omit<PutOrder, 'sealed'> {
  const { decimals, origins, splitValueType } = merchant;
  const { currency, returnUrl, split } = input;
  const amountMinor = parseMinor(input.amount, decimals) ?? 0;
  const mistakes: FieldError[] = [];
  if (amountMinor === 0) {
    const places = `at most ${String(decimals)} decimal places`;
    const message = `expected decimal text above 0 with ${places}, such as "${formatMinor(1234, decimals)}"`;
    mistakes.push({ field: 'amount', message });
  }
  if (currency !== merchant.currency) {
    const message = `expected "${merchant.currency}", the currency of this merchant`;
    mistakes.push({ field: 'currency', message });
  }
  if (returnUrl !== undefined && !origins.includes(new URL(returnUrl).origin)) {
    const message = 'expected an address on one of this merchant’s origins';
    mistakes.push({ field: 'returnUrl', message });
  }
  if (input.lineItems && amountMinor > 0) {
    mistakes.push(...mistakesInLines(input.lineItems, amountMinor, decimals));
  }
  const { rules, mistakes: ofSplit } = combineSplit(merchant, split);
  if (mistakes.length + ofSplit.length > 0) throw invalidRequest([...mistakes, ...ofSplit]);
  splitAmount(amountMinor, decimals, rules, splitValueType);
  const version = orderVersionOf({ amountMinor, currency, split });
  return { version, amountMinor, currency, decimals, split, returnUrl };
}

export interface StoredPut {
  readonly isNew: boolean;
  readonly state: OrderState;
}

/**
 * Stores an order as it is now. The same order again is only kept for longer; one that was void can be paid again.
 *
 * @throws {AppError} 409 `order_already_paid`
 */
export async function putOrder(
  tx: Transaction,
  key: OrderKey,
  order: { readonly price: Omit<PutOrder, 'sealed'>; readonly input: PutOrderInput },
  context: { readonly encryption: DataEncryption; readonly now: number },
): Promise<StoredPut> {
  await refusePaid(tx, key);
  const { description, customer, address, metadata, lineItems, locale } = order.input;
  const personal = { description, customer, address, metadata, lineItems, locale };
  const { encryption, now } = context;
  const stored = await findOrder(tx, key);
  const { sealed: _, ...price } = stored?.put ?? {};
  const isSame =
    stored?.put &&
    !stored.isVoid &&
    JSON.stringify([price, openPersonalPart(stored.put, key, encryption)]) ===
      JSON.stringify([order.price, personal]);
  if (isSame) {
    // Its shop needs it still: the retention begins again.
    tx.queue(addOrder(key, now));
    return { isNew: false, state: stored.state };
  }
  const sealed = sealPersonalPart(personal, key, encryption);
  const emailDigest = emailDigestOf(personal, encryption);
  await savePutOrder(tx, key, { ...order.price, sealed, emailDigest }, now);
  return { isNew: stored === undefined, state: await refreshOrder(tx, key, now) };
}

/**
 * Makes an order void: no checkout of it is created any more. Sessions at the provider stay as they are,
 * and a payment in one of them is honoured, with attention.
 *
 * @returns undefined when there is no such order
 * @throws {AppError} 409 `order_already_paid`
 */
export async function makeVoid(
  tx: Transaction,
  key: OrderKey,
  now: number,
): Promise<OrderState | undefined> {
  await refusePaid(tx, key);
  const stored = await findOrder(tx, key);
  if (!stored || stored.isVoid) return stored?.state;
  await voidOrder(tx, key);
  return refreshOrder(tx, key, now);
}

async function refusePaid(tx: Transaction, { merchant, order }: OrderKey): Promise<void> {
  const checkouts = await findCheckoutsOfOrder(tx, merchant, order);
  if (!checkouts.some(({ state }) => state === 'paid')) return;
  const text = 'This order is paid. Use another order for another payment.';
  throw new AppError(409, 'order_already_paid', text, { state: 'paid' });
}
