import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Span } from '@opentelemetry/api';
import type { Clock } from '../clock.js';
import type { MerchantEvent, MerchantEventData } from '../contract.js';
import type { DataEncryption } from '../encryption.js';
import { describeError, type LogFields, type Logger } from '../logger.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { type Observer, SILENT_OBSERVER } from '../observer.js';
import { addMetadata } from '../orders/put-orders.js';
import { type LoggedDelivery, logDeliveries } from '../orders/order-log.js';
import type { ShopClient } from '../provider/shop-client.js';
import type { RunLoop, RunLoops } from '../run-loop.js';
import type { Database } from '../store/database.js';
import { fail, inSpan } from '../tracing/spans.js';
import {
  bringEventsForward,
  claimEvents,
  type EventResult,
  isRetrying,
  MAX_PLACED,
  NEXT_EVENT_DUE,
  type OutboxEvent,
  placeEvents,
  settleEvents,
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
  readonly encryption: DataEncryption;
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

/** An event that is being tried, or whose result is not stored yet. */
interface InFlight {
  readonly event: OutboxEvent;
  readonly leaseUntil: number;
  readonly isRetry: boolean;
  /** Its result could not be stored: it is sent again when the lease ends. */
  isLost: boolean;
  /** Ends with the try. */
  readonly tried: Promise<void>;
}

interface Ended {
  readonly event: OutboxEvent;
  readonly result: TryResult;
  /** How long the try took. */
  readonly ms: number;
}

interface Settled extends Ended {
  readonly stored: EventResult;
}

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
  readonly #inFlight = new Map<string, InFlight>();
  /** Tries whose results are still to be stored. */
  readonly #ended: Ended[] = [];
  #settling: Promise<void> | undefined;
  /** Whether events were left behind that the end of a try may make room for. */
  #hasMore = false;
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
    await Promise.all([...this.#inFlight.values()].map(({ tried }) => tried));
    await this.#settling;
    clearTimeout(timer);
  }

  /** Places new events in the feed, and claims what is due. */
  async #run(): Promise<number | undefined> {
    const { database, encryption, clock } = this.#options;
    const now = clock.now();
    for (const [id, { isLost, leaseUntil }] of this.#inFlight) {
      if (isLost && leaseUntil <= now) this.#inFlight.delete(id);
    }
    const inFlight = [...this.#inFlight.values()];
    const claim = {
      limit: MAX_IN_FLIGHT - inFlight.length,
      perMerchant: MAX_PER_MERCHANT,
      answeringMerchants: this.#shops.answering,
      retryingLimit: MAX_RETRYING - inFlight.filter(({ isRetry }) => isRetry).length,
      leaseSeconds: LEASE_SECONDS,
      held: database.isShared ? undefined : inFlight.map(({ event }) => event),
    };
    const { placed, events, hasMore } = await database.transaction('outbox:claim', async (tx) => {
      const placed = await placeEvents(tx);
      if (claim.limit <= 0) return { placed, events: [], hasMore: true };
      const claimed = await claimEvents(tx, claim, now);
      const events = await addMetadata(tx, claimed.events, encryption);
      return { placed, events, hasMore: claimed.hasMore };
    });
    this.#hasMore = hasMore;
    for (const event of events) this.#start(event, now + LEASE_SECONDS * 1000);
    return placed === MAX_PLACED ? 0 : undefined;
  }

  #start(event: OutboxEvent, leaseUntil: number): void {
    const tried = inSpan('event.deliver', { root: true }, (span) => this.#try(event, span)).then(
      (ended) => {
        if (!ended) return;
        this.#ended.push(ended);
        this.#settling ??= this.#settle();
      },
      (error: unknown) => {
        this.#lose(event, error);
      },
    );
    const isRetry = isRetrying(event, this.#shops.answering);
    this.#inFlight.set(event.id, { event, leaseUntil, isRetry, isLost: false, tried });
  }

  /** Undefined when the try was given up on our side: that says nothing about the shop. */
  async #try(event: OutboxEvent, span: Span): Promise<Ended | undefined> {
    const startedAt = performance.now();
    const result = await this.#send(event);
    const ms = Math.round(performance.now() - startedAt);
    if (result.kind === 'silent' && this.#stop.signal.aborted) return undefined;
    if (result.kind === 'skipped') return { event, result, ms };
    this.#observer.deliveryAttempted(result.kind);
    this.#shops.record(event, result.kind !== 'silent');
    const { id, type, merchant, checkout, tries } = event;
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
    return { event, result, ms };
  }

  async #send(event: OutboxEvent): Promise<TryResult> {
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

  /** Stores the results of tries, those that end in one turn of the event loop together. */
  async #settle(): Promise<void> {
    await nextTurn();
    while (this.#ended.length > 0) {
      const ended = this.#ended.splice(0);
      try {
        await this.#record(ended);
        for (const { event } of ended) this.#inFlight.delete(event.id);
        if (this.#hasMore) this.wake();
      } catch (error) {
        for (const { event } of ended) this.#lose(event, error);
      }
      await nextTurn();
    }
    this.#settling = undefined;
  }

  #lose({ id }: OutboxEvent, error: unknown): void {
    const lost = this.#inFlight.get(id);
    if (lost) lost.isLost = true;
    this.#options.logger.error(
      { event: id, ...describeError(error) },
      'the result of a delivery could not be stored',
    );
  }

  async #record(ended: readonly Ended[]): Promise<void> {
    const { database, clock } = this.#options;
    const now = clock.now();
    const settled = ended.map((one) => ({ ...one, stored: this.#toResult(one, now) }));
    const [first, ...others] = settled;
    if (!first) return;
    const recovered = settled
      .filter(({ event, result }) => this.#shops.hasRecovered(event, result, now))
      .map(({ event }) => event.merchant);
    await database.transaction('outbox:settle', async (tx) => {
      await settleEvents(tx, [first.stored, ...others.map(({ stored }) => stored)]);
      for (const merchant of recovered) await bringEventsForward(tx, merchant, now);
      await logDeliveries(tx, [toLogged(first), ...others.map(toLogged)], now);
    });
    for (const one of settled) this.#tell(one, now);
  }

  #toResult({ event: { id, tries }, result: { kind } }: Ended, now: number): EventResult {
    if (kind === 'skipped') return { id, status: 'skipped' };
    if (kind === 'acknowledged') return { id, status: 'delivered' };
    const pause = retryDelaySeconds(tries, Math.random());
    const leaseUntil = this.#inFlight.get(id)?.leaseUntil;
    return pause === undefined
      ? { id, status: 'dead_lettered', leaseUntil }
      : { id, status: 'pending', dueAt: now + Math.round(pause * 1000), leaseUntil };
  }

  #tell({ event, result, ms, stored }: Settled, now: number): void {
    if (result.kind === 'skipped') return;
    const { logger } = this.#options;
    const { id, type, merchant, checkout, tries } = event;
    const { order, requestId } = dataOf(event);
    const fields: LogFields = {
      event: id,
      type,
      requestId,
      merchant,
      order,
      checkout,
      tries: tries + 1,
      ms,
    };
    if (result.kind === 'acknowledged') {
      logger.info({ ...fields, status: result.status }, 'event delivered');
    } else if (stored.dueAt === undefined) {
      logger.error({ ...fields, ...result.why }, 'an event is dead-lettered after three days');
    } else {
      const retryInSeconds = Math.round((stored.dueAt - now) / 1000);
      logger.warn({ ...fields, ...result.why, retryInSeconds }, 'an event was not delivered');
    }
  }
}

/** What the log of its order calls a result. */
const LOGGED = {
  delivered: 'acknowledged',
  pending: 'retrying',
  dead_lettered: 'dead_lettered',
  skipped: 'skipped',
} as const;

function toLogged({ event, result, stored }: Settled): LoggedDelivery {
  const { id, merchant, checkout, type, tries } = event;
  const detail = { type, ...reasonOf(result), result: LOGGED[stored.status] };
  return { merchant, order: dataOf(event).order, checkout, event: id, tries, detail };
}

function reasonOf(result: TryResult): Pick<LoggedDelivery['detail'], 'status' | 'error'> {
  if (result.kind === 'acknowledged') return { status: result.status };
  if (result.kind === 'skipped') return {};
  const { status, error, reason } = result.why;
  return typeof status === 'number'
    ? { status }
    : { error: String(reason ?? error ?? 'no answer') };
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

  /** Whether a shop that may have been down until now has acknowledged an event: at the first since the start, too. */
  hasRecovered({ merchant, checkout }: OutboxEvent, { kind }: TryResult, now: number): boolean {
    if (kind === 'skipped') return false;
    const failed = this.#failed.get(merchant) ?? new Set();
    if (kind !== 'acknowledged') {
      // A shop that is down for long has very many.
      if (failed.size < CHECKOUTS_OF_A_SILENT_SHOP)
        this.#failed.set(merchant, failed.add(checkout));
      return false;
    }
    this.#failed.delete(merchant);
    const recoveredAt = this.#recoveredAt.get(merchant) ?? -Infinity;
    const wasDown = failed.size >= CHECKOUTS_OF_A_SILENT_SHOP || recoveredAt === -Infinity;
    if (!wasDown || now - recoveredAt < RECOVERY_INTERVAL_MS) return false;
    this.#recoveredAt.set(merchant, now);
    return true;
  }
}
