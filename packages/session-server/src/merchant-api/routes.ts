import { createHash, timingSafeEqual } from 'node:crypto';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import type { Clock } from '../clock.js';
import type { MerchantOrderList, PutOrderReply, VoidOrderReply } from '../contract.js';
import { eventListQuery, orderListQuery, orderName, putOrderRequest } from '../contract-schemas.js';
import type { DataEncryption } from '../encryption.js';
import { AppError, merchantDisabled } from '../errors.js';
import { compress } from '../http/compress.js';
import { requestFields } from '../http/headers.js';
import { KeyAttempts, Limit, type RateLimits, Turns } from '../http/limits.js';
import { jsonBody, parse, readBearerKey, word } from '../http/parse.js';
import type { Logger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { listOrders } from '../orders/order-list.js';
import { findOrder } from '../orders/repository.js';
import type { Database } from '../store/database.js';
import { readCursor, readFeed, toCursor } from './feed.js';
import { readMerchantOrders } from './order-view.js';
import { makeVoid, priceOfPut, putOrder } from './put-order.js';
import { makePayLink } from './pay-link.js';

/** As much as an answer to the order lookup may have. */
const MAX_BODY_BYTES = 64 * 1024;
/** So many rows of a list count as one more request. */
const ROWS_OF_A_REQUEST = 10;
/** What the cursor of a list of orders holds: the time and the name of the last one. */
const orderPlace = z.tuple([z.int(), word]);

export interface MerchantRoutesOptions {
  readonly merchants: MerchantSource;
  readonly database: Database;
  readonly encryption: DataEncryption;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly rateLimits: RateLimits;
  readonly publicUrl: string;
}

/** What the merchant's own back end asks, with its Bearer key: its orders, and the events about them. */
export function merchantRoutes(options: MerchantRoutesOptions): Router {
  const { database, encryption, clock, logger, publicUrl } = options;
  const router = Router();
  const limit = new Limit('merchant', options.rateLimits.apiPerMerchant);
  const turns = new Turns();
  const signIn = requireKey(options, limit);
  const body = jsonBody(MAX_BODY_BYTES);

  /** A list counts by its rows, and a merchant has one at a time: no one else waits for many of them. */
  const sendList = async (response: Response, rows: number, read: () => Promise<object>) => {
    const merchant = merchantOf(response).id;
    await limit.count(merchant, Math.floor(rows / ROWS_OF_A_REQUEST));
    await turns.take(merchant, async () => {
      response.json(await read());
    });
  };

  router.put('/merchant/orders/:order', signIn, ...body, async (request, response) => {
    const merchant = merchantOf(response);
    refuseLookedUp(merchant);
    if (merchant.disabled) throw merchantDisabled();
    const { order } = parse(z.object({ order: orderName }), request.params);
    const input = parse(putOrderRequest, request.body);
    const key = { merchant: merchant.id, order };
    const price = priceOfPut(input, merchant);
    const now = clock.now();
    const put = await database.transaction('order:put', (tx) =>
      putOrder(tx, key, { price, input }, { encryption, now }),
    );
    logger.info({ ...requestFields(response), ...key, ...put }, 'order put');
    const expiresAt = Math.floor(now / 1000) + input.expiresInSeconds;
    const link = makePayLink({ publicUrl, merchant, order, expiresAt, locale: input.locale });
    response.status(put.isNew ? 201 : 200).json({
      ...key,
      ...link,
      expiresAt: new Date(expiresAt * 1000).toISOString(),
      state: put.state,
    } satisfies PutOrderReply);
  });

  router.delete('/merchant/orders/:order', signIn, async (request, response) => {
    const merchant = merchantOf(response);
    refuseLookedUp(merchant);
    const key = { merchant: merchant.id, order: orderIn(request) };
    const state = await database.transaction('order:void', (tx) => makeVoid(tx, key, clock.now()));
    if (state === undefined) throw notFound();
    logger.info({ ...requestFields(response), ...key, state }, 'order made void');
    response.json({ order: key.order, state } satisfies VoidOrderReply);
  });

  router.get('/merchant/orders/:order', signIn, compress, async (request, response) => {
    const key = { merchant: merchantOf(response).id, order: orderIn(request) };
    const stored = await findOrder(database, key);
    if (!stored) throw notFound();
    const [view] = await readMerchantOrders(database, [stored], encryption);
    response.json(view);
  });

  router.get('/merchant/orders', signIn, compress, async (request, response) => {
    const { cursor, ...query } = parse(orderListQuery, request.query);
    const [createdAt, order] = cursor === undefined ? [] : readCursor(cursor, orderPlace);
    const behind = order === undefined ? undefined : { createdAt: createdAt ?? 0, order };
    const merchant = merchantOf(response).id;
    await sendList(response, query.limit, async (): Promise<MerchantOrderList> => {
      const { orders, next } = await listOrders(database, { ...query, merchant, behind });
      return {
        orders: await readMerchantOrders(database, orders, encryption),
        nextCursor: next ? toCursor([next.createdAt, next.order]) : null,
      };
    });
  });

  router.get('/merchant/events', signIn, compress, async (request, response) => {
    const query = parse(eventListQuery, request.query);
    await sendList(response, query.limit, () =>
      readFeed(database, merchantOf(response).id, query, encryption),
    );
  });

  return router;
}

/** Lets the holder of a merchant's key in, and keeps the merchant for {@link merchantOf}. */
function requireKey(
  { merchants, rateLimits }: MerchantRoutesOptions,
  limit: Limit,
): RequestHandler {
  const attempts = new KeyAttempts(rateLimits.wrongKeysPerAddress);
  return async (request, response, next) => {
    const key = readBearerKey(request.headers.authorization);
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
        'The merchant key is missing or unknown here. Send "Authorization: Bearer …" with the key that the platform gave you for this server.',
      );
    }
    await limit.count(merchant.id);
    response.locals['merchant'] = merchant;
    next();
  };
}

function merchantOf(response: Response): Merchant {
  return response.locals['merchant'] as Merchant;
}

function orderIn(request: Request): string {
  return String(request.params['order']);
}

function notFound(): AppError {
  const text = 'This merchant has put no such order, and no checkout of it was created.';
  return new AppError(404, 'order_not_found', text);
}

/** A price has one source. */
function refuseLookedUp({ orderLookup }: Merchant): void {
  if (!orderLookup) return;
  throw new AppError(
    409,
    'order_lookup_in_use',
    'The merchant entry has orderLookup: the shop is asked for each order. Remove it to put orders.',
  );
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
