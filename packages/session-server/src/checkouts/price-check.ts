import type { Clock } from '../clock.js';
import { describeError, type LogFields, type Logger } from '../logger.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { parseMinor } from '../money.js';
import type { OrderLookup, ShopOrder } from '../orders/order-lookup.js';
import { touchOrder } from '../orders/repository.js';
import type { RunLoop, RunLoops } from '../run-loop.js';
import type { Database } from '../store/database.js';
import { sql } from '../store/sql.js';
import type { ChangeFeed } from './change-feed.js';
import { claimPriceChecks, getCheckout, planPriceCheck } from './repository.js';
import type { AttentionCode, Checkout } from './state-machine.js';
import { applyFacts, type StepContext } from './checkout-transactions.js';

/** How many shops are asked at the same time. */
const BATCH = 20;
/** Longer than a shop may take to answer. */
const LEASE_MS = 30_000;
const MIN_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 6 * 3_600_000;

export interface PriceCheckOptions {
  readonly loops: RunLoops;
  readonly merchants: MerchantSource;
  readonly lookUpOrder: OrderLookup;
  readonly database: Database;
  readonly context: StepContext;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Asks the shop for the price of an order that has just been paid. When the shop sells it at another
 * price, its merchant is sent `price_changed`: the payment was made in an older session. When the order is
 * void, its merchant is sent `paid_after_void`. The payment itself never waits for this check. A shop
 * that does not answer is asked again, at growing intervals, for as long as an unpaid attempt is watched.
 */
export function startPriceCheck(options: PriceCheckOptions): RunLoop {
  const { loops, database, clock } = options;
  return loops.start({
    name: 'price check',
    nextDue: sql`SELECT min(price_check_at) FROM checkouts WHERE price_check_at IS NOT NULL`,
    async run() {
      const now = clock.now();
      const claim = { now, leaseUntil: now + LEASE_MS, limit: BATCH };
      const due = await database.transaction('payment:claim-price-checks', (tx) =>
        claimPriceChecks(tx, claim),
      );
      await Promise.all(due.map((checkout) => checkPrice(checkout, options)));
      return due.length === BATCH ? 0 : undefined;
    },
  });
}

async function checkPrice(checkout: Checkout, options: PriceCheckOptions): Promise<void> {
  const { database, context, changes, clock, logger } = options;
  const { id, merchant, order } = checkout;
  const answer = await askShop(checkout, options);
  if ('why' in answer) {
    const now = clock.now();
    const ageMs = now - checkout.createdAt;
    const pauseMs = Math.min(Math.max(ageMs, MIN_PAUSE_MS), MAX_PAUSE_MS);
    const isOver = ageMs > context.rules.watchSeconds * 1000;
    const retryAt = isOver ? undefined : now + pauseMs;
    await database.transaction('payment:postpone-price', (tx) => planPriceCheck(tx, id, retryAt));
    const retryInSeconds = isOver ? undefined : Math.round(pauseMs / 1000);
    logger.warn(
      { merchant, order, retryInSeconds, ...answer.why },
      'the price of a paid order could not be compared',
    );
    return;
  }
  const { before, after } = await database.transaction('payment:compare-price', async (tx) => {
    await touchOrder(tx, checkout);
    await planPriceCheck(tx, id, undefined);
    const current = await getCheckout(tx, id);
    const code = findChange(answer.order, current);
    const facts = code === undefined ? [] : [{ type: 'attention-needed', code } as const];
    return applyFacts(tx, current, facts, context);
  });
  if (after !== before) changes.notify(id);
}

async function askShop(
  { merchant: merchantId, order }: Checkout,
  { merchants, lookUpOrder }: PriceCheckOptions,
): Promise<{ readonly order: ShopOrder | undefined } | { readonly why: LogFields }> {
  try {
    const merchant = await merchants.find(merchantId);
    if (!merchant) return { why: { reason: 'the merchant is not in the merchants file' } };
    return { order: await lookUpOrder(merchant, order) };
  } catch (error) {
    return { why: describeError(error) };
  }
}

/** How the shop's order now differs from what was paid. */
function findChange(order: ShopOrder | undefined, checkout: Checkout): AttentionCode | undefined {
  if (!order || order.status === 'paid') return undefined;
  if (order.status === 'void') return 'paid_after_void';
  const isSame =
    order.currency === checkout.currency &&
    parseMinor(order.amount, checkout.decimals) === checkout.amountMinor;
  return isSame ? undefined : 'price_changed';
}
