import type { AttemptTokens, StoredToken } from './attempt-token.js';
import type { Checkout, CheckoutFact } from './state-machine.js';
import type { ReturnKind } from '../contract.js';
import type { OperatorStore } from '../operator/operator-store.js';
import type { OutboxRepository } from '../outbox/repository.js';
import type { RestoreStore } from '../restore/restore-store.js';
import type { WebhookRepository } from '../webhooks/repository.js';

/**
 * How far one `/create-session` got.
 *
 * `sending` → `exposed` (its session was stored, and may be shown), `unknown` (the answer was lost),
 * `refused`, `not_sent`; `exposed` → `superseded` (another session took its place; still watched).
 */
export type AttemptStatus =
  'sending' | 'exposed' | 'unknown' | 'refused' | 'not_sent' | 'superseded';

/** One `/create-session`: it has an `order_id` of its own, so that evidence names it alone. */
export interface Attempt {
  readonly orderId: number;
  readonly merchantReference: string;
  readonly checkout: string;
  readonly merchant: string;
  readonly order: string;
  readonly providerMerchantId: number;
  readonly status: AttemptStatus;
  readonly sessionId?: string | undefined;
  readonly createdAt: number;
}

export interface AttemptRequest {
  readonly merchant: string;
  readonly order: string;
  readonly orderVersion: string;
  readonly shopVersion?: string | undefined;
  readonly amountMinor: number;
  readonly currency: string;
  readonly decimals: number;
  readonly returnUrl?: string | undefined;
  readonly providerMerchantId: number;
  /** When its price was asked for; later than an opening at another price, it is the newer one. */
  readonly pricedAt?: number | undefined;
  /** The session that the SDK refused. */
  readonly renew?: string | undefined;
}

/** What to do about an opening: decided and stored in one step, however many ask at once. */
export type AttemptDecision =
  /** Nothing is to be paid now: paid, or money may be moving. */
  | { readonly kind: 'settled'; readonly checkout: Checkout }
  /** The session that is exposed already. */
  | { readonly kind: 'existing'; readonly checkout: Checkout; readonly attempt: Attempt }
  /** Somebody else is at the provider with it. */
  | { readonly kind: 'wait'; readonly checkout: Checkout }
  /** You are: send it, then `activateSession` or `endAttempt`. */
  | {
      readonly kind: 'send';
      readonly checkout: Checkout;
      readonly attempt: Attempt;
      readonly tokens: AttemptTokens;
    }
  /** A payment was sent off in the session that is exposed: no other is opened before it is known. */
  | {
      readonly kind: 'may-be-paying';
      readonly checkout: Checkout;
      readonly retryAfterSeconds: number;
    }
  /** The order was opened at another price after this one was asked for: ask for it again. */
  | { readonly kind: 'price-is-old' }
  /** The limit of renewals is reached. */
  | { readonly kind: 'too-many-renewals'; readonly retryAfterSeconds: number };

/** A transaction that was judged to pay an attempt. */
export interface PaymentEvidence {
  readonly transaction: string;
  readonly orderId: number;
  readonly status: string;
  /** Whether the row says money taken, or only money given back. */
  readonly isRefundRow: boolean;
  /** Whether the row of a payment may come after a row of its refund. Default true. */
  readonly joinsRefundRow?: boolean;
  readonly amount: string;
  readonly currency: string;
  readonly transactionTime: string;
  readonly refund: 'none' | 'partial' | 'full';
}

/** A transaction as it is kept: no names, no card digits. */
export interface StoredTransaction {
  readonly id: string;
  readonly orderId: number;
  readonly status: string;
  readonly amount: string;
  readonly currency: string;
  readonly transactionTime: string;
}

/** A change that was stored; `after` is `before` itself when nothing changed. */
export interface Change {
  readonly before: Checkout;
  readonly after: Checkout;
}

/** A hint that more follows from than a look. */
export interface SessionHint {
  readonly kind: 'cancelled' | 'submitted' | 'declined';
  readonly sessionId: string;
}

/** A checkout that should be polled up at the provider without anybody asking. */
export interface DuePoll {
  readonly orderId: number;
  readonly checkout: string;
  readonly merchant: string;
  readonly providerMerchantId: number;
  readonly createdAt: number;
  readonly looks: number;
}

/**
 * Everything the server must not forget.
 *
 * Each method is one atomic, durable step: when its promise resolves, the step survives a power
 * cut; when it rejects, nothing happened. Nothing here relies on one process only: a store over
 * PostgreSQL behind several replicas can keep the same promises. `checkout-store.contract.ts` is
 * the suite that every implementation passes.
 */
export interface CheckoutStore
  extends OutboxRepository, WebhookRepository, OperatorStore, RestoreStore {
  /**
   * Decides about an opening; see {@link AttemptDecision}. `send` alone need not survive a power cut
   * yet: nobody can pay a session before `activateSession` has resolved, which survives only with it.
   * What a power cut takes back gives its `order_id` to no other attempt.
   */
  beginAttempt(request: AttemptRequest): Promise<AttemptDecision>;
  /**
   * The provider answered: stores the session, and says whether it may be shown. False when the
   * lease had run out and another attempt took over, or when meanwhile the order was paid or somebody
   * came back from paying it: then nobody may ever see this session.
   */
  activateSession(orderId: number, sessionId: string): Promise<boolean>;
  /** The sending ended without a session. */
  endAttempt(orderId: number, status: 'unknown' | 'refused' | 'not_sent'): Promise<void>;

  find(checkout: string): Promise<Checkout | undefined>;
  findMany(checkouts: readonly string[]): Promise<Checkout[]>;
  /** Every checkout of an order, oldest first. */
  findOrder(merchant: string, order: string): Promise<Checkout[]>;
  /** Every attempt of a checkout, in the order in which they were made. */
  findAttempts(checkout: string): Promise<Attempt[]>;
  /** Attempts of one provider merchant whose `order_id` or `MerchantReference` is one of these. */
  findAttemptsByReference(
    providerMerchantId: number,
    references: readonly string[],
  ): Promise<Attempt[]>;
  findTransactions(checkout: string): Promise<StoredTransaction[]>;
  /** The checkout that a transaction serves, if it is evidence of one. */
  findServed(transaction: string): Promise<string | undefined>;

  /**
   * What a page tells of the session that it shows; of a session that is not exposed, it changes
   * nothing. `submitted` is remembered until `declined`.
   */
  recordHint(checkout: string, hint: SessionHint): Promise<Change>;
  /** Applies a fact, and stores the events that it causes in the same step. */
  apply(checkout: string, fact: CheckoutFact): Promise<Change>;
  /** Records evidence once: a transaction serves one checkout only, for ever. */
  recordPayment(evidence: PaymentEvidence): Promise<Change | undefined>;

  /** A visit to a return address; undefined when the token is unknown. */
  recordReturn(
    token: StoredToken,
  ): Promise<
    { readonly kind: ReturnKind; readonly attempt: Attempt; readonly change: Change } | undefined
  >;
  /** Lets the clock work on checkouts whose time has come; returns the changes. */
  applyTime(limit: number): Promise<Change[]>;
  /** Attempts due for a look that nobody waits for, and when to look next, in one step. */
  claimDuePolls(limit: number): Promise<DuePoll[]>;

  /** Writes something: rejects when the store cannot keep anything. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The limits a store keeps when it decides; the same for each implementation. */
export interface StoreRules {
  readonly expireAfterSeconds: number;
  readonly settleWindowSeconds: number;
  /** How long a sender may take before others think it is dead. */
  readonly sendLeaseSeconds: number;
  readonly renewalsPerHour: number;
  /** How long an unpaid attempt is watched, and a paid one for refunds. */
  readonly watchSeconds: number;
  readonly refundWatchSeconds: number;
  /** The largest `order_id` (spec 4.6 says integer; its range is not shown). */
  readonly maxOrderId: number;
}
