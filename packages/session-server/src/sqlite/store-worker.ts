/** The thread of `openStoreThread`: holds the data file, and does what it is asked to. */
import { parentPort, workerData } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import type { Checkout } from '../checkout/checkout.js';
import type { CheckoutStore } from '../checkout/checkout-store.js';
import { armCrashPoint } from '../crash-points.js';
import type { CheckoutMarks } from '../metrics/observer.js';
import { SqliteCheckoutStore } from './sqlite-checkout-store.js';
import type { CheckoutMove, StoreThreadData } from './store-thread.js';
import { threadPort } from './thread-port.js';

const { path, rules, crashPlan, isObserved } = workerData as StoreThreadData;
if (!parentPort) throw new Error('this file is the start of a thread');
armCrashPoint(crashPlan);

let now = 0;
let store: CheckoutStore | undefined;
let moves: CheckoutMove[] = [];

const thread = createBirpc<{ moved(moves: readonly CheckoutMove[]): void }, object>(
  {
    async open(): Promise<void> {
      const observer = { checkoutChanged };
      store = await SqliteCheckoutStore.open({ path, rules, clock: { now: () => now }, observer });
    },
  },
  {
    ...threadPort(parentPort, { onTime: (told) => (now = told) }),
    timeout: -1,
    resolver: (name, known) => known ?? storeMethod(name as keyof CheckoutStore),
  },
);

function storeMethod(name: keyof CheckoutStore): CheckoutStore[keyof CheckoutStore] | undefined {
  return store?.[name].bind(store);
}

/** Called after the commit: what is told crosses before whoever changed it is answered. */
function checkoutChanged(before: Checkout | undefined, after: Checkout): void {
  if (!before && !isObserved) return;
  moves.push({ checkout: after.id, before: before && marksOf(before), after: marksOf(after) });
  if (moves.length > 1) return;
  queueMicrotask(() => {
    void thread.$callEvent('moved', moves);
    moves = [];
  });
}

function marksOf({ state, attention, refund, sequence }: Checkout): CheckoutMarks {
  return { state, attention, refund, sequence };
}
