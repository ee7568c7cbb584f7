import type { Checkout } from './checkouts/state-machine.js';
import type { WebhookFlag } from './webhooks/repository.js';

/** One request that was answered, or given up by who asked. */
export interface AnsweredRequest {
  readonly method: string;
  /** Template of the route, such as `/v1/return/{token}`: never the path itself. */
  readonly route: string;
  /** Status of the answer, or `gone` when the asker left before it. */
  readonly status: string;
  readonly seconds: number;
}

/** One call to the provider. */
export interface ProviderCall {
  readonly operation: 'create_session' | 'list_transactions';
  readonly outcome: string;
  readonly seconds: number;
}

/** One look at a merchant's transactions. */
export interface TransactionPoll {
  readonly pages: number;
  /** Rows that were no objects, counted at each look that met them. */
  readonly unreadableRows: number;
  readonly seconds: number;
  readonly isOk: boolean;
}

/**
 * Hears what the parts of the server do while they do it. It is told names of kinds and numbers
 * only, apart from checkouts, of which it may count states and codes. It is quick and never throws.
 */
export interface Observer {
  requestAnswered(request: AnsweredRequest): void;
  /** An opening came to an end: how, or with which error code. */
  opened(result: string): void;
  /** `before` is undefined when the checkout is new. */
  checkoutChanged(before: Checkout | undefined, after: Checkout): void;
  providerCalled(call: ProviderCall): void;
  polled(look: TransactionPoll): void;
  webhookReceived(result: 'stored' | 'test' | 'refused'): void;
  webhookProcessed(
    result: 'processed' | 'unmatched' | 'repeated',
    flags: readonly WebhookFlag[],
  ): void;
  eventAttempted(result: 'delivered' | 'refused' | 'silent'): void;
}

const ignore = (): void => undefined;

/** Hears nothing: for a server whose operator listens to no metrics. */
export const SILENT_OBSERVER: Observer = {
  requestAnswered: ignore,
  opened: ignore,
  checkoutChanged: ignore,
  providerCalled: ignore,
  polled: ignore,
  webhookReceived: ignore,
  webhookProcessed: ignore,
  eventAttempted: ignore,
};
