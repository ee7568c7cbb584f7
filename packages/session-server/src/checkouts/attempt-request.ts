/** What an order of a shop asks for, in the terms of its merchant entry. */
import { AppError } from '../errors.js';
import type { Merchant } from '../merchants/merchant.js';
import { formatMinor, parseMinor } from '../money.js';
import { orderVersionOf, type ShopOrder } from '../orders/order-lookup.js';
import type { AttemptRequest } from './attempt-repository.js';

/** @throws {AppError} when the shop's price is not one that this merchant can charge */
export function priceOf(order: ShopOrder, merchant: Merchant): number {
  if (order.currency !== merchant.currency) {
    throw new AppError(
      502,
      'order_currency_refused',
      'The shop priced this order in a currency that its merchant entry does not have.',
      { merchant: merchant.id },
    );
  }
  const amountMinor = parseMinor(order.amount, merchant.decimals);
  if (amountMinor === undefined || amountMinor === 0) {
    throw new AppError(
      502,
      'order_amount_refused',
      `The shop’s amount is not a positive decimal text of its currency, such as "${formatMinor(1234, merchant.decimals)}".`,
      { merchant: merchant.id },
    );
  }
  return amountMinor;
}

/** @throws {AppError} when the shop's own return address is not one that this merchant may have */
export function attemptRequest(
  merchant: Merchant,
  order: ShopOrder,
  amountMinor: number,
  {
    renew,
    requestId,
  }: { readonly renew?: string | undefined; readonly requestId?: string | undefined },
): AttemptRequest {
  return {
    merchant: merchant.id,
    order: order.order,
    orderVersion: orderVersionOf({ amountMinor, currency: merchant.currency, split: order.split }),
    shopVersion: order.version,
    amountMinor,
    currency: merchant.currency,
    decimals: merchant.decimals,
    returnUrl: ownReturnUrl(order, merchant),
    account: merchant.account,
    providerMerchantId: merchant.providerMerchantId,
    renew,
    requestId,
    isStored: order.isStored,
  };
}

/** The shop's own return address of an order, if it leads to one of the merchant's origins. */
function ownReturnUrl(order: ShopOrder, merchant: Merchant): string | undefined {
  if (order.returnUrl === undefined) return undefined;
  if (merchant.origins.includes(new URL(order.returnUrl).origin)) return order.returnUrl;
  throw new AppError(
    502,
    'order_return_url_refused',
    'The shop gave a return address that is not on one of the origins of its merchant entry.',
    { merchant: merchant.id },
  );
}
