import type { FaultKind, FaultTarget } from './fault-table.js';

/** A fault to play, set through the control API. */
export interface Fault {
  /** What it hits. */
  readonly operation: FaultTarget;
  readonly fault: FaultKind;
  /** Status of `error` (default 500), `html` (default 502) or `redirect` (default 302). */
  readonly status?: number | undefined;
  /** `Retry-After` of an `error`. Default 1 for 429 and 503, none otherwise. */
  readonly retryAfterSeconds?: number | undefined;
  /** How `Retry-After` is written. Default `seconds`. */
  readonly retryAfterAs?: 'seconds' | 'date' | undefined;
  /** Where a `redirect` points to. Default an address that does not exist. */
  readonly location?: string | undefined;
  /** How long a `slow-body` takes. Default 2. */
  readonly seconds?: number | undefined;
  /** How likely it hits a call, 0 to 1. The seed decides. Default 1. */
  readonly probability?: number | undefined;
  /** How long it waits first: a range of seconds, of which the seed decides. Default 0; 2 for `wait`. */
  readonly latencySeconds?: readonly [number, number] | undefined;
  /** How many calls it hits. Default 1. */
  readonly times?: number | undefined;
}
