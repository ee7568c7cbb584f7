import type * as FileSystem from 'node:fs';
import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toStoredToken } from '../checkouts/attempt-token.js';
import type { CheckoutStore, AttemptDecision } from '../checkouts/repository.js';
import { systemClock } from '../clock.js';
import { StoreHarness, TEST_REQUEST, TEST_RULES } from '../testing/store-harness.js';
import { SqliteCheckoutStore } from './sqlite-store.js';

/** The disk under the log: while it is held, it answers when the test says so. */
const disk = vi.hoisted(() => ({
  isHeld: false,
  /** What has been asked of it and not been answered. */
  questions: [] as ((error: Error | null) => void)[],
  whenAsked: (): void => undefined,
}));
vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof FileSystem>();
  return {
    ...real,
    fdatasync(descriptor: number, answer: (error: Error | null) => void) {
      if (!disk.isHeld) {
        real.fdatasync(descriptor, answer);
        return;
      }
      disk.questions.push(answer);
      disk.whenAsked();
    },
  };
});

/** Turns of the event loop in which a step would be answered that does not wait for the disk. */
const TURNS = 50;

type Sent = Extract<AttemptDecision, { kind: 'send' }>;

interface Step {
  readonly name: string;
  /** Leads to where the step can be taken; answers the step. */
  readonly lead: (store: CheckoutStore, harness: StoreHarness) => Promise<() => Promise<unknown>>;
}

const DELIVERY = { tokenHash: 'token', digest: 'digest', sealed: new Uint8Array([1]) };
const CLAIM = { limit: 10, perMerchant: 10, leaseSeconds: 30 };
const FOUND = { orderId: 1, merchantReference: 'A1.1', createdAt: 0, request: TEST_REQUEST };

async function cancelled(store: CheckoutStore, harness: StoreHarness): Promise<Sent> {
  const sent = await harness.expose();
  await store.apply(sent.checkout.id, { type: 'cancel-hinted' });
  return sent;
}

async function claimedEvent(store: CheckoutStore, harness: StoreHarness): Promise<string> {
  await cancelled(store, harness);
  const [event] = await store.claimEvents(CLAIM);
  return event?.id ?? 'none';
}

async function claimedDelivery(store: CheckoutStore, harness: StoreHarness) {
  const { attempt } = await harness.expose();
  await store.recordWebhook(DELIVERY, attempt.orderId);
  const [delivery] = await store.claimWebhooks(10, 30);
  if (!delivery) throw new Error('no delivery is due');
  return { attempt, delivery };
}

/** Every step whose outcome somebody outside hears of. */
const STEPS: readonly Step[] = [
  {
    name: 'a session is exposed',
    async lead(store, harness) {
      const { attempt } = await harness.beginSending();
      return () => store.activateSession(attempt.orderId, 'session-1');
    },
  },
  {
    name: 'an opening finds the session that is exposed, and opens its checkout again',
    async lead(store, harness) {
      await cancelled(store, harness);
      return () => store.beginAttempt(TEST_REQUEST);
    },
  },
  {
    name: 'an attempt ends without an answer',
    async lead(store, harness) {
      const { attempt } = await harness.beginSending();
      return () => store.endAttempt(attempt.orderId, 'unknown');
    },
  },
  {
    name: 'a cancel is applied',
    async lead(store, harness) {
      const { checkout } = await harness.expose();
      return () => store.apply(checkout.id, { type: 'cancel-hinted' });
    },
  },
  {
    name: 'a hint of a page is recorded',
    async lead(store, harness) {
      const { attempt, checkout } = await harness.expose();
      const sessionId = `session-${String(attempt.orderId)}`;
      return () => store.recordHint(checkout.id, { kind: 'cancelled', sessionId });
    },
  },
  {
    name: 'a return is recorded',
    async lead(store, harness) {
      const { tokens } = await harness.expose();
      return () => store.recordReturn(toStoredToken(tokens.return));
    },
  },
  {
    name: 'a payment is recorded',
    async lead(_store, harness) {
      const { attempt } = await harness.expose();
      return () => harness.pay(attempt.orderId);
    },
  },
  {
    name: 'a delivery is recorded',
    async lead(store, harness) {
      const { attempt } = await harness.expose();
      return () => store.recordWebhook(DELIVERY, attempt.orderId);
    },
  },
  {
    name: 'a test delivery is counted',
    lead: (store) => Promise.resolve(() => store.countTestWebhook()),
  },
  {
    name: 'a delivery is settled',
    async lead(store, harness) {
      const { attempt, delivery } = await claimedDelivery(store, harness);
      const outcome = { flags: [], lookFor: [attempt.orderId] };
      return () => store.completeWebhook(delivery.id, outcome);
    },
  },
  {
    name: 'a delivery is parked',
    async lead(store, harness) {
      const { delivery } = await claimedDelivery(store, harness);
      return () => store.markUnmatched(delivery, ['A2.2'], { most: 10 });
    },
  },
  {
    name: 'an event is claimed',
    async lead(store, harness) {
      await cancelled(store, harness);
      return () => store.claimEvents(CLAIM);
    },
  },
  {
    name: 'an event is marked as delivered',
    async lead(store, harness) {
      const event = await claimedEvent(store, harness);
      return () => store.markDelivered(event);
    },
  },
  {
    name: 'an event is marked as not taken',
    async lead(store, harness) {
      const event = await claimedEvent(store, harness);
      return () => store.markFailed(event, 10);
    },
  },
  {
    name: 'a loss is declared',
    async lead(store, harness) {
      await harness.expose();
      return () => store.declareLoss();
    },
  },
  {
    name: 'a lost attempt is adopted',
    lead: (store) => Promise.resolve(() => store.adoptAttempt(FOUND)),
  },
  {
    name: 'somebody asks whether it can write',
    lead: (store) => Promise.resolve(() => store.ping()),
  },
];

let folder: string;
let path: string;
let store: SqliteCheckoutStore;
let harness: StoreHarness;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'durability-'));
  path = join(folder, 'data.sqlite');
  store = await SqliteCheckoutStore.open({ path, clock: systemClock, rules: TEST_RULES });
  harness = new StoreHarness(store);
});
afterEach(async () => {
  disk.isHeld = false;
  for (const answer of disk.questions.splice(0)) answer(null);
  await store.close();
  rmSync(folder, { recursive: true });
});

/** From now on it answers when told to. Resolves when it is asked. */
function holdDisk(): Promise<void> {
  disk.isHeld = true;
  return new Promise((resolve) => {
    disk.whenAsked = resolve;
  });
}

function answer(error: Error | null = null): void {
  for (const question of disk.questions.splice(0)) question(error);
}

/** Whether a promise is still waiting after many turns of the event loop. */
async function isWaiting(promise: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  promise.then(end, end);
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
  return !isOver;
}

/** All rows of all tables. */
function rowsOf(file: string): unknown {
  const database = new DatabaseSync(file);
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return tables.map(({ name }) => [
      name,
      database.prepare(`SELECT * FROM ${String(name)}`).all(),
    ]);
  } finally {
    database.close();
  }
}

/** The data file as it would be found if the power went: of its log, as much as is given. */
function cutOff(logBytes: number): string {
  const copy = join(folder, 'copy.sqlite');
  copyFileSync(path, copy);
  copyFileSync(`${path}-wal`, `${copy}-wal`);
  truncateSync(`${copy}-wal`, logBytes);
  return copy;
}

describe('nobody is answered before the disk has what they are told', () => {
  it.each(STEPS)('when $name', async ({ lead }) => {
    const step = await lead(store, harness);
    const asked = holdDisk();
    const taken = step();
    // What a disk has that is asked now: all that stands in the log.
    const logBytes = await Promise.race([
      asked.then(() => statSync(`${path}-wal`).size),
      taken.then(() => Promise.reject(new Error('it was answered, and the disk was not asked'))),
    ]);
    expect(await isWaiting(taken)).toBe(true);
    answer();
    await taken;
    expect(rowsOf(cutOff(logBytes))).toEqual(rowsOf(path));
  });

  it('and nobody reads what is not there yet', async () => {
    const { checkout } = await harness.expose();
    const asked = holdDisk();
    const applied = store.apply(checkout.id, { type: 'cancel-hinted' });
    await asked;
    const found = store.find(checkout.id);
    expect(await isWaiting(found)).toBe(true);
    answer();
    expect(await found).toMatchObject({ state: 'cancelled' });
    await applied;
  });

  it('but for an attempt that is to be sent: nobody can pay it before its session is exposed', async () => {
    const asked = holdDisk();
    expect(await store.beginAttempt(TEST_REQUEST)).toMatchObject({ kind: 'send' });
    await asked;
    answer();
  });
});

describe('after the disk did not keep what was written', () => {
  async function failDisk(): Promise<string> {
    const { checkout } = await harness.expose();
    const asked = holdDisk();
    const applied = store.apply(checkout.id, { type: 'cancel-hinted' });
    const reading = store.find(checkout.id);
    await asked;
    const readingMeanwhile = store.find(checkout.id);
    answer(Object.assign(new Error('i/o error'), { code: 'EIO' }));
    disk.isHeld = false;
    await expect(applied).rejects.toMatchObject({ name: 'DiskFailedError', code: 'EIO' });
    // This one asked before anything was written.
    expect(await reading).toMatchObject({ state: 'open' });
    await expect(readingMeanwhile).rejects.toThrow('start the server anew');
    return checkout.id;
  }

  it('nothing is read, since nobody can say what is there', async () => {
    const checkout = await failDisk();
    await expect(store.find(checkout)).rejects.toThrow('the disk did not keep what was written');
    await expect(store.findOrder('teashop', 'A1001')).rejects.toThrow('start the server anew');
  });

  it('nothing is written, and it is not ready', async () => {
    const checkout = await failDisk();
    await expect(store.apply(checkout, { type: 'reopened' })).rejects.toThrow('the disk did not');
    await expect(store.ping()).rejects.toThrow('start the server anew');
  });
});
