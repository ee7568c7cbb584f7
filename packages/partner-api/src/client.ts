import { Caller } from './http/caller.js';
import {
  readClientOptions,
  type ClientSettings,
  type PartnerClientOptions,
} from './http/client-settings.js';
import type { DriftReport } from './http/drift.js';
import { Analytics } from './resources/analytics.js';
import { CheckoutSessions } from './resources/checkout-sessions.js';
import { Merchants } from './resources/merchants.js';
import { Reports } from './resources/reports.js';
import { ScheduledTransfers } from './resources/scheduled-transfers.js';
import { Transactions } from './resources/transactions.js';
import { Webhooks } from './resources/webhooks.js';

/**
 * The provider's partner API, one field a resource.
 *
 * Printing a client shows no key. A client keeps connections alive and is meant to be shared; idle
 * connections do not keep a process alive.
 *
 * @example
 * const client = new PartnerClient({ apiKey, baseUrl: 'https://api.example.com/payments' });
 * const page = await client.transactions.list({ fromDate: '2026-03-01', limit: 100 });
 */
export class PartnerClient {
  readonly transactions: Transactions;
  readonly reports: Reports;
  readonly merchants: Merchants;
  readonly scheduledTransfers: ScheduledTransfers;
  readonly analytics: Analytics;
  readonly checkoutSessions: CheckoutSessions;
  readonly webhooks: Webhooks;
  readonly #settings: ClientSettings;

  constructor(options: PartnerClientOptions) {
    this.#settings = readClientOptions(options);
    const caller = new Caller(this.#settings);
    this.transactions = new Transactions(caller);
    this.reports = new Reports(caller);
    this.merchants = new Merchants(caller);
    this.scheduledTransfers = new ScheduledTransfers(caller);
    this.analytics = new Analytics(caller);
    this.checkoutSessions = new CheckoutSessions(caller);
    this.webhooks = new Webhooks(caller);
  }

  /**
   * Where answers differed from the provider's document so far: fields that it does not list, and
   * fields of other types. Names and counts, never values.
   */
  driftReport(): DriftReport {
    return this.#settings.drift.report();
  }

  /** Ends running calls. Optional: idle connections close on their own. */
  close(): void {
    this.#settings.transport.close?.();
  }
}
