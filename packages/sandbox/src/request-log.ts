import type { Operation } from './operation.js';

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
  /** Whether the `api_key` header was sent at all (spec 5.2: not on the transfers read). */
  sentKey: boolean;
  /** How the body was framed, and how long it said to be. A GET body must say its length. */
  framing: 'none' | 'length' | 'chunked';
  bodyBytes?: number;
}

const MAXIMUM_ENTRIES = 10_000;

/** What was asked of the API, oldest first; the oldest entries go when there are too many. */
export class RequestLog {
  #entries: LoggedRequest[] = [];
  #count = 0;

  add(call: Pick<LoggedRequest, 'operation' | 'at' | 'sentKey' | 'framing'>): LoggedRequest {
    this.#count += 1;
    const entry: LoggedRequest = { number: this.#count, state: 'pending', ...call };
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
