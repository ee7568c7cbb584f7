import type { Merchant } from './merchant.js';
import type { CreateSessionRequest } from './resources/create-session-request.js';

/** One checkout session of spec 2.4 and what has become of it. */
export interface CheckoutSession {
  /** `session_id`: 128 random bits in hex. */
  readonly id: string;
  /** Milliseconds in the sandbox's time. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly merchant: Merchant;
  readonly request: CreateSessionRequest;
  state: 'open' | 'paid' | 'expired';
  /** Set while a card waits for its 3-D Secure code. */
  challenge?: PayingCard;
  /** Why the last card did not pay, for the form that is shown again. */
  lastRefusal?: string;
  /** The transaction that paid it. */
  transactionId?: string;
  /** Whether the approved page goes to `RedirectUrl` by itself. */
  redirects: boolean;
}

/** All that is kept of a card: never the number, never the security code. */
export interface PayingCard {
  readonly last4Digits: string;
  readonly holder: string;
}
