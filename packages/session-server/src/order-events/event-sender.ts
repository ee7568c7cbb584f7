import type { Clock } from '../clock.js';
import type { CheckoutStore, OutboxEvent } from '../checkout/checkout-store.js';
import { crashPoint } from '../crash-points.js';
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
/** Events under way together, of all shops. */
const MOST_AT_A_TIME = 50;
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
 * its id and its text in every try, so a shop that stores the id never acts on it twice. Events go
 * out side by side, so that a shop that takes its time holds up no other.
 */
export function startEventSender(options: EventSenderOptions): Repeating {
  const { store, clock, logger } = options;
  const sending = new Set<Promise<void>>();
  const send = (event: OutboxEvent): void => {
    const delivery = deliver(event, options)
      .catch((error: unknown) => {
        logger.error({ event: event.id, ...describeError(error) }, 'an event could not be settled');
      })
      .finally(() => {
        sending.delete(delivery);
        job.wake();
      });
    sending.add(delivery);
  };
  const job = repeat({
    name: 'event sender',
    logger,
    pauseMs: POLL_MS,
    async run() {
      const room = MOST_AT_A_TIME - sending.size;
      if (room === 0) return undefined;
      const events = await store.claimEvents(room, LEASE_SECONDS);
      crashPoint('events:claimed');
      events.forEach(send);
      const next = await store.nextEventAt();
      return next === undefined ? undefined : next - clock.now();
    },
  });
  return {
    wake: job.wake,
    async close() {
      await job.close();
      await Promise.all(sending);
    },
  };
}

async function deliver(event: OutboxEvent, options: EventSenderOptions): Promise<void> {
  const { store, logger } = options;
  const failure = await tryOnce(event, options);
  if (failure === undefined) {
    await store.markDelivered(event.id);
    crashPoint('events:delivered-stored');
    return;
  }
  const pause = RETRY_PAUSES_SECONDS[event.tries];
  await store.markFailed(event.id, pause);
  crashPoint('events:failure-stored');
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
    crashPoint('events:answered');
    const isTaken = answer.status >= 200 && answer.status < 300;
    return isTaken ? undefined : { status: answer.status };
  } catch (error) {
    return describeError(error);
  }
}
