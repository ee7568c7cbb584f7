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
  /** `unknown`: there is nothing at this address. */
  readonly operation: Operation | 'unknown';
  readonly method: string;
  readonly path: string;
  /** `held`: waits until faults are released. `dropped`: the connection ended without an answer. */
  state: 'pending' | 'held' | 'answered' | 'dropped';
  /** HTTP status of the answer. */
  status?: number;
  /** Until the end of the answer. */
  milliseconds?: number;
  orderId?: number;
  merchantId?: number;
  sessionId?: string;
  /** The fault that was played. */
  fault?: string;
  /** Whether the `api_key` header was sent (spec 5.2: not on the transfers read). */
  readonly sentKey: boolean;
  /** How the body was framed. A GET body must state its length. */
  readonly framing: 'none' | 'length' | 'chunked';
  /** `Content-Length`, when it was sent. */
  readonly bodyBytes?: number;
}
