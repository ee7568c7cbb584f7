import { SeededRandom } from '../random.js';
import type { SwitchesInput } from '../switches.js';
import { FAULT_TARGETS, isFaultOf, type FaultKind, type FaultTarget } from './fault-table.js';
import type { Fault } from './fault.js';

/** How many calls of ten meet something. */
const UNKIND_OF_TEN = 6;
const [SHARE, KIND, WAIT] = [21, 22, 23];

/**
 * What is unkind and lawful, and how: nothing of it loses a call or a payment. What does, such as an error or a cut
 * connection, is a fault of its own.
 */
const UNKIND: Partial<Record<FaultKind, Omit<Fault, 'operation' | 'fault'>>> = {
  wait: { latencySeconds: [0.1, 1.5] },
  'slow-body': { seconds: 0.4 },
  'unknown-field': {},
  'unknown-enum': {},
  'hostile-cursor': {},
  'empty-page': {},
  duplicate: { latencySeconds: [0, 3] },
};

/**
 * Makes a provider unkind, in the same way for the same seed: each target has calls of its own, so that those of
 * others do not change what it draws.
 */
export class Adversary {
  readonly #random: SeededRandom;
  readonly #calls = new Map<FaultTarget, number>();

  constructor(seed: string) {
    this.#random = new SeededRandom(seed);
  }

  /** What happens to the next call of a target. */
  meet(operation: FaultTarget): Fault | undefined {
    const call = (this.#calls.get(operation) ?? 0) + 1;
    this.#calls.set(operation, call);
    const row = FAULT_TARGETS.indexOf(operation) * 1_000_000 + call;
    if (this.#random.below(10, row, SHARE) >= UNKIND_OF_TEN) return undefined;
    const kinds = (Object.keys(UNKIND) as FaultKind[]).filter((kind) => isFaultOf(operation, kind));
    const fault = this.#random.pick(kinds, row, KIND);
    const { latencySeconds: [least, most] = [0, 0], ...details } = UNKIND[fault] ?? {};
    const seconds = least + (this.#random.below(1000, row, WAIT) / 1000) * (most - least);
    return { operation, fault, ...details, latencySeconds: [seconds, seconds] };
  }

  /** Starts over. */
  reset(): void {
    this.#calls.clear();
  }
}

/** What an unkind provider has for the switches that are not set. */
export function adversarialSwitches(seed: string): SwitchesInput {
  const random = new SeededRandom(seed);
  const between = (least: number, most: number, purpose: number): number =>
    least + random.below(most - least + 1, 0, purpose);
  const pageSize = between(1, 4, 31);
  return {
    transactionVariant: 'mixed',
    defaultLimit: pageSize,
    maxLimit: pageSize,
    listingDelaySeconds: between(1, 4, 32),
    cursorLifetimeSeconds: between(60, 600, 33),
    emptyScheduleFields: random.pick(['omit', 'null'], 0, 34),
    webhookCopies: between(1, 3, 35),
    webhookDelaySeconds: between(0, 3, 36),
    hmacKeyFormat: random.pick(['hex', 'base64', 'whsec'], 0, 37),
    noAnswerStatusCode: random.pick([-1, 0, 504], 0, 38),
  };
}
