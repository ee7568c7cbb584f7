import { randomBytes } from 'node:crypto';
import type { CheckoutSession } from './checkout-session.js';
import type { Merchant } from './merchant.js';
import type { CreateSessionRequest } from './resources/create-session-request.js';
import type { TransactionRow } from './resources/transaction-row.js';

/** A transaction with what the list needs to know about it. */
export interface StoredTransaction {
  /** Counts up in the order of arrival; breaks ties of `transactionTime`. */
  readonly sequence: number;
  /** `transactionTime` in milliseconds. */
  readonly time: number;
  row: TransactionRow;
  /** From this moment on (sandbox time, milliseconds) the list shows it. */
  visibleAt: number;
}

/** Everything the sandbox remembers, in memory: sessions and transactions. */
export class SandboxStore {
  #sessions = new Map<string, CheckoutSession>();
  #transactions: StoredTransaction[] = [];
  #sequence = 0;

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

  /** Adds a transaction at its place: newest first, and of two with one time the later arrival first. */
  addTransaction(row: TransactionRow, visibleAt: number): StoredTransaction {
    this.#sequence += 1;
    const time = Date.parse(row.transactionTime);
    const stored: StoredTransaction = { sequence: this.#sequence, time, row, visibleAt };
    const index = this.#transactions.findIndex((other) => other.time <= time);
    this.#transactions.splice(index === -1 ? this.#transactions.length : index, 0, stored);
    return stored;
  }

  findTransaction(id: string): StoredTransaction | undefined {
    return this.#transactions.find(({ row }) => row.id === id);
  }

  /** Newest first (spec 4.1, rule 2), the invisible ones too. */
  transactions(): readonly StoredTransaction[] {
    return this.#transactions;
  }

  clear(): void {
    this.#sessions.clear();
    this.#transactions = [];
  }
}
