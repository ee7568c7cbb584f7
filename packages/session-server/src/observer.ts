import type { Checkout } from './checkouts/state-machine.js';

/** One request that was answered, or that its client gave up. */
export interface AnsweredRequest {
  readonly method: string;
  /** Template of the route, such as `/v1/return/{token}`: never the path itself. */
  readonly route: string;
  /** Status of the answer, or `gone` when the client left before it. */
  readonly status: string;
  readonly seconds: number;
}

/** One call to the provider. */
export interface ProviderCall {
  readonly operation: 'create_session' | 'list_transactions';
  readonly account: string;
  readonly outcome: string;
  readonly seconds: number;
}

/** One poll of a list of transactions. */
export interface TransactionPoll {
  readonly account: string;
  /** When it requested the newest page, in milliseconds since 1970, if it read all that it was asked for. */
  readonly completeAt: number | undefined;
  readonly pages: number;
  /** Pages that did not say how to request the rest of the list. */
  readonly incompletePages: number;
  /** Rows that were no objects, counted at each poll that met them. */
  readonly unreadableRows: number;
  readonly seconds: number;
  readonly isOk: boolean;
}

/** Rows of an account's list that prove nothing. */
export interface IgnoredRows {
  /** Of merchants that are not in the merchants file. */
  readonly unknownMerchant: number;
  /** Without `merchantId`: they count only by a whole `MerchantReference`. */
  readonly noMerchant: number;
  /** About an order, and an error kept them from being stored. */
  readonly notStored: number;
}

/**
 * What was found out about a webhook.
 *
 * `verified`, `signature_refused`: under the configured scheme. `contradicts`: the body names
 * another attempt than the token, or several. `unreadable`: no key opens it any more.
 */
export type WebhookFlag = 'verified' | 'signature_refused' | 'contradicts' | 'unreadable';

/**
 * Is notified of what the server does. It gets kinds and numbers only, and checkouts, of which it may
 * count states and codes. It is quick and never throws.
 */
export interface Observer {
  requestAnswered(request: AnsweredRequest): void;
  /** A `POST /v1/checkouts` ended: how, or with which error code. */
  checkoutRequested(result: string): void;
  /** `before` is undefined when the checkout is new. */
  checkoutChanged(before: Checkout | undefined, after: Checkout): void;
  providerCalled(call: ProviderCall): void;
  polled(poll: TransactionPoll): void;
  /** Rows of a list, counted at each poll that met them. */
  rowsIgnored(rows: Partial<IgnoredRows>): void;
  /** Rows named this many numbers in our range of `order_id` that no attempt has. */
  unknownOrderIdsSeen(count: number): void;
  webhookReceived(result: 'stored' | 'test' | 'refused'): void;
  webhookProcessed(
    result: 'processed' | 'unmatched' | 'repeated',
    flags: readonly WebhookFlag[],
  ): void;
  deliveryAttempted(result: 'acknowledged' | 'refused' | 'silent'): void;
  /** The store was read outside a transaction, or a transaction ended, with all of its runs. */
  storeUsed(operation: 'read' | 'transaction', seconds: number): void;
  /** A transaction runs again: it met another one, or its connection was lost. */
  transactionRetried(reason: 'collision' | 'connection'): void;
}

const ignore = (): void => undefined;

/** Ignores everything: for a server without metrics. */
export const SILENT_OBSERVER: Observer = {
  requestAnswered: ignore,
  checkoutRequested: ignore,
  checkoutChanged: ignore,
  providerCalled: ignore,
  polled: ignore,
  rowsIgnored: ignore,
  unknownOrderIdsSeen: ignore,
  webhookReceived: ignore,
  webhookProcessed: ignore,
  deliveryAttempted: ignore,
  storeUsed: ignore,
  transactionRetried: ignore,
};
