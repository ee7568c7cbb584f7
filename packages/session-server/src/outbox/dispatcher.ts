import type { Span } from '@opentelemetry/api';
import type { Clock } from '../clock.js';
import type { MerchantEvent, MerchantEventData } from '../contract.js';
import { describeError, type LogFields, type Logger } from '../logger.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { type Observer, SILENT_OBSERVER } from '../observer.js';
import { findLastTry, type LogDetails, logOrder } from '../orders/order-log.js';
import type { ShopClient } from '../provider/shop-client.js';
import type { RunLoop, RunLoops } from '../run-loop.js';
import type { Database, Transaction } from '../store/database.js';
import { fail, inSpan } from '../tracing/spans.js';
import {
  bringEventsForward,
  claimEvents,
  isRetrying,
  MAX_PLACED,
  NEXT_EVENT_DUE,
  markEventDelivered,
  markEventFailed,
  markEventSkipped,
  type OutboxEvent,
  placeEvents,
} from './repository.js';
import { retryDelaySeconds } from './retry-schedule.js';

const TIMEOUT_SECONDS = 15;
/** Longer than a try can take, so that the events of a crashed dispatcher are claimed again. */
const LEASE_SECONDS = 30;
/** Events in flight at the same time, of all shops and of one. */
const MAX_IN_FLIGHT = 200;
const MAX_PER_MERCHANT = 5;
/** Events in flight that are likely to get no answer; the rest of the room is for the others. */
const MAX_RETRYING = MAX_IN_FLIGHT / 2;
/** How long tries in flight may take when the dispatcher closes. */
const DRAIN_MS = 2000;
/** Events of this many checkouts without an answer in between mean that the shop is silent. */
const CHECKOUTS_OF_A_SILENT_SHOP = 2;
/** How often a recovery of a shop may trigger retries, which bounds tries of events that it never acknowledges. */
const RECOVERY_INTERVAL_MS = 600_000;

export interface OutboxDispatcherOptions {
  readonly loops: RunLoops;
  readonly database: Database;
  readonly merchants: Pick<MerchantSource, 'find'>;
  readonly shop: Pick<ShopClient, 'deliver'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default: none. */
  readonly observer?: Pick<Observer, 'deliveryAttempted'>;
  /** Test hook, called after each step at which a drill kills the server. */
  readonly onStep?: ((step: string) => void) | undefined;
}

/** How one try ended. */
type TryResult =
  | { readonly kind: 'acknowledged'; readonly status: number }
  /** Its merchant has no address for events. */
  | { readonly kind: 'skipped' }
  /** The shop answered, and not with 2xx. */
  | { readonly kind: 'refused'; readonly why: LogFields }
  /** No answer came: the shop is slow, gone, or cannot be reached. */
  | { readonly kind: 'silent'; readonly why: LogFields };

/**
 * Delivers stored events to the shops, signed, until each is acknowledged with 2xx. An event keeps
 * its id and its text in every try, so a shop that stores the id never processes it twice.
 *
 * A slow or broken shop holds up no other: a shop that answers has a few events in flight, a silent
 * one has one, and silent shops and retries together take at most half of the room. An order whose
 * events are not acknowledged holds up no other order. When a shop that was down acknowledges one event,
 * its others are tried at once, however long their pauses have grown.
 *
 * On close, tries in flight have a moment to end. Then they are given up, and the events are delivered
 * again after the next start.
 */
export function startOutboxDispatcher(options: OutboxDispatcherOptions): RunLoop {
  return new OutboxDispatcher(options);
}

class OutboxDispatcher implements RunLoop {
  readonly #options: OutboxDispatcherOptions;
  readonly #observer: Pick<Observer, 'deliveryAttempted'>;
  readonly #inFlight = new Set<Promise<void>>();
  #retryingInFlight = 0;
  readonly #shops = new ShopHealth();
  readonly #stop = new AbortController();
  readonly #loop: RunLoop;

  constructor(options: OutboxDispatcherOptions) {
    this.#options = options;
    this.#observer = options.observer ?? SILENT_OBSERVER;
    this.#loop = options.loops.start({
      name: 'outbox dispatcher',
      nextDue: NEXT_EVENT_DUE,
      run: () => this.#run(),
    });
  }

  wake(): void {
    this.#loop.wake();
  }

  async close(): Promise<void> {
    await this.#loop.close();
    const timer = setTimeout(() => {
      this.#stop.abort();
    }, DRAIN_MS);
    await Promise.all(this.#inFlight);
    clearTimeout(timer);
  }

  /** Places new events in the feed, and claims what is due. Returns how many milliseconds to wait for more. */
  async #run(): Promise<number | undefined> {
    const { database, clock } = this.#options;
    // Before the claim, which leaves out what another transaction is changing.
    const placed = await database.transaction('outbox:place', placeEvents);
    if (placed.length === MAX_PLACED) this.wake();
    const room = MAX_IN_FLIGHT - this.#inFlight.size;
    if (room === 0) return undefined;
    const claim = {
      limit: room,
      perMerchant: MAX_PER_MERCHANT,
      answeringMerchants: this.#shops.answering,
      retryingLimit: MAX_RETRYING - this.#retryingInFlight,
      leaseSeconds: LEASE_SECONDS,
    };
    const now = clock.now();
    const events = await database.transaction('outbox:claim', (tx) => claimEvents(tx, claim, now));
    for (const event of events) this.#start(event, now + LEASE_SECONDS * 1000);
    return undefined;
  }

  #start(event: OutboxEvent, leaseUntil: number): void {
    const { logger } = this.#options;
    const retrying = isRetrying(event, this.#shops.answering) ? 1 : 0;
    this.#retryingInFlight += retrying;
    const delivery = inSpan('event.deliver', { root: true }, (span) =>
      this.#deliver(event, leaseUntil, span),
    )
      .catch((error: unknown) => {
        logger.error(
          { event: event.id, ...describeError(error) },
          'the result of a delivery could not be stored',
        );
      })
      .finally(() => {
        this.#inFlight.delete(delivery);
        this.#retryingInFlight -= retrying;
        this.wake();
      });
    this.#inFlight.add(delivery);
  }

  async #deliver(event: OutboxEvent, leaseUntil: number, span: Span): Promise<void> {
    const { database, clock, logger } = this.#options;
    const startedAt = performance.now();
    const result = await this.#tryOnce(event);
    // Aborted on our side: that says nothing about the shop.
    if (result.kind === 'silent' && this.#stop.signal.aborted) return;
    if (result.kind === 'skipped') {
      await database.transaction('outbox:skip', async (tx) => {
        await markEventSkipped(tx, event.id);
        await this.#log(tx, event, { result: 'skipped' });
      });
      return;
    }
    this.#observer.deliveryAttempted(result.kind);
    this.#shops.record(event, result.kind !== 'silent');
    const { id, type, merchant, checkout, tries } = event;
    const ms = Math.round(performance.now() - startedAt);
    const { order, requestId } = dataOf(event);
    span.setAttributes({
      'pay_checkout.event': id,
      'pay_checkout.event_type': type,
      'pay_checkout.merchant': merchant,
      'pay_checkout.order': order,
      'pay_checkout.checkout': checkout,
      'pay_checkout.tries': tries + 1,
    });
    if (requestId !== undefined) span.setAttribute('pay_checkout.request_id', requestId);
    if (result.kind !== 'acknowledged') fail(span, result.kind);
    const fields = { event: id, type, requestId, merchant, order, checkout, tries: tries + 1, ms };
    if (result.kind === 'acknowledged') {
      const { status } = result;
      const now = clock.now();
      const hasRecovered = this.#shops.acknowledged(event, now);
      await database.transaction('outbox:mark-delivered', async (tx) => {
        await markEventDelivered(tx, id);
        if (hasRecovered) await bringEventsForward(tx, merchant, now);
        await this.#log(tx, event, { status, result: 'acknowledged' });
      });
      logger.info({ ...fields, status: result.status }, 'event delivered');
      return;
    }
    this.#shops.failed(event);
    const pause = retryDelaySeconds(event.tries, Math.random());
    const dueAt = pause === undefined ? undefined : clock.now() + Math.round(pause * 1000);
    const { status, error, reason } = result.why;
    await database.transaction('outbox:mark-failed', async (tx) => {
      await markEventFailed(tx, id, dueAt, leaseUntil);
      await this.#log(tx, event, {
        ...(typeof status === 'number'
          ? { status }
          : { error: String(reason ?? error ?? 'no answer') }),
        result: dueAt === undefined ? 'dead_lettered' : 'retrying',
      });
    });
    const failed = { ...fields, ...result.why };
    if (pause === undefined) logger.error(failed, 'an event is dead-lettered after three days');
    else
      logger.warn({ ...failed, retryInSeconds: Math.round(pause) }, 'an event was not delivered');
  }

  async #log(
    tx: Transaction,
    event: OutboxEvent,
    result: Omit<LogDetails['delivery'], 'type' | 'try'>,
  ): Promise<void> {
    const { id: subject, type, merchant, checkout, tries } = event;
    const key = { merchant, order: dataOf(event).order };
    // The event's own count leaves out tries that do not shorten its time, and restarts when redelivered.
    const number = Math.max(tries, await findLastTry(tx, key, subject)) + 1;
    const detail = { type, try: number, ...result };
    const entry = { kind: 'delivery', checkout, subject, detail } as const;
    await logOrder(tx, key, entry, this.#options.clock.now());
  }

  async #tryOnce(event: OutboxEvent): Promise<TryResult> {
    const { merchants, shop } = this.#options;
    const merchant = await merchants.find(event.merchant);
    if (!merchant) {
      return { kind: 'refused', why: { reason: 'the merchant is not in the merchants file' } };
    }
    if (!merchant.events) return { kind: 'skipped' };
    try {
      const { signal } = this.#stop;
      const status = await shop.deliver(merchant, merchant.events, event, TIMEOUT_SECONDS, signal);
      this.#options.onStep?.('shop:event-answered');
      return status >= 200 && status < 300
        ? { kind: 'acknowledged', status }
        : { kind: 'refused', why: { status } };
    } catch (error) {
      return { kind: 'silent', why: describeError(error) };
    }
  }
}

function dataOf({ body }: OutboxEvent): Pick<MerchantEventData, 'order' | 'requestId'> {
  return (JSON.parse(body) as Pick<MerchantEvent, 'data'>).data;
}

/** Which shops answer, as far as this process has seen. One order that hangs is not its shop. */
class ShopHealth {
  /** Merchants whose shop has answered, and is not silent since. */
  readonly answering = new Set<string>();
  /** The checkouts of a merchant whose events got no answer since the last one that did. */
  readonly #unanswered = new Map<string, Set<string>>();
  /** Checkouts of a merchant whose events failed, answered or not, since the last acknowledged one. */
  readonly #failed = new Map<string, Set<string>>();
  readonly #recoveredAt = new Map<string, number>();

  record({ merchant, checkout }: OutboxEvent, hasAnswered: boolean): void {
    if (hasAnswered) {
      this.answering.add(merchant);
      this.#unanswered.delete(merchant);
      return;
    }
    const unanswered = this.#unanswered.get(merchant) ?? new Set();
    this.#unanswered.set(merchant, unanswered.add(checkout));
    if (unanswered.size < CHECKOUTS_OF_A_SILENT_SHOP) return;
    this.answering.delete(merchant);
    this.#unanswered.delete(merchant);
  }
  failed({ merchant, checkout }: OutboxEvent): void {
    const failed = this.#failed.get(merchant) ?? new Set();
    // A shop that is down for long has very many.
    if (failed.size >= CHECKOUTS_OF_A_SILENT_SHOP) return;
    this.#failed.set(merchant, failed.add(checkout));
  }

  /** Returns whether the shop may have been down until now: at the first event since the start, too. */
  acknowledged({ merchant }: OutboxEvent, now: number): boolean {
    const recoveredAt = this.#recoveredAt.get(merchant) ?? -Infinity;
    const failed = this.#failed.get(merchant)?.size ?? 0;
    this.#failed.delete(merchant);
    const wasDown = failed >= CHECKOUTS_OF_A_SILENT_SHOP || recoveredAt === -Infinity;
    if (!wasDown || now - recoveredAt < RECOVERY_INTERVAL_MS) return false;
    this.#recoveredAt.set(merchant, now);
    return true;
  }
}
