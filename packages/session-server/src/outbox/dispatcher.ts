import type { Clock } from '../clock.js';
import { crashPoint } from '../crash-points.js';
import { describeError, type LogFields, type Logger } from '../logger.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { type Observer, SILENT_OBSERVER } from '../observer.js';
import type { ShopClient } from '../provider/shop-client.js';
import { startRunLoop, type RunLoop } from '../run-loop.js';
import { type OutboxRepository, isRetrying, type OutboxEvent } from './repository.js';
import { retryDelaySeconds } from './retry-schedule.js';
import { ShopAnswers } from './shop-answers.js';

const TIMEOUT_SECONDS = 15;
/** Longer than a try can take, so that a crashed sender's events are taken up again. */
const LEASE_SECONDS = 30;
/** Events under way together, of all shops and of one. */
const MAX_AT_A_TIME = 200;
const MAX_PER_MERCHANT = 5;
/** Of what may well find no answer: the rest always finds room. */
const MAX_DOUBTFUL = MAX_AT_A_TIME / 2;
const POLL_MS = 5000;
/** How long tries that are under way may take when the sender closes. */
const DRAIN_MS = 2000;

export interface OutboxDispatcherOptions {
  readonly store: OutboxRepository;
  readonly merchants: Pick<MerchantSource, 'find'>;
  readonly shop: ShopClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Hears of every try. Default: nobody. */
  readonly observer?: Pick<Observer, 'eventAttempted'>;
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
 * out side by side, a few of each shop that answers, and one at a time to a shop that does not, or has
 * not done so since the start. All such shops together, and what was not taken before, leave half of
 * the room to the rest: so a shop that is slow or broken holds up no other, and an order whose events
 * are not taken holds up no other order. When it closes, tries that are under way have a moment to
 * end; then they are given up, and the events are sent again after the next start.
 */
export function startOutboxDispatcher(options: OutboxDispatcherOptions): RunLoop {
  const { store, clock, logger } = options;
  const sending = new Set<Promise<void>>();
  const answers = new ShopAnswers();
  const stop = new AbortController();
  let doubtfulUnderWay = 0;
  const send = (event: OutboxEvent): void => {
    const inDoubt = isRetrying(event, answers.answering) ? 1 : 0;
    doubtfulUnderWay += inDoubt;
    const delivery = deliver(event, { ...options, answers, stop: stop.signal })
      .catch((error: unknown) => {
        logger.error({ event: event.id, ...describeError(error) }, 'an event could not be settled');
      })
      .finally(() => {
        sending.delete(delivery);
        doubtfulUnderWay -= inDoubt;
        job.wake();
      });
    sending.add(delivery);
  };
  const job = startRunLoop({
    name: 'event sender',
    logger,
    pauseMs: POLL_MS,
    async run() {
      const room = MAX_AT_A_TIME - sending.size;
      if (room === 0) return undefined;
      const events = await store.claimEvents({
        limit: room,
        perMerchant: MAX_PER_MERCHANT,
        answeringMerchants: answers.answering,
        doubtfulLimit: MAX_DOUBTFUL - doubtfulUnderWay,
        leaseSeconds: LEASE_SECONDS,
      });
      if (events.length > 0) crashPoint('outbox:claimed');
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
      const timer = setTimeout(() => {
        stop.abort();
      }, DRAIN_MS);
      await Promise.all(sending);
      clearTimeout(timer);
    },
  };
}

interface Delivering extends OutboxDispatcherOptions {
  readonly answers: ShopAnswers;
  /** Ends the tries that are under way. */
  readonly stop: AbortSignal;
}

async function deliver(event: OutboxEvent, options: Delivering): Promise<void> {
  const { store, logger, answers, stop, observer = SILENT_OBSERVER } = options;
  const result = await tryOnce(event, options);
  // We hung up: it says nothing of the shop, and the event is sent again after the next start.
  if (result.kind === 'silent' && stop.aborted) return;
  observer.eventAttempted(result.kind);
  answers.note(event, result.kind !== 'silent');
  if (result.kind === 'delivered') {
    await store.markDelivered(event.id);
    crashPoint('outbox:delivered-stored');
    return;
  }
  const pause = retryDelaySeconds(event.tries, Math.random());
  await store.markFailed(event.id, pause);
  crashPoint('outbox:failure-stored');
  const fields = { event: event.id, type: event.type, merchant: event.merchant, ...result.why };
  if (pause === undefined) logger.error(fields, 'an event was not taken for three days; given up');
  else logger.warn({ ...fields, retryInSeconds: Math.round(pause) }, 'an event was not taken');
}

async function tryOnce(event: OutboxEvent, options: Delivering): Promise<TryResult> {
  const merchant = await options.merchants.find(event.merchant);
  if (!merchant) {
    return { kind: 'refused', why: { reason: 'the merchant is not in the merchants file' } };
  }
  try {
    const { shop, stop } = options;
    const status = await shop.deliver(merchant, merchant.events, event, TIMEOUT_SECONDS, stop);
    crashPoint('outbox:answered');
    const isTaken = status >= 200 && status < 300;
    return isTaken ? { kind: 'delivered' } : { kind: 'refused', why: { status } };
  } catch (error) {
    return { kind: 'silent', why: describeError(error) };
  }
}
