/** The playground's pages and what they ask: the client SDKs, and an order at one of them. */
import { json, Router } from 'express';
import { z } from 'zod';
import { siteRoutes } from '../shared/site.js';
import type { ShopConfig, PlaygroundMerchant } from '../shop/config.js';
import { toDecimalText, fromDecimalText } from '../shop/money.js';
import type { NewOrder, OrderStore } from '../shop/order-store.js';
import type { PlacedOrder } from '../shop/order-view.js';
import type { Payments } from '../shop/payments.js';
import { parseInput } from '../shop/problem.js';
import { ensureShopperKeyHash } from '../shop/shopper-key.js';

/** A merchant entry of the playground: our shop with another client SDK. */
export interface PlaygroundMerchantView {
  /** Its id at the session server. */
  readonly merchant: string;
  /** Name of the shape that its client SDK has. */
  readonly shape: string;
  /** The shape in words. */
  readonly what: string;
  /** Whether a payment can be made with it. */
  readonly works: boolean;
}

/** 200 of `GET /api/playground`. */
export interface PlaygroundView {
  readonly merchants: readonly PlaygroundMerchantView[];
}

/** 201 of `POST /api/playground/orders`. */
export interface PlaygroundOrderReply extends PlacedOrder {
  readonly merchant: string;
  readonly orderToken: string;
}

/** The amounts that an order of the playground can have, as decimal text: more than its split fees. */
const MIN_AMOUNT = '0.50';
const MAX_AMOUNT = '9999.99';

export interface PlaygroundRoutesOptions {
  readonly store: OrderStore;
  readonly payments: Payments;
  readonly config: Pick<ShopConfig, 'brand' | 'payPublicUrl' | 'publicUrl' | 'playgroundMerchants'>;
  /** Where the built pages are; without it only the interface is served. */
  readonly siteDirectory?: string;
  /** Default: the real clock. */
  readonly now?: () => Date;
}

/** Every order of the playground is placed by this person. */
const PLAYER: Pick<NewOrder, 'customer' | 'address'> = {
  customer: { firstName: 'Robin', lastName: 'Sample', email: 'robin@example.test' },
  address: {
    address1: 'Flat 3, 12 Sample Street',
    town: 'Sampleton',
    postcode: 'ZZ1 1ZZ',
    country: 'United Kingdom',
  },
};

/**
 * The pages, `GET /api/playground` and `POST /api/playground/orders`, as a part of the shop. A price can
 * be chosen at the merchants of the playground only; without any, there is no playground.
 */
export function playgroundRoutes(options: PlaygroundRoutesOptions): Router {
  const { store, payments, config, siteDirectory, now = () => new Date() } = options;
  const router = Router();
  if (config.playgroundMerchants.length === 0) return router;
  if (siteDirectory !== undefined) {
    const values = { merchant: config.brand.id, payPublicUrl: config.payPublicUrl };
    router.use(siteRoutes({ directory: siteDirectory, values }));
  }
  const isSecure = config.publicUrl.startsWith('https:');
  const { currency } = config.brand;
  const schema = playgroundOrderSchema(config.playgroundMerchants, currency);

  router.get('/api/playground', (_request, response) => {
    const reply: PlaygroundView = {
      merchants: config.playgroundMerchants.map(({ id, shape, what, works }) => ({
        merchant: id,
        shape,
        what,
        works,
      })),
    };
    response.set('Cache-Control', 'no-store').json(reply);
  });

  router.post('/api/playground/orders', json({ limit: '4kb' }), async (request, response) => {
    const { merchant, amount: totalMinor, asksAddress } = parseInput(schema, request.body);
    const line = { unitMinor: totalMinor, lineMinor: totalMinor };
    const stored = store.addOrder({
      ...PLAYER,
      shopperKeyHash: ensureShopperKeyHash(request, response, isSecure),
      basket: {
        lines: [{ sku: 'playground', name: 'A round in the playground', quantity: 1, ...line }],
        subtotalMinor: totalMinor,
        deliveryMinor: 0,
        totalMinor,
      },
      currency,
      createdAt: now(),
      playground: { merchant, asksAddress },
    });
    const orderToken = await payments.tokenOf(stored);
    if (orderToken === undefined) throw new Error('A new order cannot be paid.');
    const reply: PlaygroundOrderReply = {
      merchant,
      order: stored.order,
      orderToken,
      amount: toDecimalText(totalMinor, currency),
      currency,
    };
    response.status(201).set('Cache-Control', 'no-store').json(reply);
  });

  return router;
}

/** Body of `POST /api/playground/orders`; the amount becomes minor units. */
function playgroundOrderSchema(merchants: readonly PlaygroundMerchant[], currency: string) {
  return z.strictObject({
    merchant: z
      .string({ error: 'Name a merchant of the playground' })
      .refine(
        (id) => merchants.some((merchant) => merchant.id === id),
        'Name a merchant of the playground',
      ),
    amount: z
      .string({ error: 'Give the amount as text, such as "12.34"' })
      .transform((text, context) => readAmount(text, currency, context)),
    /** Whether the shop keeps the shopper's address to itself, so that the element asks for it. */
    asksAddress: z.boolean({ error: 'Send true or false' }).default(false),
  });
}

function readAmount(text: string, currency: string, context: z.RefinementCtx): number {
  const amountMinor = fromDecimalText(text, currency);
  const smallest = fromDecimalText(MIN_AMOUNT, currency) ?? 0;
  const largest = fromDecimalText(MAX_AMOUNT, currency) ?? 0;
  if (amountMinor !== undefined && amountMinor >= smallest && amountMinor <= largest) {
    return amountMinor;
  }
  const message = `Give an amount from ${MIN_AMOUNT} to ${MAX_AMOUNT}, such as 12.34`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
