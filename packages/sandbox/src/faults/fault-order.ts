import type { Operation } from '../operation.js';

/** Nothing is done; something in front of the provider answers, or nobody. */
const BEFORE_WORK = ['error', 'html', 'redirect', 'drop-before-work'] as const;

/** The work is done; the answer is late, cut, or packed. */
const AFTER_WORK = [
  'hold',
  'drop-after-commit',
  'no-content',
  'truncated-body',
  'stalled-body',
  'slow-body',
  'gzip',
] as const;

/** The work is done; the answer says something that no client has seen before. */
const CHANGED_REPLY = ['unknown-field', 'unknown-enum', 'wrong-type'] as const;

/** For one operation only. */
const LIST_ONLY = [
  'repeated-cursor',
  'empty-cursor',
  'missing-cursor',
  'empty-page',
  'huge-amount',
] as const;
const ANALYTICS_ONLY = ['success-false'] as const;

/** Every fault, for the control API. */
export const FAULT_KINDS = [
  ...BEFORE_WORK,
  ...AFTER_WORK,
  ...CHANGED_REPLY,
  ...LIST_ONLY,
  ...ANALYTICS_ONLY,
] as const;

/**
 * What goes wrong.
 * - `error`: nothing is done, the answer is `status`, with `Retry-After` in one of its two forms.
 * - `html`: nothing is done, a web page answers, as a gateway or a CDN does.
 * - `redirect`: nothing is done, the answer points to `location`.
 * - `drop-before-work`, `drop-after-commit`: the connection is cut, before or after the work.
 * - `hold`: the work is done, the answer waits until the faults are released.
 * - `no-content`: the work is done, the answer is 204.
 * - `truncated-body`: half of the body, then the connection is cut.
 * - `stalled-body`: half of the body, the rest when the faults are released.
 * - `slow-body`: the body in 16 pieces over `seconds`, cut anywhere, also inside a character.
 * - `gzip`: the body compressed, whatever was accepted.
 * - `unknown-field`, `unknown-enum`, `wrong-type`: further properties in every object; a new value in
 *   every state and method; numbers and booleans as strings.
 * - `repeated-cursor`: `nextCursor` is the cursor that was sent; `empty-cursor`: `""`;
 *   `missing-cursor`: none, although `hasMore`; `empty-page`: no rows, although `hasMore`, and the
 *   cursor leads to the same rows; `huge-amount`: more digits than a double holds.
 * - `success-false`: the analytics answer says that it failed.
 */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** An order to misbehave, given through the control API. */
export interface FaultOrder {
  readonly operation: Operation;
  readonly fault: FaultKind;
  /** Status of `error` (default 500), `html` (default 502) or `redirect` (default 302). */
  readonly status?: number | undefined;
  /** `Retry-After` of an `error`. Default 1 for 429 and 503, else none. */
  readonly retryAfterSeconds?: number | undefined;
  /** How `Retry-After` is written. Default `seconds`. */
  readonly retryAfterAs?: 'seconds' | 'date' | undefined;
  /** Where a `redirect` points to. Default an address that does not exist. */
  readonly location?: string | undefined;
  /** How long a `slow-body` takes. Default 2. */
  readonly seconds?: number | undefined;
  /** How many calls it hits. Default 1. */
  readonly times?: number | undefined;
}

/** Says whether a fault means anything for an operation. */
export function isFaultFor(operation: Operation, fault: FaultKind): boolean {
  if ((LIST_ONLY as readonly FaultKind[]).includes(fault)) return operation === 'transactions-list';
  if ((ANALYTICS_ONLY as readonly FaultKind[]).includes(fault)) {
    return operation === 'partner-analytics';
  }
  return true;
}
