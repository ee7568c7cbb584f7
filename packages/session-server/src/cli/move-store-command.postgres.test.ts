import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../config.js';
import { startSessionServer } from '../running-server.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres-store.js';
import { TestStack } from '../testing/test-stack.js';
import { MOVED_TABLES, runMoveStore } from './move-store-command.js';

let target: TestDatabase;
let stack: TestStack;
beforeEach(async () => {
  target = await createTestDatabase('template0');
  stack = await TestStack.start();
});
afterEach(async () => {
  await stack.close();
  await target.drop();
});

const config = () =>
  parseConfig(
    {
      ...stack.env,
      DATABASE_URL: target.url,
      PAY_ENCRYPTION_KEY: readFileSync(`${stack.databaseFile}.body-key`, 'utf8'),
    },
    stack.tuning,
  );

/** Rows of the data file, in the order of their columns. */
function sourceRows(table: string): unknown[][] {
  const source = new DatabaseSync(stack.databaseFile, { readOnly: true });
  try {
    return source
      .prepare(`SELECT * FROM ${table}`)
      .all()
      .map((row) => Object.values(row).map(plain));
  } finally {
    source.close();
  }
}

/** Whole numbers come as texts from a driver without our settings. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'number' ? String(value) : value;
}

/** An order that is paid, with a webhook, one that is open, and one that was cancelled. */
async function trade(): Promise<{ paid: string; open: string }> {
  const paid = (await stack.open('A1', { amount: '9.99' })).body;
  await stack.payAtProvider(paid.sessionId ?? '');
  await stack.post(stack.webhookPath(paid.sessionId ?? ''), { note: 'a webhook' });
  await stack.fetch(stack.returnPath(paid.sessionId ?? '', 'RedirectUrl'));
  await stack.until(paid.checkout, 'paid');
  const open = (await stack.open('A2', { amount: '7.50' })).body;
  const left = (await stack.open('A3', { amount: '1.25' })).body;
  await stack.fetch(stack.returnPath(left.sessionId ?? '', 'CancelUrl'));
  return { paid: paid.checkout, open: open.sessionId ?? '' };
}

describe('a data file that is moved to PostgreSQL', () => {
  it('is there row by row, and its servers go on with it', async () => {
    const { paid, open } = await trade();
    await stack.server.close();
    const said = await runMoveStore(config());
    expect(said.join('\n')).toContain('checkouts            3 rows; sums: amount_minor 1874');
    for (const table of Object.keys(MOVED_TABLES)) {
      const moved = await target.query(`SELECT * FROM ${table}`);
      const rows = moved.map((row) => Object.values(row).map(plain));
      expect([table, rows.toSorted()]).toEqual([table, sourceRows(table).toSorted()]);
    }
    stack.server = await startSessionServer(config(), { clock: stack.clock });
    expect((await stack.reopen('A1')).body).toMatchObject({ checkout: paid, state: 'paid' });
    expect((await stack.reopen('A2')).body).toMatchObject({ sessionId: open });
    const next = (await stack.open('A4', { amount: '3.00' })).body;
    expect(next).toMatchObject({ state: 'open' });
    await stack.post(stack.webhookPath(next.sessionId ?? ''), { note: 'another' });
    await expect.poll(() => target.query('SELECT id FROM webhooks')).toHaveLength(2);
  });

  it('is moved whole or not at all: not into a database that has orders, nor while a server runs', async () => {
    await trade();
    await expect(runMoveStore(config())).rejects.toThrow('another process has this data file open');
    await stack.server.close();
    await runMoveStore(config());
    await target.query(`UPDATE checkouts SET shop_version = 'theirs'`);
    await expect(runMoveStore(config())).rejects.toThrow('the database is not empty');
    expect(await target.query('SELECT DISTINCT shop_version FROM checkouts')).toEqual([
      { shop_version: 'theirs' },
    ]);
    await stack.startServer();
  });

  it('leaves nothing behind when a row cannot be moved', async () => {
    await trade();
    await stack.server.close();
    await expect(runMoveStore({ ...config(), databaseFile: undefined })).rejects.toThrow(
      'expected',
    );
    const source = new DatabaseSync(stack.databaseFile);
    source.exec(`PRAGMA foreign_keys = OFF; UPDATE attempts SET checkout = 'none'`);
    source.close();
    await expect(runMoveStore(config())).rejects.toThrow('foreign key');
    expect(await target.query('SELECT id FROM checkouts')).toEqual([]);
    await stack.startServer();
  });

  it('is known table by table', () => {
    const source = new DatabaseSync(stack.databaseFile, { readOnly: true });
    const tables = source
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
      .all()
      .map(({ name }) => String(name));
    source.close();
    expect(tables.filter((name) => !/^(read_turns|servers)$/.test(name)).toSorted()).toEqual(
      Object.keys(MOVED_TABLES).toSorted(),
    );
  });
});
