import { Worker } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import type { Checkout } from '../checkout/checkout.js';
import type { CheckoutStore } from '../checkout/checkout-store.js';
import { type CrashPlan, armedCrashPlan } from '../crash-points.js';
import { type CheckoutMarks, SILENT_OBSERVER } from '../metrics/observer.js';
import type { SqliteCheckoutStoreOptions } from './sqlite-checkout-store.js';
import { threadPort } from './thread-port.js';

/** Checkouts that are remembered, about 1 KB each. */
const MOST_RECENT = 10_000;

/** What the thread is started with. */
export interface StoreThreadData extends Pick<SqliteCheckoutStoreOptions, 'path' | 'rules'> {
  readonly crashPlan: CrashPlan | undefined;
  /** Whether anybody here wants to hear of checkouts that are new. */
  readonly isObserved: boolean;
}

/** A change of a checkout, told by the thread before whoever made it is answered. */
export interface CheckoutMove {
  readonly checkout: string;
  readonly before: CheckoutMarks | undefined;
  readonly after: CheckoutMarks;
}

/** What this side calls in the thread. */
export interface StoreThreadCalls extends CheckoutStore {
  /** Opens the data file; comes before all others. */
  open(): Promise<void>;
}

/**
 * Opens the store in a thread of its own, so that no request waits while another one's step is
 * written. Each step is answered when it is on the disk, as ever.
 *
 * Checkouts that were read lately are remembered on this side. That is safe because the thread alone
 * writes to the file, and tells of each change before it answers the one who made it.
 *
 * @throws {Error} with the name `DatabaseInUseError` when another process has the file open
 */
export async function openStoreThread(options: SqliteCheckoutStoreOptions): Promise<CheckoutStore> {
  const { path, rules, clock, observer = SILENT_OBSERVER } = options;
  const workerData: StoreThreadData = {
    path,
    rules,
    crashPlan: armedCrashPlan(),
    isObserved: observer !== SILENT_OBSERVER,
  };
  // Nobody listens for its `error`: a thread that fails takes the process down, to be started anew.
  const worker = new Worker(new URL('./store-worker.js', import.meta.url), { workerData });
  const recent = new Map<string, Promise<Checkout | undefined>>();
  const moved = (moves: readonly CheckoutMove[]): void => {
    for (const { checkout, before, after } of moves) {
      recent.delete(checkout);
      observer.checkoutChanged(before, after);
    }
  };
  const thread = createBirpc<StoreThreadCalls, { moved: typeof moved }>(
    { moved },
    { ...threadPort(worker, { now: () => clock.now() }), timeout: -1 },
  );

  const find = (id: string): Promise<Checkout | undefined> => {
    let found = recent.get(id);
    if (!found) {
      found = thread.find(id);
      remember(recent, id, found);
    }
    return found;
  };
  const own: Pick<CheckoutStore, 'find' | 'findMany' | 'close'> = {
    find,
    async findMany(ids) {
      const found = await Promise.all(ids.map(find));
      return found.filter((checkout) => checkout !== undefined);
    },
    async close() {
      if (thread.$closed) return;
      await thread.close();
      thread.$close();
      await worker.terminate();
    },
  };
  try {
    await thread.open();
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  // Whatever is not answered here is asked of the thread.
  return Object.setPrototypeOf(own, thread) as CheckoutStore;
}

/** Keeps what was found, unless it was nothing; the oldest goes when there are too many. */
function remember(
  recent: Map<string, Promise<Checkout | undefined>>,
  id: string,
  found: Promise<Checkout | undefined>,
): void {
  recent.set(id, found);
  const forget = (): void => {
    if (recent.get(id) === found) recent.delete(id);
  };
  found.then((checkout) => checkout ?? forget(), forget);
  if (recent.size <= MOST_RECENT) return;
  const [oldest] = recent.keys();
  if (oldest !== undefined) recent.delete(oldest);
}
