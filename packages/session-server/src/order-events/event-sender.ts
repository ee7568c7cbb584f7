import type { Clock } from '../clock.js';
import { crashPoint } from '../crash-points.js';
import { describeError, type LogFields, type Logger } from '../logger.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { type Observer, SILENT_OBSERVER } from '../metrics/observer.js';
import type { ShopClient } from '../net/shop-client.js';
import { repeat, type Repeating } from '../repeat.js';
import type { EventStore, OutboxEvent } from './event-store.js';
import { retryPauseSeconds } from './retry-pause.js';

const TIMEOUT_SECONDS = 15;
/** Longer than a try can take, so that a crashed sender's events are taken up again. */
const LEASE_SECONDS = 30;
/** Events under way together, of all shops and of one. */
const MOST_AT_A_TIME = 200;
const MOST_PER_MERCHANT = 5;
/** Of all shops that do not answer: the others always find room. */
const MOST_SILENT = MOST_AT_A_TIME / 2;
const POLL_MS = 5000;

export interface EventSenderOptions {
  readonly store: EventStore;
  readonly merchants: Pick<MerchantSource, 'find'>;
  readonly shop: ShopClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Hears of every try. Default: nobody. */
  readonly observer?: Pick<Observer, 'eventTried'>;
}

/** How one try ended. */
type TryResult =
  | { readonly kind: 'delivered' }
  /** The shop answered, and did not take it. */
  | { readonly kind: 'refused'; readonly why: LogFields }
  /** No answer came: the shop is slow, gone, or cannot be reached. */
  | { readonly kind: 'silent'; readonly why: LogFields };

/**
 * Sends the stored events to the shops, signed, until each is answered with 2xx. An event keeps
 * its id and its text in every try, so a shop that stores the id never acts on it twice. Events go
 * out side by side, a few of each shop, one at a time to a shop that does not answer, and to all such
 * shops together as many as leave room for the others: so a shop that is slow or broken holds up no
 * other, and an order that is refused holds up no other order.
 */
export function startEventSender(options: EventSenderOptions): Repeating {
  const { store, clock, logger } = options;
  const sending = new Set<Promise<void>>();
  const silentMerchants = new Set<string>();
  let silentUnderWay = 0;
  const send = (event: OutboxEvent): void => {
    const toSilent = silentMerchants.has(event.merchant) ? 1 : 0;
    silentUnderWay += toSilent;
    const delivery = deliver(event, options, silentMerchants)
      .catch((error: unknown) => {
        logger.error({ event: event.id, ...describeError(error) }, 'an event could not be settled');
      })
      .finally(() => {
        sending.delete(delivery);
        silentUnderWay -= toSilent;
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
      const events = await store.claimEvents({
        limit: room,
        perMerchant: MOST_PER_MERCHANT,
        silentMerchants: [...silentMerchants],
        silentLimit: MOST_SILENT - silentUnderWay,
        leaseSeconds: LEASE_SECONDS,
      });
      if (events.length > 0) crashPoint('events:claimed');
      events.forEach(send);
      const next = await store.nextEventAt();
      return next === undefined ? undefined : next - clock.now();
    },
  });
  return {
    wake: () => {
      job.wake();
    },
    async close() {
      await job.close();
      await Promise.all(sending);
    },
  };
}

async function deliver(
  event: OutboxEvent,
  options: EventSenderOptions,
  silentMerchants: Set<string>,
): Promise<void> {
  const { store, logger, observer = SILENT_OBSERVER } = options;
  const result = await tryOnce(event, options);
  observer.eventTried(result.kind);
  if (result.kind === 'silent') silentMerchants.add(event.merchant);
  else silentMerchants.delete(event.merchant);
  if (result.kind === 'delivered') {
    await store.markDelivered(event.id);
    crashPoint('events:delivered-stored');
    return;
  }
  const pause = retryPauseSeconds(event.tries, Math.random());
  await store.markFailed(event.id, pause);
  crashPoint('events:failure-stored');
  const fields = { event: event.id, type: event.type, merchant: event.merchant, ...result.why };
  if (pause === undefined) logger.error(fields, 'an event was not taken for three days; given up');
  else logger.warn({ ...fields, retryInSeconds: Math.round(pause) }, 'an event was not taken');
}

async function tryOnce(event: OutboxEvent, options: EventSenderOptions): Promise<TryResult> {
  const merchant = await options.merchants.find(event.merchant);
  if (!merchant) {
    return { kind: 'refused', why: { reason: 'the merchant is not in the merchants file' } };
  }
  try {
    const { shop } = options;
    const status = await shop.tell(merchant, merchant.events, event, TIMEOUT_SECONDS);
    crashPoint('events:answered');
    const isTaken = status >= 200 && status < 300;
    return isTaken ? { kind: 'delivered' } : { kind: 'refused', why: { status } };
  } catch (error) {
    return { kind: 'silent', why: describeError(error) };
  }
}
