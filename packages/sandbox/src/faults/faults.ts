import { SeededRandom } from '../random.js';
import { Adversary } from './adversary.js';
import type { Fault } from './fault.js';
import type { FaultTarget } from './fault-table.js';

const DRAW_PURPOSE = 11;

/**
 * The queue of faults: each call that is not refused takes the first of its target. Where there is none, the
 * adversary decides, if there is one.
 */
export class FaultQueue {
  readonly #adversary: Adversary | undefined;
  #queue: { readonly fault: Fault; left: number }[] = [];
  #releases = new Set<() => void>();
  #seed = '';
  #drawn = 0;

  /** @param adversarialSeed of an unkind provider */
  constructor(adversarialSeed?: string) {
    this.#adversary = adversarialSeed === undefined ? undefined : new Adversary(adversarialSeed);
  }

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

  /** The next fault of a target. One that spares the call is not used up. */
  take(operation: FaultTarget, seed: string): Fault | undefined {
    const entry = this.#queue.find(({ fault }) => fault.operation === operation);
    if (entry === undefined) return this.#adversary?.meet(operation);
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
    this.#adversary?.reset();
  }

  /** Waits until {@link release} is called. */
  async hold(): Promise<void> {
    await new Promise<void>((resolve) => this.#releases.add(resolve));
  }
}
