import type { Operation } from '../operation.js';
import type { FaultOrder } from './fault-order.js';

/** The queue of faults: each good call (key and body accepted) takes the first one of its operation. */
export class Faults {
  #queue: { readonly order: FaultOrder; left: number }[] = [];
  #releases = new Set<() => void>();

  add(order: FaultOrder): void {
    this.#queue.push({ order, left: order.times ?? 1 });
  }

  list(): FaultOrder[] {
    return this.#queue.map(({ order, left }) => ({ ...order, times: left }));
  }

  /** How many calls wait for their answer, or for the rest of it. */
  get heldCount(): number {
    return this.#releases.size;
  }

  take(operation: Operation): FaultOrder | undefined {
    const entry = this.#queue.find(({ order }) => order.operation === operation);
    if (entry === undefined) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) this.#queue.splice(this.#queue.indexOf(entry), 1);
    return entry.order;
  }

  /** Forgets the queue and lets every held call be answered. */
  release(): void {
    this.#queue = [];
    for (const release of this.#releases) release();
    this.#releases.clear();
  }

  /** Waits until {@link release} is called. */
  async hold(): Promise<void> {
    await new Promise<void>((resolve) => this.#releases.add(resolve));
  }
}
