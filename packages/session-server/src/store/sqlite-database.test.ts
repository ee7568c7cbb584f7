import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Transaction } from './database.js';
import { sql } from './sql.js';
import { SqliteDatabase } from './sqlite-database.js';

let folder: string;
let path: string;
let database: SqliteDatabase;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'database-'));
  path = join(folder, 'data.sqlite');
  database = new SqliteDatabase(path);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await database.close();
  rmSync(folder, { recursive: true });
});

const insert = (tx: Transaction, name: string): Promise<number> =>
  tx.run(sql.insert('counters', { name, value: 1 }));
const note = (name: string): Promise<number> =>
  database.transaction('note', (tx) => insert(tx, name));
const notes = async (): Promise<unknown[]> =>
  (await database.all(sql`SELECT name FROM counters ORDER BY name`)).map(({ name }) => name);

/** Fails the next statements that begin with these words, as SQLite would. */
function failOn(words: string, failure: Error): void {
  const exec = DatabaseSync.prototype.exec;
  vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
    this: DatabaseSync,
    text: string,
  ) {
    if (text.startsWith(words)) throw failure;
    exec.call(this, text);
  });
}

const failedSync = (): Error => Object.assign(new Error('disk I/O error'), { errcode: 1034 });

describe('transactions that are asked for together', () => {
  it('share one commit, and are answered after it', async () => {
    const steps: string[] = [];
    const exec = DatabaseSync.prototype.exec;
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
      this: DatabaseSync,
      text: string,
    ) {
      exec.call(this, text);
      if (text === 'COMMIT') steps.push(text);
    });
    await Promise.all(['a', 'b', 'c'].map(async (name) => steps.push(String(await note(name)))));
    expect(steps).toEqual(['COMMIT', '1', '1', '1']);
    expect(await notes()).toEqual(['a', 'b', 'c']);
  });

  it('undo nothing but themselves when they throw', async () => {
    const results = await Promise.allSettled(['a', 'a', 'b'].map(note));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await notes()).toEqual(['a', 'b']);
  });

  it('see what those before them wrote, and their own writes', async () => {
    const count = (): Promise<unknown> =>
      database.transaction('count', async (tx) => {
        await insert(tx, `row ${String(Math.random())}`);
        return (await tx.get(sql`SELECT count(*) AS count FROM counters`))?.['count'];
      });
    expect(await Promise.all([count(), count()])).toEqual([1, 2]);
  });

  it('are all rejected, with the true reason, when the disk is full; the next one is kept', async () => {
    const limit = (pages: number): void => {
      const prepare = DatabaseSync.prototype.prepare;
      vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (
        this: DatabaseSync,
        text: string,
      ) {
        this.exec(`PRAGMA max_page_count = ${String(pages)}`);
        return prepare.call(this, text);
      });
    };
    limit(1);
    const long = 'b'.repeat(200_000);
    const results = await Promise.allSettled(['a', long, 'c'].map(note));
    const reason = { message: 'database or disk is full' };
    expect(results).toMatchObject([{ reason }, { reason }, { reason }]);
    vi.restoreAllMocks();
    expect(await notes()).toEqual([]);
    await note('d');
    expect(await notes()).toEqual(['d']);
  });

  it('are all rejected when the commit fails, and the next one is kept', async () => {
    failOn('COMMIT', new Error('interrupted'));
    const results = await Promise.allSettled([note('a'), note('b')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    vi.restoreAllMocks();
    await note('c');
    expect(await notes()).toEqual(['c']);
  });
});

describe('what follows from a transaction', () => {
  it('happens once it is committed, before anyone is answered, and not when it was undone', async () => {
    const happened: string[] = [];
    const noteAndReport = (name: string): Promise<void> =>
      database.transaction('note', async (tx) => {
        tx.afterCommit(() => happened.push(`effect of ${name}`));
        await insert(tx, name);
      });
    const answered = ['a', 'a', 'b'].map((name) =>
      noteAndReport(name).then(
        () => happened.push('answer'),
        () => happened.push('refusal'),
      ),
    );
    await Promise.all(answered);
    expect(happened).toEqual(['effect of a', 'effect of b', 'answer', 'refusal', 'answer']);
  });
});

describe('a transaction', () => {
  it('may await nothing but its own statements', async () => {
    const slow = database.transaction('slow', async (tx) => {
      await insert(tx, 'a');
      await nextTurn();
    });
    await expect(slow).rejects.toThrow(
      'transaction "slow" awaits something other than its own statements',
    );
    expect(await notes()).toEqual([]);
  });

  it('takes no statement when it is over', async () => {
    let late: Transaction | undefined;
    await database.transaction('early', (tx) => {
      late = tx;
      return Promise.resolve();
    });
    await expect(late?.run(sql`DELETE FROM counters`)).rejects.toThrow('"early" is over');
  });

  it('is not seen by readers before it is committed', async () => {
    const before = await database.transaction('note', async (tx) => {
      await insert(tx, 'a');
      return database.all(sql`SELECT * FROM counters`);
    });
    expect(before).toEqual([]);
    expect(await notes()).toEqual(['a']);
  });
});

describe('after a sync that failed', () => {
  beforeEach(async () => {
    await note('kept');
    failOn('COMMIT', failedSync());
    await expect(note('lost')).rejects.toMatchObject({ name: 'DiskFailedError' });
    vi.restoreAllMocks();
  });

  it('nothing is written, although the disk seems to work again', async () => {
    await expect(note('later')).rejects.toThrow('restart the server');
  });

  it('nothing is read', async () => {
    await expect(notes()).rejects.toThrow('the disk did not keep what was written');
  });

  it('the next start goes on with what is there', async () => {
    await database.close();
    database = new SqliteDatabase(path);
    expect(await notes()).toEqual(['kept']);
    await note('later');
  });
});

describe('a database that is closing', () => {
  it('finishes what it was asked for', async () => {
    const first = note('a');
    const closed = database.close();
    await Promise.all([first, closed]);
    database = new SqliteDatabase(path);
    expect(await notes()).toEqual(['a']);
  });

  it('refuses what comes later', async () => {
    await database.close();
    await expect(note('a')).rejects.toThrow('not open');
    database = new SqliteDatabase(path);
  });
});

describe('SQL', () => {
  it('keeps values apart from text, also in parts of a statement', async () => {
    await Promise.all(['a', 'b', "c' OR 1=1 --"].map(note));
    const only = sql` AND value = ${1}`;
    const found = await database.all(
      sql`SELECT name FROM counters WHERE name IN ${sql.list(['a', "c' OR 1=1 --"])}${only} ORDER BY name`,
    );
    expect(found.map(({ name }) => name)).toEqual(['a', "c' OR 1=1 --"]);
  });

  it('is sent no statement with an empty list', () => {
    expect(() => sql.list([])).toThrow('matches nothing');
  });
});

it('a statement that may be lost is not synced; what is stored with it or after it is', async () => {
  const synced: unknown[] = [];
  const exec = DatabaseSync.prototype.exec;
  vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
    this: DatabaseSync,
    text: string,
  ) {
    exec.call(this, text);
    if (text === 'COMMIT') synced.push(this.prepare('PRAGMA synchronous').get()?.['synchronous']);
  });
  const write = (name: string) =>
    database.write((unsynced) => sql`${sql.insert('counters', { name, value: 1 })} ${unsynced}`);
  await write('plan');
  await note('payment');
  await Promise.all([write('another plan'), note('another payment')]);
  expect(synced).toEqual([1, 2, 2]);
  expect(await notes()).toEqual(['another payment', 'another plan', 'payment', 'plan']);
});
