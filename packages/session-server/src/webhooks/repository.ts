import type { StoredToken } from '../checkouts/attempt-token.js';
import type { AttentionCode } from '../checkouts/state-machine.js';
import type { Attempt, Change, PaymentEvidence } from '../checkouts/repository.js';

/** A delivery as it is stored: nobody can read it without the platform's key. */
export interface IncomingWebhook {
  /** Hash of the token that it came to. */
  readonly tokenHash: string;
  /** Keyed hash of token and body, always of one length: by it a repetition is known. */
  readonly digest: string;
  /** Headers and body, encrypted. */
  readonly sealed: Uint8Array;
}

/** A delivery that somebody works on, under a lease. */
export interface ClaimedWebhook {
  readonly id: number;
  readonly tokenHash: string;
  readonly digest: string;
  readonly sealed: Uint8Array;
  /** The attempt that its token belongs to; undefined for the token of a registered endpoint. */
  readonly attempt: Attempt | undefined;
  readonly receivedAt: number;
  readonly claimedAt: number;
}

/**
 * What was found out about a delivery.
 *
 * `verified`, `signature_refused`: under the configured scheme. `contradicts`: the body names
 * another attempt than the token, or several. `unreadable`: no key opens it any more.
 */
export type WebhookFlag = 'verified' | 'signature_refused' | 'contradicts' | 'unreadable';

/** What a verified delivery proves, when the merchant entry says that it may. */
export type WebhookProof =
  | { readonly kind: 'payment'; readonly evidence: PaymentEvidence }
  | { readonly kind: 'failure'; readonly orderId: number }
  | { readonly kind: 'mismatch'; readonly orderId: number; readonly code: AttentionCode };

export interface WebhookOutcome {
  readonly flags: readonly WebhookFlag[];
  /** Attempts to look for soon, also when this process dies now. */
  readonly lookFor: readonly number[];
  readonly proof?: WebhookProof | undefined;
  /** Other digests under which the very same body may have been stored. */
  readonly otherDigests?: readonly string[];
}

/**
 * What became of a delivery: `repeated` when one with the same body to the same token was processed
 * before and counts for as much, so that this one only causes its look and is dropped. `gone` when it
 * was processed itself, or erased; nothing is done then.
 */
export interface CompletedWebhook {
  readonly became: 'processed' | 'repeated' | 'gone';
  /** Of a checkout, where the delivery proved something. */
  readonly change: Change | undefined;
}

/**
 * How much a delivery counts for. A repetition that counts for more than what came first is no
 * repetition: a forged body, or one whose key was not set yet, takes nothing from the real one.
 */
export function weigh(flags: readonly WebhookFlag[]): number {
  if (flags.some((flag) => flag !== 'verified')) return 0;
  return flags.includes('verified') ? 2 : 1;
}

/** How many deliveries that no attempt was found for are kept for one token. */
export interface UnmatchedLimits {
  readonly most: number;
}

export interface WebhookCounts {
  readonly waiting: number;
  readonly parked: number;
  readonly processed: number;
  /** With the flag of that name, whatever their state. */
  readonly flagged: Readonly<Record<WebhookFlag, number>>;
  /** Test deliveries of spec 4.8 since the file was made; they are not stored. */
  readonly tests: number;
}

/**
 * Deliveries of the provider, kept until they are worked on and for some time after.
 *
 * `waiting` → `processed`, or `parked` (no attempt was found for it) → `waiting` when an attempt
 * appears that it names; a repetition of what was processed is dropped. Each method is one atomic,
 * durable step.
 */
export interface WebhookRepository {
  /** The attempt whose `WebhookUrl` carries this token. */
  findWebhookAttempt(token: StoredToken): Promise<Pick<Attempt, 'orderId'> | undefined>;
  /**
   * Stores a delivery as it came, whether or not it came before; `orderId` when the token is an
   * attempt's. False, and nothing is stored, when more than `mostBytes` would then be kept for that
   * attempt (default: no limit).
   */
  recordWebhook(
    delivery: IncomingWebhook,
    orderId: number | undefined,
    mostBytes?: number,
  ): Promise<boolean>;
  /**
   * Takes deliveries to work on, in the order in which they came, repetitions too; after the lease
   * they count as left behind and come again.
   */
  claimWebhooks(limit: number, leaseSeconds: number): Promise<ClaimedWebhook[]>;
  /**
   * The work is done: plans the looks that the delivery asks for, applies what it proves unless it is
   * a repetition, and marks it processed, in one step.
   */
  completeWebhook(delivery: number, outcome: WebhookOutcome): Promise<CompletedWebhook>;
  /**
   * No attempt was found for it: waits until one appears that is called by one of the references.
   * Of each token's parked deliveries the oldest are dropped beyond the limit.
   */
  markUnmatched(
    delivery: Pick<ClaimedWebhook, 'id' | 'claimedAt'>,
    references: readonly string[],
    limits: UnmatchedLimits,
  ): Promise<void>;
  /** Looks at every parked delivery again: the settings may have changed. */
  retryUnmatched(): Promise<void>;
  /** When the next delivery is due, in milliseconds since 1970. */
  nextWebhookAt(): Promise<number | undefined>;
  /** Erases what came before a time, and what is parked since before another one; answers how many. */
  eraseWebhooks(before: {
    readonly receivedBefore: number;
    readonly parkedBefore: number;
    readonly limit: number;
  }): Promise<number>;
  /**
   * Leaves no copy of what was erased in the log that it was written through. Everything waits
   * meanwhile, for as long as the log is. False when somebody else is using the file just now.
   */
  purgeErased(): Promise<boolean>;
  countTestWebhook(): Promise<void>;
  countWebhooks(): Promise<WebhookCounts>;
}
