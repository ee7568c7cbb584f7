/** The operations of the provider's API (spec 4.1 to 4.8), in that order. */
export const OPERATIONS = [
  'transactions-list',
  'update-schedule',
  'merchant-association',
  'scheduled-transfers',
  'partner-analytics',
  'create-session',
  'create-webhook',
  'test-webhook',
] as const;

export type Operation = (typeof OPERATIONS)[number];

/** One call of the API: what a test needs to count, without keys, names or addresses. */
export interface LoggedRequest {
  readonly number: number;
  /** ISO 8601 in the sandbox's time. */
  readonly at: string;
  readonly operation: Operation;
  /** `held`: waits until faults are released. `dropped`: the connection ended without an answer. */
  state: 'pending' | 'held' | 'answered' | 'dropped';
  /** HTTP status of the answer. */
  status?: number;
  orderId?: number;
  merchantId?: number;
  sessionId?: string;
  /** Whether the `api_key` header was sent (spec 5.2: not on the transfers read). */
  readonly sentKey: boolean;
  /** How the body was framed. A GET body must state its length. */
  readonly framing: 'none' | 'length' | 'chunked';
  /** `Content-Length`, when it was sent. */
  readonly bodyBytes?: number;
}

const MAX_ENTRIES = 10_000;

/** The latest calls of the API, oldest first. */
export class RequestLog {
  #entries: LoggedRequest[] = [];
  #count = 0;

  add(call: Omit<LoggedRequest, 'number' | 'state'>): LoggedRequest {
    this.#count += 1;
    const entry: LoggedRequest = { number: this.#count, state: 'pending', ...call };
    this.#entries.push(entry);
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
    return entry;
  }

  list(): readonly LoggedRequest[] {
    return this.#entries;
  }

  clear(): void {
    this.#entries = [];
  }
}
