import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TEST_REQUEST, TEST_RULES } from '../testing/store-harness.js';
import { SqliteCheckoutStore } from './sqlite-store.js';
import { MIGRATIONS, prepareAlone } from './migrations.js';

const FIRST = "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('kept');";
const SECOND = 'ALTER TABLE notes ADD COLUMN done INTEGER;';
const THIRD = 'CREATE TABLE labels (name TEXT);';
const BROKEN = 'CREATE TABLE labels (name TEXT); ALTER TABLE nothing ADD COLUMN name TEXT;';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'schema-'));
  path = join(folder, 'data.sqlite');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Starts a version of the program that has these steps, and stops it. */
function start(...steps: string[]): void {
  const database = new DatabaseSync(path);
  try {
    prepareAlone(database, steps);
  } finally {
    database.close();
  }
}

/** As each version writes it that has these columns. */
function attempt(orderId: number, status: string): string {
  return `INSERT INTO attempts (order_id, merchant_reference, checkout, merchant, order_name,
      provider_merchant_id, status, session_id, is_renewal, lease_until, created_at, looks,
      token_hashes)
    VALUES (${String(orderId)}, 'A1001.${String(orderId)}', 'checkout-1', 'teashop', 'A1001', 1001,
      '${status}', 'session-${String(orderId)}', 0, 0, 0, 0, '')`;
}

function look() {
  const database = new DatabaseSync(path, { readOnly: true });
  const all = (sql: string) => database.prepare(sql).all();
  const found = {
    version: all('PRAGMA user_version')[0]?.['user_version'],
    tables: all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").map(
      ({ name }) => name,
    ),
    notes: all('SELECT * FROM notes').map((row) => ({ ...row })),
  };
  database.close();
  return found;
}

describe('the data file itself', () => {
  it('takes one live attempt of an order, whatever its price, and any number that are not', () => {
    start(...MIGRATIONS);
    const database = new DatabaseSync(path);
    database.exec('PRAGMA foreign_keys = OFF');
    const live = (orderId: number, checkout: string): void => {
      database.exec(attempt(orderId, 'exposed').replace('checkout-1', checkout));
      database.exec(`UPDATE attempts SET is_live = 1 WHERE order_id = ${String(orderId)}`);
    };
    for (const orderId of [700, 701]) database.exec(attempt(orderId, 'superseded'));
    live(702, 'checkout-1');
    expect(() => {
      live(703, 'checkout-2');
    }).toThrow('UNIQUE constraint failed');
    database.close();
  });
});

describe('an upgrade of the data file', () => {
  it('takes the steps that are missing, and keeps what was there', () => {
    start(FIRST);
    start(FIRST, SECOND, THIRD);
    expect(look()).toEqual({
      version: 3,
      tables: ['labels', 'notes'],
      notes: [{ text: 'kept', done: null }],
    });
  });

  it('takes none of them when one fails, so that the version before still starts', () => {
    start(FIRST);
    const before = look();
    expect(() => {
      start(FIRST, SECOND, BROKEN);
    }).toThrow('nothing');
    expect(look()).toEqual(before);
    start(FIRST);
    start(FIRST, SECOND, THIRD);
    expect(look().version).toBe(3);
  });

  it.each([2, 3])(
    'goes on with the session of an order that was opened with %i steps',
    async (steps) => {
      start(...MIGRATIONS.slice(0, steps));
      const old = new DatabaseSync(path);
      old.exec(`
        INSERT INTO checkouts VALUES ('checkout-1', 'teashop', 'A1001', 'version-1', NULL, 999,
          'GBP', 2, 'open', 1, 0, 'none', '[]', NULL, 0, 3600000, NULL, NULL, 3600000);
        ${attempt(700, 'superseded')}; ${attempt(701, 'exposed')};
      `);
      if (steps === 3) old.exec("UPDATE attempts SET is_live = 1 WHERE status = 'exposed'");
      old.close();
      const options = { path, clock: { now: () => 0 }, rules: TEST_RULES };
      const store = await SqliteCheckoutStore.open(options);
      const opened = await store.beginAttempt(TEST_REQUEST);
      expect(opened).toMatchObject({ kind: 'existing', attempt: { sessionId: 'session-701' } });
      const attempts = await store.findAttempts('checkout-1');
      expect(attempts.map(({ orderId }) => orderId)).toEqual([700, 701]);
      await store.close();
    },
  );

  it('is not undone: the version before refuses the file, and leaves it as it is', () => {
    start(FIRST, SECOND);
    const after = look();
    expect(() => {
      start(FIRST);
    }).toThrow('written by a newer version of the server, and nothing was changed');
    expect(look()).toEqual(after);
  });

  it('leaves the file of another program as it is', () => {
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE notes (text TEXT)');
    other.close();
    const before = look();
    expect(() => {
      start(FIRST);
    }).toThrow('it is the file of another program');
    expect(look()).toEqual(before);
  });
});
