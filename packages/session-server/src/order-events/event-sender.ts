import type { Clock } from '../clock.js';
import type { CheckoutStore, OutboxEvent } from '../checkout/checkout-store.js';
import { describeError, type Logger } from '../logger.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import type { ShopClient } from '../net/shop-client.js';
import { repeat, type Repeating } from '../repeat.js';

/** Pauses after each try that was not taken, in seconds: about three days in all. */
export const RETRY_PAUSES_SECONDS = [
  5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 50_400, 64_800, 72_000,
] as const;

const LIMITS = { timeoutSeconds: 15, maxAnswerBytes: 64 * 1024 };
/** Longer than a try can take, so that a crashed sender's events are taken up again. */
const LEASE_SECONDS = 30;
const BATCH = 20;
const POLL_MS = 5000;

export interface EventSenderOptions {
  readonly store: CheckoutStore;
  readonly merchants: MerchantSource;
  readonly shop: ShopClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Sends the stored events to the shops, signed, until each is answered with 2xx. An event keeps
 * its id and its text in every try, so a shop that stores the id never acts on it twice.
 */
export function startEventSender(options: EventSenderOptions): Repeating {
  const { store, clock, logger } = options;
  return repeat({
    name: 'event sender',
    logger,
    pauseMs: POLL_MS,
    async run() {
      const events = await store.claimEvents(BATCH, LEASE_SECONDS);
      await Promise.all(events.map((event) => deliver(event, options)));
      if (events.length === BATCH) return 0;
      const next = await store.nextEventAt();
      return next === undefined ? undefined : next - clock.now();
    },
  });
}

async function deliver(event: OutboxEvent, options: EventSenderOptions): Promise<void> {
  const { store, logger } = options;
  const failure = await tryOnce(event, options);
  if (failure === undefined) {
    await store.markDelivered(event.id);
    return;
  }
  const pause = RETRY_PAUSES_SECONDS[event.tries];
  await store.markFailed(event.id, pause);
  const fields = { event: event.id, type: event.type, merchant: event.merchant, ...failure };
  if (pause === undefined) logger.error(fields, 'an event was not taken for three days; given up');
  else logger.warn({ ...fields, retryInSeconds: pause }, 'an event was not taken');
}

/** Undefined when the shop took it; else what the log may say. */
async function tryOnce(event: OutboxEvent, options: EventSenderOptions) {
  const merchant = await options.merchants.find(event.merchant);
  if (!merchant) return { reason: 'the merchant is not in the merchants file' };
  try {
    const answer = await options.shop.post(merchant, merchant.events, event, LIMITS);
    const isTaken = answer.status >= 200 && answer.status < 300;
    return isTaken ? undefined : { status: answer.status };
  } catch (error) {
    return describeError(error);
  }
}
