import { randomBytes } from 'node:crypto';
import type { CheckoutSession } from './checkout-session.js';
import type { Merchant } from './merchant.js';
import type { CreateSessionRequest } from './resources/create-session-request.js';

/** The checkout sessions of spec 2.4, in memory. */
export class SessionStore {
  #sessions = new Map<string, CheckoutSession>();

  addSession(
    merchant: Merchant,
    request: CreateSessionRequest,
    createdAt: number,
    lifetimeSeconds: number,
  ): CheckoutSession {
    const session: CheckoutSession = {
      id: randomBytes(16).toString('hex'),
      createdAt,
      expiresAt: createdAt + lifetimeSeconds * 1000,
      merchant,
      request,
      state: 'open',
      redirects: true,
    };
    this.#sessions.set(session.id, session);
    return session;
  }

  /** Finds a session; one that is open past its time is expired from then on. */
  findSession(id: string, now: number): CheckoutSession | undefined {
    const session = this.#sessions.get(id);
    if (session?.state === 'open' && now >= session.expiresAt) session.state = 'expired';
    return session;
  }

  sessions(): CheckoutSession[] {
    return [...this.#sessions.values()];
  }

  clear(): void {
    this.#sessions.clear();
  }
}
