import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toStoredToken } from '../checkouts/attempt-ids.js';
import type { AttemptDecision } from '../checkouts/checkout-transactions.js';
import { systemClock } from '../clock.js';
import { StoreHarness, TEST_REQUEST, TEST_RULES } from '../testing/store-harness.js';
import { TestStore } from '../testing/test-store.js';

type Sent = Extract<AttemptDecision, { kind: 'send' }>;

interface Step {
  readonly name: string;
  /** Leads to where the step can be taken; answers the step. */
  readonly lead: (store: TestStore, harness: StoreHarness) => Promise<() => Promise<unknown>>;
}

const WEBHOOK = { tokenHash: 'token', digest: 'digest', sealed: new Uint8Array([1]) };
const CLAIM = { limit: 10, perMerchant: 10, leaseSeconds: 30 };
const FOUND = { orderId: 1, merchantReference: 'A1.1', createdAt: 0, request: TEST_REQUEST };

async function cancelled(store: TestStore, harness: StoreHarness): Promise<Sent> {
  const sent = await harness.activate();
  await store.apply(sent.checkout.id, { type: 'cancel-hinted' });
  return sent;
}

async function claimedEvent(store: TestStore, harness: StoreHarness): Promise<string> {
  await cancelled(store, harness);
  const [event] = await store.claimEvents(CLAIM);
  return event?.id ?? 'none';
}

async function claimedWebhook(store: TestStore, harness: StoreHarness) {
  const { attempt } = await harness.activate();
  await store.recordWebhook(WEBHOOK, attempt.orderId);
  const [webhook] = await store.claimWebhooks(10, 30);
  if (!webhook) throw new Error('no webhook is due');
  return { attempt, webhook };
}

/** Every step whose outcome is answered or sent. */
const STEPS: readonly Step[] = [
  {
    name: 'an attempt is to be sent',
    lead: (store) => Promise.resolve(() => store.beginAttempt(TEST_REQUEST)),
  },
  {
    name: 'a session is active',
    async lead(store, harness) {
      const { attempt } = await harness.beginSending();
      return () => store.activateSession(attempt.orderId, 'session-1');
    },
  },
  {
    name: 'a request finds the active session, and opens its checkout again',
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
      const { checkout } = await harness.activate();
      return () => store.apply(checkout.id, { type: 'cancel-hinted' });
    },
  },
  {
    name: 'a hint of a page is recorded',
    async lead(store, harness) {
      const { attempt, checkout } = await harness.activate();
      const sessionId = `session-${String(attempt.orderId)}`;
      return () => store.recordHint(checkout.id, { kind: 'cancelled', sessionId });
    },
  },
  {
    name: 'a return is recorded',
    async lead(store, harness) {
      const { tokens } = await harness.activate();
      return () => store.recordReturn(toStoredToken(tokens.return));
    },
  },
  {
    name: 'a payment is recorded',
    async lead(_store, harness) {
      const { attempt } = await harness.activate();
      return () => harness.pay(attempt.orderId);
    },
  },
  {
    name: 'a webhook is recorded',
    async lead(store, harness) {
      const { attempt } = await harness.activate();
      return () => store.recordWebhook(WEBHOOK, attempt.orderId);
    },
  },
  {
    name: 'a test webhook is counted',
    lead: (store) => Promise.resolve(() => store.countTestWebhook()),
  },
  {
    name: 'a webhook is completed',
    async lead(store, harness) {
      const { attempt, webhook } = await claimedWebhook(store, harness);
      const outcome = { flags: [], pollFor: [{ orderId: attempt.orderId, at: 0 }] };
      return () => store.completeWebhook(webhook.id, outcome);
    },
  },
  {
    name: 'a webhook is unmatched',
    async lead(store, harness) {
      const { webhook } = await claimedWebhook(store, harness);
      return () => store.markUnmatched(webhook, ['A2.2'], { most: 10 });
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
      await harness.activate();
      return () => store.declareLoss();
    },
  },
  {
    name: 'a lost attempt is adopted',
    lead: (store) => Promise.resolve(() => store.adoptAttempt(FOUND)),
  },
  {
    name: 'a probe asks whether it can write',
    lead: (store) => Promise.resolve(() => store.ping()),
  },
];

let folder: string;
let path: string;
let store: TestStore;
let harness: StoreHarness;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'durability-'));
  path = join(folder, 'data.sqlite');
  store = await TestStore.open({ path, clock: systemClock, rules: TEST_RULES });
  harness = new StoreHarness(store);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true });
});

/** What was known when SQLite last ended a commit, which it syncs before it ends. */
interface Commit {
  readonly isFullySynced: boolean;
  readonly logBytes: number;
  readonly wasAnswered: boolean;
}

/** Takes a step, and notes each commit on its way. */
async function takeStep(step: () => Promise<unknown>): Promise<Commit[]> {
  const commits: Commit[] = [];
  let wasAnswered = false;
  const exec = DatabaseSync.prototype.exec;
  vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
    this: DatabaseSync,
    text: string,
  ) {
    exec.call(this, text);
    if (text !== 'COMMIT') return;
    const isFullySynced = this.prepare('PRAGMA synchronous').get()?.['synchronous'] === 2;
    commits.push({ isFullySynced, logBytes: statSync(`${path}-wal`).size, wasAnswered });
  });
  await step().then(() => {
    wasAnswered = true;
  });
  return commits;
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

describe('a step is answered when the disk has it', () => {
  it.each(STEPS)('when $name', async ({ lead }) => {
    const commits = await takeStep(await lead(store, harness));
    expect(commits).toMatchObject([{ isFullySynced: true, wasAnswered: false }]);
    expect(rowsOf(cutOff(commits[0]?.logBytes ?? 0))).toEqual(rowsOf(path));
  });
});
