import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TEST_REQUEST, TEST_RULES } from '../testing/store-harness.js';
import { LogMover } from './log-mover.js';
import { SqliteCheckoutStore } from './sqlite-checkout-store.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'));
  path = join(folder, 'data.sqlite');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A data file in which SQLite itself never moves the log. */
function openFile(): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE facts (what TEXT) STRICT;
  `);
  return database;
}

/** How many rows are in the file without its log. */
function countInFileAlone(table: string): number {
  const copy = join(folder, 'copy.sqlite');
  copyFileSync(path, copy);
  const database = new DatabaseSync(copy);
  try {
    return Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count']);
  } catch {
    return 0;
  } finally {
    database.close();
  }
}

describe('the log of a data file', () => {
  it('is moved into the file after so many commits, time and again', async () => {
    const database = openFile();
    const insert = database.prepare("INSERT INTO facts VALUES ('something that is known')");
    const mover = new LogMover(path, { commits: 10 });
    for (let round = 1; round <= 20; round += 1) {
      for (let commit = 0; commit < 10; commit += 1) {
        insert.run();
        mover.noteCommit();
      }
      await expect.poll(() => countInFileAlone('facts')).toBe(round * 10);
    }
    await mover.close();
    database.close();
  });

  it('has nobody left at it once the mover is closed', async () => {
    const database = openFile();
    const mover = new LogMover(path, { commits: 1 });
    database.exec("INSERT INTO facts VALUES ('something that is known')");
    mover.noteCommit();
    await expect.poll(() => countInFileAlone('facts')).toBe(1);
    await mover.close();
    database.close();
    // The last who closes a file takes its log away.
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('stays where it is when it cannot be moved, and nobody is the worse for it', async () => {
    const mover = new LogMover(join(folder, 'no-such-folder', 'data.sqlite'), { commits: 1 });
    mover.noteCommit();
    mover.noteCommit();
    await mover.close();
    mover.noteCommit();
  });

  it('of a store is moved while it is open', async () => {
    const rules = TEST_RULES;
    const store = await SqliteCheckoutStore.open({ path, clock: { now: () => 0 }, rules });
    for (let order = 0; order < 400; order += 1) {
      await store.beginOpening({ ...TEST_REQUEST, order: `A${String(order)}` });
    }
    await expect.poll(() => countInFileAlone('checkouts')).toBeGreaterThan(300);
    await store.close();
  });
});
