/** What the merchant's dashboard reads, in types that it shares with the server. Times are ms since 1970. */
import type { MerchantOrder, SecretKind } from '@pay-checkout/session-server/internals';
import type { PageOf } from '../page-view.js';

export interface DashboardSessionView {
  readonly merchant: string;
  readonly name: string;
  readonly actor: string;
  readonly expiresAt: number;
  readonly environment: string;
}

/** One try to deliver an event. */
export interface TryView {
  readonly at: number;
  readonly number: number;
  /** The status of the answer, or why there was none. */
  readonly answer: string;
  readonly isTaken: boolean;
}

export interface MerchantEventView {
  readonly id: string;
  readonly type: string;
  readonly order: string;
  readonly status: string;
  readonly createdAt: number;
  readonly dueAt?: number | undefined;
  /** Newest first, as long as the steps of an order are kept. */
  readonly tries: readonly TryView[];
  /** Whether it can be sent again: not while it is on its way. */
  readonly canSend: boolean;
}

export interface EventListView extends PageOf<MerchantEventView> {
  /** Undefined where the shop reads the feed. */
  readonly receiver?: string | undefined;
}

/** One thing that happened to an order, as its merchant understands it. */
export interface StoryEntry {
  readonly at: number;
  readonly text: string;
  /** How much it says: `hint` proves nothing. */
  readonly tone: '' | 'good' | 'bad' | 'hint';
}

export interface MerchantOrderView {
  readonly order: MerchantOrder;
  /** Newest first. */
  readonly story: readonly StoryEntry[];
  readonly events: readonly MerchantEventView[];
  readonly keepDays: number;
  /** Whether a link that pays it can be made here. */
  readonly canLink: boolean;
}

export interface PayLinkView {
  readonly payUrl: string;
  readonly expiresAt: number;
}

/** A value of a secret, by the beginning of its hash. */
export interface SecretView {
  readonly fingerprint: string;
  /** When this page first saw it. */
  readonly seenSince: number;
}

export interface SecretsView {
  readonly kind: SecretKind;
  readonly values: readonly SecretView[];
  /** Whether it can be changed here; otherwise the platform adds a line to the entry. */
  readonly canRotate: boolean;
}

/** A new value, which is shown once. */
export interface NewSecretView {
  readonly kind: SecretKind;
  readonly secret: string;
  /** What the platform adds to the entry where it cannot be changed here. */
  readonly line?: string | undefined;
}

export interface SetupView {
  readonly merchant: string;
  readonly name: string;
  readonly isDisabled: boolean;
  readonly server: string;
  readonly currency: string;
  readonly origins: readonly string[];
  readonly returnUrl: string;
  readonly receiver?: string | undefined;
  /** Where the shop is asked for an order. */
  readonly orderLookup?: string | undefined;
  /** The provider's script, where the shop's page loads it. */
  readonly sdk?: { readonly url: string; readonly integrity?: string | undefined } | undefined;
  readonly secrets: readonly SecretsView[];
}

/** What came of asking an address of the shop. */
export interface CheckView {
  readonly what: 'receiver' | 'return-page';
  readonly url: string;
  readonly isGood: boolean;
  readonly text: string;
}
