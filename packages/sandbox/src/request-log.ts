/** The operations of the provider's API that the sandbox plays. */
export type Operation = 'create-session' | 'transactions-list';

/** One call of the API. It holds no key, name, e-mail or address, only what a test needs to count. */
export interface LoggedRequest {
  readonly number: number;
  /** ISO 8601 in the sandbox's time. */
  readonly at: string;
  readonly operation: Operation;
  /** `held`: waiting for the release of a fault. `dropped`: the connection ended without an answer. */
  state: 'pending' | 'held' | 'answered' | 'dropped';
  /** HTTP status of the answer. */
  status?: number;
  orderId?: number;
  merchantId?: number;
  sessionId?: string;
}

const MAXIMUM_ENTRIES = 10_000;

/** What was asked of the API, oldest first; the oldest entries go when there are too many. */
export class RequestLog {
  #entries: LoggedRequest[] = [];
  #count = 0;

  add(operation: Operation, at: string): LoggedRequest {
    this.#count += 1;
    const entry: LoggedRequest = { number: this.#count, at, operation, state: 'pending' };
    this.#entries.push(entry);
    if (this.#entries.length > MAXIMUM_ENTRIES) this.#entries.shift();
    return entry;
  }

  list(): readonly LoggedRequest[] {
    return this.#entries;
  }

  clear(): void {
    this.#entries = [];
  }
}
