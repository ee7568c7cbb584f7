import { isPartnerApiError } from '@pay-checkout/partner-api';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.js';
import type { HintRequest, CreateCheckoutRequest, LineItem } from '../contract.js';
import type { DataEncryption } from '../encryption.js';
import { AppError, checkoutNotFound, merchantDisabled, orderNotFound } from '../errors.js';
import { describeError, type Logger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import type { Observer } from '../observer.js';
import type { OrderLookup, ShopOrder } from '../orders/order-lookup.js';
import { checkOrderToken } from '../orders/order-token.js';
import { emailDigestOf } from '../orders/put-orders.js';
import { findOrder } from '../orders/repository.js';
import type { Database } from '../store/database.js';
import type { ChangeFeed } from './change-feed.js';
import { type Checkout, isPaymentPending } from './state-machine.js';
import {
  activateSession,
  type Attempt,
  type AttemptRequest,
  findActiveAttempt,
  hasSession,
  markSendFailed,
} from './attempt-repository.js';
import { attemptRequest, priceOf } from './attempt-request.js';
import { checkLines } from './line-items.js';
import { findCurrentCheckout } from './order-state.js';
import { findCheckout, findCheckoutsOfOrder } from './repository.js';
import {
  type AttemptDecision,
  beginAttempt,
  recordHint,
  type StepContext,
} from './checkout-transactions.js';
import type { PartnerGateway, SessionResult } from '../provider/gateway.js';
import { type SplitShare, splitAmount, splitRulesOf } from './split-fee.js';
import { type AvsFields, needsAddress, toAvsFields } from './avs.js';
import { type PublicAddresses, toSessionFields } from './session-request.js';

/** How often a waiter reads the store, for an owner in another process. */
const OWNER_POLL_MS = 250;
/** Sessions asked for in one request, when the answer to the first is lost. */
const MAX_ATTEMPTS = 2;
/** How often one request asks for the price, when others create a checkout at a newer one in the meantime. */
const MAX_LOOKUPS = 3;
/** How long a preview may show the price that the shop gave for another one. */
const PREVIEW_MS = 5000;
const MAX_PREVIEWS = 5000;
/** When to retry while another request creates the checkout. */
const RETRY_SECONDS = 2;
/** Errors that also answer a forged token, or too many requests: they reveal nothing about the order. */
const SILENT_ERRORS = ['order_not_found', 'order_token_missing', 'too_many_requests'];
/** Share of the `order_id` range after which the log raises an alarm. */
const ORDER_ID_ALARM = 0.9;

/** Triggers reconciliation of a checkout that may have been paid. */
export interface PaymentHints {
  /** A page asks for it, as anyone may. */
  ask(checkout: Checkout): void;
}

export interface CheckoutServiceOptions {
  readonly merchants: MerchantSource;
  readonly database: Database;
  readonly encryption: DataEncryption;
  readonly context: StepContext;
  readonly gateway: PartnerGateway;
  readonly lookUpOrder: OrderLookup;
  readonly reconciliation: PaymentHints;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly addresses: PublicAddresses;
  readonly maxOrderId: number;
  /** How long a request waits for another one that creates a checkout of the same order. */
  readonly ownerWaitSeconds: number;
  readonly observer: Pick<Observer, 'checkoutRequested'>;
  /** Whether a backup was put in place, so that sessions may be missing from the store. */
  readonly hasLostAttempts: boolean;
  /** Test hook, called after each step at which a drill kills the server. */
  readonly onStep?: ((step: string) => void) | undefined;
}

export type CreateResult =
  | {
      readonly kind: 'opened';
      readonly merchant: Merchant;
      readonly checkout: Checkout;
      /** Absent when nothing is to be paid now. */
      readonly sessionId?: string;
      /** Whether this request created its session. */
      readonly isNew?: true;
      readonly lineItems?: readonly LineItem[] | undefined;
    }
  | { readonly kind: 'opening'; readonly retryAfterSeconds: number }
  /** House number and postcode are required by the merchant entry, and not known. */
  | {
      readonly kind: 'needs-avs';
      readonly merchant: Merchant;
      readonly amountMinor: number;
      readonly lineItems?: readonly LineItem[] | undefined;
    };

/** What an order costs, in minor units, and what is known of it. */
export interface Preview {
  readonly amountMinor: number;
  readonly lineItems?: readonly LineItem[] | undefined;
  /** The current checkout of the order; undefined while there is none at this price. */
  readonly checkout?: Checkout | undefined;
}

type ShownPrice = Pick<Preview, 'amountMinor' | 'lineItems'>;

/** What a page asks, with the id of its request. */
type IdentifiedRequest = CreateCheckoutRequest & { readonly requestId: string };

type SendResult =
  | { readonly kind: 'active'; readonly sessionId: string }
  /** A session exists that must not be shown. */
  | { readonly kind: 'superseded' }
  | { readonly kind: 'failed'; readonly isFinal: boolean; readonly error: AppError };

/** A priced order: what is computed before anything is stored. */
interface PricedOrder {
  readonly merchant: Merchant;
  readonly order: ShopOrder;
  readonly avs: AvsFields;
  readonly split: readonly SplitShare[];
  readonly request: AttemptRequest;
}

/** Creates checkouts, and takes the hints that pages give about them. */
export class CheckoutService {
  readonly #options: CheckoutServiceOptions;
  /** Of orders, for previews. */
  readonly #prices: LRUCache<string, ShownPrice>;

  constructor(options: CheckoutServiceOptions) {
    this.#options = options;
    const perf = options.clock;
    this.#prices = new LRUCache({ max: MAX_PREVIEWS, ttl: PREVIEW_MS, ttlResolution: 0, perf });
  }

  /** Finds the merchant, or refuses. @throws {AppError} 404 `unknown_merchant` */
  async merchant(id: string): Promise<Merchant> {
    const merchant = await this.#options.merchants.find(id);
    if (!merchant) {
      throw new AppError(
        404,
        'unknown_merchant',
        'No such merchant. Check the merchant attribute.',
      );
    }
    return merchant;
  }

  /**
   * Creates a checkout for an order, or returns the open one. However many requests arrive at the same
   * time, only one session is active.
   *
   * @param checkLimits called once the order token is known to be good, before anything is done
   */
  async create(
    merchant: Merchant,
    request: IdentifiedRequest,
    checkLimits: () => Promise<void>,
  ): Promise<CreateResult> {
    const { observer } = this.#options;
    try {
      const result = await this.#create(merchant, request, checkLimits);
      observer.checkoutRequested(result.kind);
      return result;
    } catch (error) {
      observer.checkoutRequested(error instanceof AppError ? error.code : 'internal_error');
      throw await this.#sayWhetherUnpaid(error, merchant, request.order);
    }
  }

  /**
   * What an order costs, and what is known of it. Stores nothing, and asks the provider nothing.
   *
   * @param checkLimits called once the order token is known to be good
   * @throws {AppError} as `create()`, and 409 for an order that its shop says is paid or void
   */
  async preview(
    merchant: Merchant,
    request: CreateCheckoutRequest,
    checkLimits: () => Promise<void>,
  ): Promise<Preview> {
    try {
      this.#checkToken(merchant, request);
      await checkLimits();
      const { lineItems, ...preview } = await this.#preview(merchant, request.order);
      return { ...preview, lineItems: linesFor(request, lineItems) };
    } catch (error) {
      throw await this.#sayWhetherUnpaid(error, merchant, request.order);
    }
  }

  async #preview(merchant: Merchant, order: string): Promise<Preview> {
    const { database, reconciliation } = this.#options;
    const stored = await findOrder(database, { merchant: merchant.id, order });
    const current =
      stored &&
      (await findCurrentCheckout(
        database,
        stored,
        await findCheckoutsOfOrder(database, merchant.id, order),
      ));
    if (current && (current.state === 'paid' || isPaymentPending(current))) {
      reconciliation.ask(current);
      return { amountMinor: current.amountMinor, checkout: current };
    }
    if (merchant.disabled) throw merchantDisabled();
    const { amountMinor, lineItems } = await this.#findPrice(merchant, order);
    const checkout = current?.amountMinor === amountMinor ? current : undefined;
    return { amountMinor, lineItems, checkout };
  }

  /** Where the shop is asked, as it was up to {@link PREVIEW_MS} ago. */
  async #findPrice(merchant: Merchant, name: string): Promise<ShownPrice> {
    const key = `${merchant.id}\n${name}`;
    const known = merchant.orderLookup && this.#prices.get(key);
    if (known !== undefined) return known;
    const order = await this.#options.lookUpOrder(merchant, name);
    if (!order) throw orderNotFound();
    if (order.status !== 'payable') throw orderClosed(order);
    const price = { amountMinor: priceOf(order, merchant), lineItems: order.lineItems };
    checkLines(order, price.amountMinor, merchant);
    this.#prices.set(key, price);
    return price;
  }

  /**
   * An error may reach a shopper who has paid, so it says where that cannot be: no page was ever given a
   * session of the order. An error that also answers a forged token says nothing.
   */
  async #sayWhetherUnpaid(error: unknown, merchant: Merchant, order: string): Promise<unknown> {
    const { database, hasLostAttempts } = this.#options;
    if (!(error instanceof AppError) || hasLostAttempts) return error;
    if (SILENT_ERRORS.includes(error.code)) return error;
    try {
      error.unpaid = !(await hasSession(database, merchant.id, order));
    } catch {
      // The store is unavailable, so this is unknown.
    }
    return error;
  }

  async #create(
    merchant: Merchant,
    request: IdentifiedRequest,
    checkLimits: () => Promise<void>,
  ): Promise<CreateResult> {
    this.#checkToken(merchant, request);
    await checkLimits();
    if (merchant.disabled) {
      return this.#showPaid(merchant, request.order, merchantDisabled());
    }
    for (let lookups = 0; lookups < MAX_LOOKUPS; lookups += 1) {
      const priced = await this.#price(merchant, request, lookups > 0);
      if ('kind' in priced) return priced;
      const result = await this.#open(priced);
      if (result) return withLines(result, priced, request);
    }
    return { kind: 'opening', retryAfterSeconds: RETRY_SECONDS };
  }

  /** Asks the shop; answers the request where the order cannot be paid, or its address is missing. */
  async #price(
    merchant: Merchant,
    request: IdentifiedRequest,
    hasNewerPrice: boolean,
  ): Promise<PricedOrder | CreateResult> {
    const { database, lookUpOrder, encryption, onStep } = this.#options;
    // As if nothing were active, until something at another price turns out to be: then the shop is asked again.
    const active =
      hasNewerPrice && merchant.orderLookup
        ? await findActiveAttempt(database, merchant.id, request.order)
        : undefined;
    const pricedAfter = merchant.orderLookup && (active?.activeSince ?? 0);
    const order = await lookUpOrder(merchant, request.order);
    onStep?.('shop:order-priced');
    if (!order) throw orderNotFound();
    const amountMinor = priceOf(order, merchant);
    if (order.status !== 'payable') {
      return this.#showPaid(merchant, order.order, orderClosed(order));
    }
    checkLines(order, amountMinor, merchant);
    const avs = toAvsFields(order, request.avs);
    const wanted = {
      ...attemptRequest(merchant, order, amountMinor, request),
      pricedAfter,
      // Of a stored order it is known.
      emailDigest: order.isStored ? undefined : emailDigestOf(order, encryption),
    };
    if (await needsAddress(merchant, avs, wanted, database)) {
      const lineItems = linesFor(request, order.lineItems);
      return { kind: 'needs-avs', merchant, amountMinor, lineItems };
    }
    const rules = splitRulesOf(merchant, order);
    const { decimals, splitValueType } = merchant;
    const split = splitAmount(amountMinor, decimals, rules, splitValueType);
    return { merchant, order, avs, split, request: wanted };
  }

  /** Undefined when the order was opened at another price after this one was asked for. */
  async #open(priced: PricedOrder): Promise<CreateResult | undefined> {
    const until = this.#options.clock.now() + this.#options.ownerWaitSeconds * 1000;
    let failures = 0;
    let claim = await this.#claimAttempt(priced, until);
    while (claim.kind === 'send') {
      const sent = await this.#openSession(priced, claim);
      if (sent.kind === 'active') {
        return { ...opened(priced.merchant, claim.checkout, sent.sessionId), isNew: true };
      }
      if (sent.kind === 'failed') {
        failures += 1;
        if (failures >= MAX_ATTEMPTS || sent.isFinal) throw sent.error;
      }
      // Another attempt took over, the order has been paid since, or the answer was lost.
      claim = await this.#claimAttempt(priced, until);
    }
    return this.#showClaimed(priced.merchant, claim);
  }

  /**
   * Takes a hint of the page: it triggers a poll. Only `cancelled` moves a state, and only from a
   * page that has the session, while nothing is submitted in it. What was submitted is stored.
   */
  async takeHint(checkout: string, hint: HintRequest): Promise<Checkout> {
    const { database, context, changes } = this.#options;
    const known = await findCheckout(database, checkout);
    if (!known) throw checkoutNotFound();
    const { before, after } = await database.transaction('hint:record', (tx) =>
      recordHint(tx, known, hint, context),
    );
    if (after !== before) changes.notify(checkout);
    this.#options.reconciliation.ask(after);
    return after;
  }

  #checkToken(merchant: Merchant, request: CreateCheckoutRequest): void {
    if (request.orderToken === undefined) {
      if (merchant.openBy === 'order') return;
      throw new AppError(
        401,
        'order_token_missing',
        'Orders of this merchant need an order token. Set order-token, as the shop’s back end makes it.',
      );
    }
    const tokenCheck = checkOrderToken(
      request.orderToken,
      { merchant: merchant.id, order: request.order },
      merchant.orderTokenSecret,
      this.#options.clock.now(),
    );
    if (tokenCheck === 'forged') throw orderNotFound();
    if (tokenCheck === 'expired') {
      throw new AppError(
        401,
        'order_token_expired',
        'The order token has expired. Give the tag a new one.',
      );
    }
  }

  /** Of an order that cannot be opened: what we know to be paid is shown, the rest is refused. */
  async #showPaid(merchant: Merchant, order: string, refusal: AppError): Promise<CreateResult> {
    const checkouts = await findCheckoutsOfOrder(this.#options.database, merchant.id, order);
    const paid = checkouts.find(({ state }) => state === 'paid');
    if (paid) return { kind: 'opened', merchant, checkout: paid };
    throw refusal;
  }

  /** Waits while another request is at the provider with an attempt of the order. */
  async #claimAttempt({ request }: PricedOrder, until: number): Promise<AttemptDecision> {
    const { database, context, changes, clock, onStep } = this.#options;
    for (;;) {
      const decision = await database.transaction('create:begin-attempt', (tx) =>
        beginAttempt(tx, request, context),
      );
      const left = until - clock.now();
      if (decision.kind !== 'wait' || left <= 0) return decision;
      onStep?.('create:waiting');
      await changes.wait([decision.checkout.id], Math.min(left, OWNER_POLL_MS));
    }
  }

  async #openSession(
    priced: PricedOrder,
    { checkout, attempt, tokens }: Extract<AttemptDecision, { kind: 'send' }>,
  ): Promise<SendResult> {
    const { database, gateway, addresses, changes, clock, onStep } = this.#options;
    this.#raiseOrderIdAlarm(attempt.orderId);
    const fields = toSessionFields({ ...priced, checkout, attempt, tokens, addresses });
    const result = await gateway.createSession(
      attempt.account,
      fields,
      priced.merchant.extraFields,
    );
    onStep?.('provider:session-created');
    if (result.kind === 'created') {
      const { sessionId } = result;
      const isActive = await activateSession(database, attempt, sessionId, clock.now());
      changes.notify(checkout.id);
      return isActive ? { kind: 'active', sessionId } : { kind: 'superseded' };
    }
    const { status, requestId } = isPartnerApiError(result.cause) ? result.cause : {};
    const answer = { result: result.kind, status, providerRequestId: requestId };
    await markSendFailed(database, attempt, answer, clock.now());
    changes.notify(checkout.id);
    this.#logFailure(priced.request, attempt, result);
    const error = createSessionError(checkout.merchant, result);
    return { kind: 'failed', isFinal: result.kind === 'refused', error };
  }

  /** The answer where no session is to be created; undefined when the price is old. */
  #showClaimed(
    merchant: Merchant,
    claim: Exclude<AttemptDecision, { kind: 'send' }>,
  ): CreateResult | undefined {
    const { reconciliation } = this.#options;
    switch (claim.kind) {
      case 'price-is-old':
        return undefined;
      case 'wait':
        return { kind: 'opening', retryAfterSeconds: RETRY_SECONDS };
      case 'existing':
        return opened(merchant, claim.checkout, claim.attempt.sessionId);
      case 'submitted':
        reconciliation.ask(claim.checkout);
        return opened(merchant, claim.checkout, claim.attempt?.sessionId);
      case 'settled':
        reconciliation.ask(claim.checkout);
        return opened(merchant, claim.checkout, undefined);
      case 'payment-pending':
        reconciliation.ask(claim.checkout);
        return { kind: 'opening', retryAfterSeconds: claim.retryAfterSeconds };
      case 'too-many-renewals':
        throw new AppError(
          429,
          'too_many_renewals',
          'This order was renewed too often. Wait before asking for another session.',
          { retryAfterSeconds: claim.retryAfterSeconds },
        );
    }
  }

  #raiseOrderIdAlarm(orderId: number): void {
    const { maxOrderId, logger } = this.#options;
    if (orderId > maxOrderId * ORDER_ID_ALARM) {
      logger.error(
        { orderId, maxOrderId },
        'order_id is near its maximum; raise it or start again with a new file',
      );
    }
  }

  #logFailure(
    { requestId, order }: AttemptRequest,
    { merchant, account, checkout, orderId }: Attempt,
    result: Exclude<SessionResult, { kind: 'created' }>,
  ): void {
    this.#options.logger.warn(
      {
        ...{ requestId, merchant, order, checkout, account, orderId, outcome: result.kind },
        ...describeError(result.cause),
      },
      'create-session gave no session',
    );
  }
}

function orderClosed({ status }: ShopOrder): AppError {
  return status === 'void'
    ? new AppError(409, 'order_void', 'The shop says that this order is no longer for sale.')
    : orderAlreadyPaid('The shop says that this order is paid.');
}

function orderAlreadyPaid(message: string): AppError {
  return new AppError(409, 'order_already_paid', message);
}

function opened(
  merchant: Merchant,
  checkout: Checkout,
  sessionId: string | undefined,
): Extract<CreateResult, { kind: 'opened' }> {
  return sessionId === undefined
    ? { kind: 'opened', merchant, checkout }
    : { kind: 'opened', merchant, checkout, sessionId };
}

/** Names of orders can be guessed: what is in one is shown with its token only. */
function linesFor(
  { orderToken }: CreateCheckoutRequest,
  lineItems: readonly LineItem[] | undefined,
): readonly LineItem[] | undefined {
  return orderToken === undefined ? undefined : lineItems;
}

/** The checkout may be one at another price, which may be being paid: these lines are not its own. */
function withLines(
  result: CreateResult,
  { order, request: { amountMinor } }: PricedOrder,
  request: CreateCheckoutRequest,
): CreateResult {
  if (result.kind !== 'opened' || result.checkout.amountMinor !== amountMinor) return result;
  return { ...result, lineItems: linesFor(request, order.lineItems) };
}

function createSessionError(
  merchant: string,
  result: Exclude<SessionResult, { kind: 'created' }>,
): AppError {
  if (result.kind !== 'refused' || isBusy(result.cause)) return providerUnavailable(result.cause);
  return new AppError(
    502,
    'provider_refused',
    'The payment provider refused to open this checkout. The shop has to check its settings.',
    { cause: result.cause, merchant },
  );
}

/** Transient statuses: timed out, too early, too many requests. */
const BUSY_STATUSES = [408, 425, 429];

/** A shopper waits no longer than this, whatever the provider asks for. */
const MAX_RETRY_AFTER_SECONDS = 300;

/** Whether this is a transient rejection, which a retry may get past. */
function isBusy(cause: unknown): boolean {
  return isPartnerApiError(cause) && BUSY_STATUSES.includes(cause.status ?? 0);
}

function providerUnavailable(cause: unknown): AppError {
  const asked = isPartnerApiError(cause) ? cause.retryAfterSeconds : undefined;
  return new AppError(
    503,
    'provider_unavailable',
    'The payment provider cannot be reached at the moment. Try again shortly.',
    { cause, retryAfterSeconds: Math.min(asked ?? 5, MAX_RETRY_AFTER_SECONDS) },
  );
}
