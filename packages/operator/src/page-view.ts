/** What the operator's page reads, in types that it shares with the server. Times are ms since 1970. */
import type {
  AttentionCode,
  Figures,
  LogEntry,
  OrderState,
  OrderTotals,
  RemovedMonth,
  Role,
  ServerMetrics,
  ServerState,
} from '@pay-checkout/session-server/internals';

export interface SessionView {
  readonly actor: string;
  readonly role: Role;
  readonly expiresAt: number;
  readonly environment: string;
  /** Then there is nothing to sign out of here. */
  readonly isNamedByProxy: boolean;
  /** A partner console that shows transactions of the provider. */
  readonly consoleUrl?: string | undefined;
}

/** What waits of a merchant, of the 10,000 that wait at all. */
export interface MerchantView {
  readonly merchant: string;
  readonly attention: number;
  readonly deadLettered: number;
  readonly waitingEvents: number;
  readonly watchedAttempts: number;
}

export interface HealthView {
  /** The one that has answered first. */
  readonly servers: readonly ServerState[];
  /** Of each operation, that this server has made since it started. */
  readonly providerCalls: Awaited<ReturnType<ServerMetrics['providerCalls']>>;
  /** Those with the most that needs a person come first. */
  readonly busyMerchants: readonly MerchantView[];
  readonly isWritable: boolean;
  readonly merchants: { readonly all: number; readonly disabled: number };
  /** How many items wait, and how long the oldest has waited. Counts stop at 10,000. */
  readonly backlog: Awaited<ReturnType<Figures['backlog']>>;
}

/** Where an order was found, and by what. */
export interface FoundOrder {
  readonly merchant: string;
  readonly order: string;
  readonly state: string;
  readonly createdAt: number;
  readonly by:
    | 'order'
    | 'reference'
    | 'checkout'
    | 'transaction'
    | 'session'
    | 'request'
    | 'event'
    | 'card'
    | 'email'
    | 'amount';
}

export interface SearchView {
  readonly orders: readonly FoundOrder[];
  readonly more: boolean;
  /** Those whose id or name begins like this. */
  readonly merchants: readonly { readonly merchant: string; readonly name: string }[];
}

/** An order in a list. */
export interface OrderRow {
  readonly merchant: string;
  readonly order: string;
  readonly state: OrderState;
  /** Decimal text. */
  readonly amount: string;
  readonly currency: string;
  readonly amountRefunded: string;
  readonly attention: readonly string[];
  readonly createdAt: number;
}

export interface OrderListView extends PageOf<OrderRow> {
  /** What the orders of the filter come to: with the first page of a list. */
  readonly totals?: OrderTotals;
  /** The orders that are no longer stored: with the first page of a list without a filter, if there are any. */
  readonly removed?: readonly RemovedMonth[];
  /** Whether a search has found more than it shows. */
  readonly more?: boolean;
}

export interface CheckoutView {
  readonly id: string;
  /** Of the request that created it: its log lines, spans and events have it. */
  readonly requestId?: string | undefined;
  readonly state: string;
  /** Decimal text, and its currency. */
  readonly amount: string;
  readonly currency: string;
  readonly refund: string;
  readonly amountRefunded: string;
  readonly attention: readonly AttentionCode[];
  /** That no operator has resolved. */
  readonly openAttention: readonly AttentionCode[];
  readonly paidBy?: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly settleBy?: number | undefined;
}

export interface AttemptView {
  readonly orderId: number;
  readonly reference: string;
  readonly checkout: string;
  readonly account: string;
  readonly providerMerchantId: number;
  readonly status: string;
  readonly createdAt: number;
  /** Of the request that asked for it, where that did not create its checkout. */
  readonly requestId?: string | undefined;
  /** Scheduled polls since `watchedFrom`, and the next one. */
  readonly polls: number;
  readonly watchedFrom: number;
  readonly nextPollAt?: number | undefined;
}

export interface EventView {
  readonly id: string;
  readonly type: string;
  readonly checkout: string;
  readonly status: string;
  readonly tries: number;
  readonly dueAt?: number | undefined;
  readonly createdAt: number;
}

export const ACTIONS = [
  'poll',
  'redeliver',
  'resolve',
  'void',
  'note',
  'rotate',
  'retire',
] as const;
export type Action = (typeof ACTIONS)[number];

/** What an operator did. */
export interface AuditView {
  readonly id: number;
  readonly at: number;
  readonly actor: string;
  readonly action: Action;
  readonly merchant?: string | undefined;
  readonly order?: string | undefined;
  readonly target?: string | undefined;
  readonly note?: string | undefined;
}

/** One thing that happened to an order. */
export type TimelineEntry = { readonly at: number } & (
  | LogEntry
  | {
      readonly kind: 'checkout';
      readonly checkout: string;
      readonly detail: { readonly price: string; readonly requestId?: string | undefined };
    }
  | {
      readonly kind: 'request';
      readonly checkout: string;
      readonly subject: string;
      readonly detail: { readonly reference: string; readonly requestId?: string | undefined };
    }
  | {
      readonly kind: 'webhook';
      readonly subject: string;
      readonly detail: { readonly status: string; readonly flags: readonly string[] };
    }
  | {
      readonly kind: 'transaction';
      readonly checkout: string;
      readonly subject: string;
      readonly detail: {
        readonly status: string;
        readonly amount: string;
        readonly currency: string;
        readonly transactionTime: string;
        readonly provesPrice: boolean;
      };
    }
  | {
      readonly kind: 'event';
      readonly checkout: string;
      readonly subject: string;
      readonly detail: { readonly type: string };
    }
  | { readonly kind: 'audit'; readonly detail: AuditView }
);

export interface OrderView {
  readonly merchant: string;
  readonly order: string;
  readonly state: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly erasedAt?: number | undefined;
  /** When its attempts, events and unpaid checkouts were removed. */
  readonly removedAt?: number | undefined;
  /** As the shop put it; undefined where the shop is asked. */
  readonly price?: string | undefined;
  /** Whether it can be made void here. */
  readonly canVoid: boolean;
  /** How long the steps of an order are kept. */
  readonly keepDays: number;
  readonly checkouts: readonly CheckoutView[];
  readonly attempts: readonly AttemptView[];
  readonly events: readonly EventView[];
  /** Newest first. */
  readonly entries: readonly TimelineEntry[];
}

/** The queues, by the name in their address. */
export const QUEUES = [
  'attention',
  'unconfirmed',
  'price-changed',
  'paid-twice',
  'dead-letters',
  'unmatched-webhooks',
] as const;

export type Queue = (typeof QUEUES)[number];

/** How many wait in each queue. Counts stop at 10,000. */
export type QueueCounts = Readonly<Record<Queue, number>>;

export interface QueueItem {
  readonly id: string;
  readonly at: number;
  readonly merchants: readonly string[];
  readonly order?: string | undefined;
  readonly checkout?: string | undefined;
  readonly state?: string | undefined;
  readonly attention?: readonly AttentionCode[] | undefined;
  /** Of an event. */
  readonly type?: string | undefined;
  /** The newest one about its order. */
  readonly note?: NoteView | undefined;
}

/** A note of an operator, for whom it may be. */
export interface NoteView {
  readonly actor: string;
  readonly at: number;
  readonly note?: string | undefined;
  /** The person whom the order was handed to. */
  readonly target?: string | undefined;
}

/** A page of a list, newest first; `next` is the cursor of the page after it. */
export interface PageOf<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

export interface QueueView extends PageOf<QueueItem> {
  readonly queue: Queue;
  readonly counts: QueueCounts;
}
