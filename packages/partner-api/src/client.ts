import { Caller } from './internal/caller.js';
import { readClientOptions, type PartnerClientOptions } from './internal/client-settings.js';
import type { Transport } from './internal/transport.js';
import { CheckoutSessions } from './resources/checkout-sessions.js';
import { Transactions } from './resources/transactions.js';

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
  readonly checkoutSessions: CheckoutSessions;
  readonly #transport: Transport;

  constructor(options: PartnerClientOptions) {
    const settings = readClientOptions(options);
    const caller = new Caller(settings);
    this.#transport = settings.transport;
    this.transactions = new Transactions(caller);
    this.checkoutSessions = new CheckoutSessions(caller);
  }

  /** Closes connections, running calls included. Optional: idle ones end by themselves. */
  close(): void {
    this.#transport.close?.();
  }
}
