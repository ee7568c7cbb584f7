import { createHash, timingSafeEqual } from 'node:crypto';
import { Router } from 'express';
import { formatMinor } from '../money.js';
import { type Attempt, compareAttempts, findAttempts } from '../checkouts/attempt-repository.js';
import { findCheckoutsOfOrder } from '../checkouts/repository.js';
import { type Checkout, isCertain } from '../checkouts/state-machine.js';
import type { MerchantOrder } from '../contract.js';
import { AppError } from '../errors.js';
import { KeyAttempts, type RateLimits } from '../http/limits.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { findTransactions, type StoredTransaction } from '../reconciliation/repository.js';
import type { Reader } from '../store/database.js';

/** The truth about an order, with its evidence, for the merchant's own back end (Bearer key). */
export function merchantOrderRoutes(options: {
  readonly merchants: MerchantSource;
  readonly database: Reader;
  readonly rateLimits: RateLimits;
}): Router {
  const { merchants, database } = options;
  const attempts = new KeyAttempts(options.rateLimits.wrongKeysPerAddress);
  const router = Router();
  router.get('/merchant/orders/:order', async (request, response) => {
    const key = readKey(request.headers.authorization);
    const known = await merchants.all();
    const merchant =
      key === undefined
        ? undefined
        : await attempts.check(request, key, () => findByKey(key, known));
    if (!merchant) {
      response.setHeader('www-authenticate', 'Bearer');
      throw new AppError(
        401,
        'merchant_key_refused',
        'Send "Authorization: Bearer …" with a key whose hash is in the merchant entry.',
      );
    }
    const checkouts = await findCheckoutsOfOrder(database, merchant.id, request.params.order);
    if (checkouts.length === 0) {
      const text = 'No checkout of this order was created for this merchant. Check the order.';
      throw new AppError(404, 'order_not_found', text);
    }
    const parts = await Promise.all(
      checkouts.map(async (checkout) => ({
        checkout,
        attempts: await findAttempts(database, checkout.id),
        transactions: await findTransactions(database, checkout.id),
      })),
    );
    response.json(toMerchantOrder(merchant, request.params.order, parts));
  });
  return router;
}

function readKey(authorization = ''): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,200})$/.exec(authorization)?.[1];
}

/** The key selects the merchant; every stored hash is compared, in constant time. */
function findByKey(key: string, merchants: readonly Merchant[]): Merchant | undefined {
  const given = Buffer.from(`sha256:${createHash('sha256').update(key).digest('hex')}`);
  return merchants.filter(({ apiKeyHash }) =>
    apiKeyHash.some((hash) => {
      const stored = Buffer.from(hash);
      return stored.length === given.length && timingSafeEqual(stored, given);
    }),
  )[0];
}

interface CheckoutParts {
  readonly checkout: Checkout;
  readonly attempts: readonly Attempt[];
  readonly transactions: readonly StoredTransaction[];
}

/** What is known of an order. Its state is that of the paid checkout, or of the newest one. */
export function toMerchantOrder(
  merchant: Merchant,
  order: string,
  parts: readonly CheckoutParts[],
): MerchantOrder {
  const current = parts.find(({ checkout }) => checkout.state === 'paid') ?? findNewest(parts);
  if (!current) throw new Error('an order without a checkout');
  const { state, currency, refund, paidBy, payment } = current.checkout;
  const times = parts.map(({ checkout }) => checkout.createdAt);
  const textOf = (minor: number) => formatMinor(minor, current.checkout.decimals);
  return {
    merchant: merchant.id,
    order,
    state,
    certain: isCertain(state),
    amount: textOf(current.checkout.amountMinor),
    currency,
    refund,
    amountRefunded: textOf(current.checkout.refundedMinor),
    attention: parts.flatMap(({ checkout }) => checkout.attention),
    ...(paidBy !== undefined && { transaction: paidBy }),
    ...(payment && { payment }),
    createdAt: new Date(Math.min(...times)).toISOString(),
    updatedAt: new Date(Math.max(...times)).toISOString(),
    checkouts: parts.map(({ checkout, attempts, transactions }) => ({
      checkout: checkout.id,
      state: checkout.state,
      certain: isCertain(checkout.state),
      amount: formatMinor(checkout.amountMinor, checkout.decimals),
      currency: checkout.currency,
      refund: checkout.refund,
      attention: checkout.attention,
      createdAt: new Date(checkout.createdAt).toISOString(),
      attempts: attempts.map(({ orderId, merchantReference, status, createdAt }) => ({
        orderId,
        merchantReference,
        status,
        createdAt: new Date(createdAt).toISOString(),
      })),
      transactions,
    })),
  };
}

/** A price that comes back leads to its old checkout, so attempts decide. */
function findNewest(parts: readonly CheckoutParts[]): CheckoutParts | undefined {
  const newest = parts
    .flatMap(({ attempts }) => attempts)
    .toSorted(compareAttempts)
    .at(-1);
  return parts.find(({ checkout }) => checkout.id === newest?.checkout) ?? parts.at(-1);
}
