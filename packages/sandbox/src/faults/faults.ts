import { SeededRandom } from '../random.js';
import type { Operation } from '../request-log.js';

const DRAW_PURPOSE = 11;

const FAULTS_OF_ANY_OPERATION = [
  // Before the work: nothing is done.
  'error',
  'html',
  'redirect',
  'drop-before-work',
  // After the work: the answer is late, cut or packed.
  'hold',
  'drop-after-commit',
  'no-content',
  'truncated-body',
  'stalled-body',
  'slow-body',
  'gzip',
  // After the work: the answer has something that no client has seen before.
  'unknown-field',
  'unknown-enum',
  'wrong-type',
] as const;

const FAULTS_OF_THE_LIST = [
  'repeated-cursor',
  'empty-cursor',
  'missing-cursor',
  'empty-page',
  'huge-amount',
] as const;

const FAULTS_OF_ANALYTICS = ['success-false'] as const;

export const FAULT_KINDS = [
  ...FAULTS_OF_ANY_OPERATION,
  ...FAULTS_OF_THE_LIST,
  ...FAULTS_OF_ANALYTICS,
] as const;

/**
 * What goes wrong.
 * - `error`: nothing is done. The answer is `status`, with `Retry-After` in one of its two forms.
 * - `html`: nothing is done. A web page answers, as a gateway or a CDN does.
 * - `redirect`: nothing is done. The answer points to `location`.
 * - `drop-before-work`, `drop-after-commit`: the connection is cut before or after the work.
 * - `hold`: the work is done. The answer waits until the faults are released.
 * - `no-content`: the work is done. The answer is 204.
 * - `truncated-body`: half of the body, then the connection is cut.
 * - `stalled-body`: half of the body, and the rest when the faults are released.
 * - `slow-body`: the body in 16 pieces over `seconds`, cut anywhere, also inside a character.
 * - `gzip`: the body compressed, also for callers that do not accept it.
 * - `unknown-field`, `unknown-enum`, `wrong-type`: further properties in every object; a new value
 *   in every state and method; numbers and booleans as strings.
 * - `repeated-cursor`: `nextCursor` is the cursor that was sent. `empty-cursor`: `""`.
 *   `missing-cursor`: none, although `hasMore`. `empty-page`: no rows, although `hasMore`; the cursor
 *   leads to the same rows. `huge-amount`: more digits than a double holds.
 * - `success-false`: the analytics answer says that it failed.
 */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault to play, set through the control API. */
export interface Fault {
  readonly operation: Operation;
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
  /** How long the call waits first: a range of seconds, of which the seed decides. Default 0. */
  readonly latencySeconds?: readonly [number, number] | undefined;
  /** How many calls it hits. Default 1. */
  readonly times?: number | undefined;
}

export function isFaultOf(operation: Operation, fault: FaultKind): boolean {
  const isIn = (kinds: readonly FaultKind[]): boolean => kinds.includes(fault);
  if (isIn(FAULTS_OF_THE_LIST)) return operation === 'transactions-list';
  if (isIn(FAULTS_OF_ANALYTICS)) return operation === 'partner-analytics';
  return true;
}

/** The queue of faults: each valid call (key and body accepted) takes the first of its operation. */
export class FaultQueue {
  #queue: { readonly fault: Fault; left: number }[] = [];
  #releases = new Set<() => void>();
  #seed = '';
  #drawn = 0;

  add(fault: Fault): void {
    this.#queue.push({ fault, left: fault.times ?? 1 });
  }

  list(): Fault[] {
    return this.#queue.map(({ fault, left }) => ({ ...fault, times: left }));
  }

  /** How many calls wait for their answer or the rest of it. */
  get heldCount(): number {
    return this.#releases.size;
  }

  /** A number from 0 to below 1, of the seed: the same calls draw the same ones. */
  draw(seed: string): number {
    if (seed !== this.#seed) [this.#seed, this.#drawn] = [seed, 0];
    this.#drawn += 1;
    return new SeededRandom(seed).bits(this.#drawn, DRAW_PURPOSE) / 0x1_0000_0000;
  }

  /** The next fault of an operation. One that spares the call is not used up. */
  take(operation: Operation, seed: string): Fault | undefined {
    const entry = this.#queue.find(({ fault }) => fault.operation === operation);
    if (entry === undefined) return undefined;
    const { probability = 1 } = entry.fault;
    if (probability < 1 && this.draw(seed) >= probability) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) this.#queue.splice(this.#queue.indexOf(entry), 1);
    return entry.fault;
  }

  /** Clears the queue and answers every held call. */
  release(): void {
    this.#queue = [];
    for (const release of this.#releases) release();
    this.#releases.clear();
    this.#drawn = 0;
  }

  /** Waits until {@link release} is called. */
  async hold(): Promise<void> {
    await new Promise<void>((resolve) => this.#releases.add(resolve));
  }
}
