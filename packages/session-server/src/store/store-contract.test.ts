import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeCheckoutStore } from '../checkouts/repository.contract.js';
import { systemClock } from '../clock.js';
import { StoreHarness, TEST_REQUEST, TEST_RULES } from '../testing/store-harness.js';
import { DatabaseInUseError } from './data-file.js';
import { TestStore } from '../testing/test-store.js';

describeCheckoutStore('a store in SQLite', async ({ clock, rules }) => {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  const options = { path: join(folder, 'data.sqlite'), clock, rules };
  let store = await TestStore.open(options);
  return {
    store,
    async reopen() {
      await store.close();
      store = await TestStore.open(options);
      return store;
    },
    async remove() {
      await store.close();
      expect(findMistakenForActive(options.path)).toEqual([]);
      rmSync(folder, { recursive: true });
    },
  };
});

/** Attempts that are wrongly marked as active, or as not active. */
function findMistakenForActive(path: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const mistaken = database
    .prepare(
      `SELECT order_id, status, is_active FROM attempts
       WHERE is_active <> (status IN ('sending', 'active'))`,
    )
    .all();
  database.close();
  return mistaken;
}

describe('a data file', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'store-'));
    path = join(folder, 'data.sqlite');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const open = () => TestStore.open({ path, clock: systemClock, rules: TEST_RULES });

  it('is made for the owner of the process only, with its log; one that is there keeps its rights', async () => {
    const modes = (): number[] =>
      ['', '-wal', '-shm'].map((end) => statSync(`${path}${end}`).mode & 0o777);
    const made = await open();
    expect(modes()).toEqual([0o600, 0o600, 0o600]);
    await made.close();
    chmodSync(path, 0o640);
    const opened = await open();
    expect(modes()).toEqual([0o640, 0o640, 0o640]);
    await opened.close();
  });

  it('has a lock that no other user can take: not even one that was there with more rights', async () => {
    const modeOfLock = (): number => statSync(`${path}.lock`).mode & 0o777;
    await (await open()).close();
    expect(modeOfLock()).toBe(0o600);
    chmodSync(`${path}.lock`, 0o666);
    await (await open()).close();
    expect(modeOfLock()).toBe(0o600);
  });

  it.runIf(process.getuid?.() === 0)('is not opened with the lock of another user', async () => {
    await (await open()).close();
    chownSync(`${path}.lock`, 4711, 4711);
    await expect(open()).rejects.toThrow('it belongs to another user');
    rmSync(`${path}.lock`);
    await (await open()).close();
  });

  it('leaves no attempt in the middle of sending: its sender is dead', async () => {
    const before = await open();
    const decision = await before.beginAttempt(TEST_REQUEST);
    await before.close();
    const after = await open();
    const attempts = await after.findAttempts(
      decision.kind === 'send' ? decision.checkout.id : 'none',
    );
    expect(attempts).toMatchObject([{ status: 'unknown' }]);
    expect(await after.beginAttempt(TEST_REQUEST)).toMatchObject({ kind: 'send' });
    await after.close();
  });

  it('gives out no order_id again after a start, however many it gave out in one second', async () => {
    const clock = { ...systemClock, now: () => Date.UTC(2026, 0, 1) };
    const options = { path, clock, rules: TEST_RULES };
    const ids: number[] = [];
    for (let start = 0; start < 3; start += 1) {
      const store = await TestStore.open(options);
      for (let count = 0; count < 3; count += 1) {
        const order = `A${String(ids.length)}`;
        const decision = await store.beginAttempt({ ...TEST_REQUEST, order });
        ids.push(decision.kind === 'send' ? decision.attempt.orderId : NaN);
      }
      await store.close();
    }
    expect(ids).toEqual(Array.from({ length: 9 }, (_, index) => (ids[0] ?? NaN) + index));
  });

  it('has in itself, and not only in its log, what a dead process left: a start rewrites it', async () => {
    const before = await open();
    const { checkout } = await new StoreHarness(before).activate();
    const files = ['', '-wal'].map((end) => [end, readFileSync(`${path}${end}`)] as const);
    await before.close();
    for (const [end, content] of files) writeFileSync(`${path}${end}`, content);
    const after = await open();
    const copy = join(folder, 'copy.sqlite');
    copyFileSync(path, copy);
    const withoutLog = TestStore.openAlongside(
      { path: copy, clock: systemClock, rules: TEST_RULES },
      'read',
    );
    expect(await withoutLog.findAttempts(checkout.id)).toMatchObject([{ status: 'active' }]);
    await withoutLog.close();
    await after.close();
  });

  it('gives out again, at once, an event whose sender is dead, with the same id', async () => {
    const claim = { limit: 10, perMerchant: 10, leaseSeconds: 30 };
    const before = await open();
    const decision = await before.beginAttempt(TEST_REQUEST);
    await before.apply(decision.kind === 'send' ? decision.checkout.id : 'none', {
      type: 'cancel-hinted',
    });
    const claimed = await before.claimEvents(claim);
    expect(claimed).toHaveLength(1);
    expect(await before.claimEvents(claim)).toEqual([]);
    await before.close();
    const after = await open();
    expect(await after.claimEvents(claim)).toEqual(claimed);
    await after.close();
  });

  it('holds no token of a return address, only its hash', async () => {
    const store = await open();
    const decision = await store.beginAttempt(TEST_REQUEST);
    await store.close();
    const tokens = decision.kind === 'send' ? Object.values<string>({ ...decision.tokens }) : [];
    expect(tokens).toHaveLength(4);
    for (const file of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, file));
      for (const token of tokens) expect(bytes.includes(token)).toBe(false);
    }
  });

  it('is written with a write-ahead log', async () => {
    const store = await open();
    const reader = new DatabaseSync(path, { readOnly: true });
    expect(reader.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    reader.close();
    await store.close();
  });

  it('of a newer version is refused, and let go of', async () => {
    await (await open()).close();
    const newer = new DatabaseSync(path);
    newer.exec('PRAGMA user_version = 1000');
    newer.close();
    await expect(open()).rejects.toThrow(/newer version/);
    await expect(open()).rejects.toThrow(/newer version/);
  });

  it.each([
    ['lacks a column', 'ALTER TABLE checkouts DROP COLUMN shop_version'],
    ['lacks a table', 'DROP TABLE matched_transactions'],
  ])('that %s, as of a build between releases, is refused', async (_what, sql) => {
    await (await open()).close();
    const other = new DatabaseSync(path);
    other.exec(sql);
    other.close();
    await expect(open()).rejects.toThrow(/its table (checkouts|matched_transactions) is not that/);
  });

  it('may have an index that an operator added', async () => {
    await (await open()).close();
    const other = new DatabaseSync(path);
    other.exec('CREATE INDEX of_the_operator ON attempts (merchant)');
    other.close();
    await (await open()).close();
  });

  it('that is open is refused to a second one, and free after closing', async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(DatabaseInUseError);
    await first.ping();
    await first.close();
    await (await open()).close();
  });

  it('whose lock cannot be taken for another reason says that reason', async () => {
    writeFileSync(
      `${path}.lock`,
      'this is no database, and long enough to be polled at. '.repeat(99),
    );
    const refused = await open().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Error);
    expect(refused).not.toBeInstanceOf(DatabaseInUseError);
  });
});
