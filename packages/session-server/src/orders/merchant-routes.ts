import { createHash, timingSafeEqual } from 'node:crypto';
import { Router } from 'express';
import type { CheckoutStore } from '../checkouts/repository.js';
import { AppError, orderNotFound } from '../errors.js';
import type { KeyAttempts } from '../http/key-guesses.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { toMerchantOrder } from './merchant-order.js';

/** The truth about an order, with its evidence, for the merchant's own back end (Bearer key). */
export function merchantOrderRoutes(options: {
  readonly merchants: MerchantSource;
  readonly store: CheckoutStore;
  /** How often an address may try a wrong key. */
  readonly guesses: KeyAttempts;
}): Router {
  const { merchants, store, guesses } = options;
  const router = Router();
  router.get('/merchant/orders/:order', async (request, response) => {
    const key = readKey(request.headers.authorization);
    const known = await merchants.all();
    const merchant =
      key === undefined ? undefined : guesses.check(request, key, () => findByKey(key, known));
    if (!merchant) {
      response.setHeader('www-authenticate', 'Bearer');
      throw new AppError(
        401,
        'merchant_key_refused',
        'Send "Authorization: Bearer …" with a key whose hash is in the merchant entry.',
      );
    }
    const checkouts = await store.findOrder(merchant.id, request.params.order);
    if (checkouts.length === 0) throw orderNotFound();
    const parts = await Promise.all(
      checkouts.map(async (checkout) => ({
        checkout,
        attempts: await store.findAttempts(checkout.id),
        transactions: await store.findTransactions(checkout.id),
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
