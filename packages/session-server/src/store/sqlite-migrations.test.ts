import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { READ_TURNS_BEFORE, TURNS_AFTER, TURNS_OF_ACCOUNTS } from '../testing/read-turns.js';
import { MIGRATIONS } from './migrations.js';
import { prepareAlone } from './sqlite-migrations.js';

const FIRST = () => "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('kept');";
const SECOND = () => 'ALTER TABLE notes ADD COLUMN done INTEGER;';
const THIRD = () => 'CREATE TABLE labels (name TEXT);';
const BROKEN = () => 'CREATE TABLE labels (name TEXT); ALTER TABLE nothing ADD COLUMN name TEXT;';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'schema-'));
  path = join(folder, 'data.sqlite');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Starts a version of the program that has these migrations, and stops it. */
function start(...migrations: (typeof MIGRATIONS)[number][]): void {
  const database = new DatabaseSync(path);
  try {
    prepareAlone(database, migrations);
  } finally {
    database.close();
  }
}

function insertAttempt(orderId: number, isActive: boolean): string {
  return `INSERT INTO attempts (order_id, merchant_reference, checkout, merchant, order_name,
      account, provider_merchant_id, status, is_active, is_renewal, lease_until, created_at, polls,
      watched_from, active_since)
    VALUES (${String(orderId)}, 'A1001.${String(orderId)}', 'checkout-${String(orderId)}', 'teashop',
      'A1001', 'default', 1001, 'active', ${String(Number(isActive))}, 0, 0, 0, 0, 0, 0)`;
}

function readFile() {
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
  it('takes one active attempt of an order, whatever its price, and any number that are not', () => {
    start(...MIGRATIONS);
    const database = new DatabaseSync(path);
    database.exec('PRAGMA foreign_keys = OFF');
    for (const orderId of [700, 701]) database.exec(insertAttempt(orderId, false));
    database.exec(insertAttempt(702, true));
    expect(() => {
      database.exec(insertAttempt(703, true));
    }).toThrow('UNIQUE constraint failed');
    database.close();
  });
});

describe('an upgrade to one reader for each account', () => {
  it('keeps the longest pause that a reader of its merchants was asked for', () => {
    start(...MIGRATIONS.slice(0, 2));
    const database = new DatabaseSync(path);
    database.exec(READ_TURNS_BEFORE);
    start(...MIGRATIONS);
    const rows = database.prepare(TURNS_OF_ACCOUNTS).all();
    database.close();
    expect(rows.map((row) => ({ ...row }))).toEqual(TURNS_AFTER);
  });
});

describe('an upgrade to checkouts that say what was submitted', () => {
  it('takes what is still polled for: nothing else would end it', () => {
    const SUBMITTED = 'ALTER TABLE checkouts ADD COLUMN submitted_at';
    const dialect = { bigint: '', bytes: '', text: '', identity: '', strict: '', payment: '' };
    const before = MIGRATIONS.findIndex((migration) => migration(dialect).includes(SUBMITTED));
    start(...MIGRATIONS.slice(0, before));
    const database = new DatabaseSync(path);
    database.exec('PRAGMA foreign_keys = OFF');
    for (const [orderId, nextPollAt] of [
      [700, '5000'],
      [701, 'NULL'],
    ] as const) {
      database.exec(`INSERT INTO checkouts (id, merchant, order_name, order_version, amount_minor, currency,
          decimals, state, revision, sequence, refund, refunded_minor, attention, created_at, expires_at)
        VALUES ('checkout-${String(orderId)}', 'teashop', 'A${String(orderId)}', 'version-1', 999, 'GBP', 2,
          'expired', 1, 0, 'none', 0, '[]', 0, 0)`);
      database.exec(insertAttempt(orderId, true).replaceAll("'A1001'", `'A${String(orderId)}'`));
      database.exec(`UPDATE attempts SET submitted_at = 1000, next_poll_at = ${nextPollAt}
        WHERE order_id = ${String(orderId)}`);
    }
    start(...MIGRATIONS);
    const rows = database.prepare('SELECT id FROM checkouts WHERE submitted_at = 1000').all();
    database.close();
    expect(rows.map(({ id }) => id)).toEqual(['checkout-700']);
  });
});

describe('an upgrade of the data file', () => {
  it('runs the migrations that are missing, and keeps what was there', () => {
    start(FIRST);
    start(FIRST, SECOND, THIRD);
    expect(readFile()).toEqual({
      version: 3,
      tables: ['labels', 'notes'],
      notes: [{ text: 'kept', done: null }],
    });
  });

  it('runs none of them when one fails, so that the version before still starts', () => {
    start(FIRST);
    const before = readFile();
    expect(() => {
      start(FIRST, SECOND, BROKEN);
    }).toThrow('nothing');
    expect(readFile()).toEqual(before);
    start(FIRST);
    start(FIRST, SECOND, THIRD);
    expect(readFile().version).toBe(3);
  });

  it('is not undone: the version before refuses the file, and leaves it as it is', () => {
    start(FIRST, SECOND);
    const after = readFile();
    expect(() => {
      start(FIRST);
    }).toThrow('written by a newer version of the server, and nothing was changed');
    expect(readFile()).toEqual(after);
  });

  it('leaves the file of another program as it is', () => {
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE notes (text TEXT)');
    other.close();
    const before = readFile();
    expect(() => {
      start(FIRST);
    }).toThrow('it is the file of another program');
    expect(readFile()).toEqual(before);
  });
});
