import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DiskFailedError } from './disk-failed-error.js';
import { GroupCommit, MAX_AHEAD, type WriteOptions } from './group-commit.js';

/** A disk that answers when the test says so. */
class SlowDisk {
  syncs = 0;
  #answer: (error?: Error) => void = () => undefined;
  #asked: () => void = () => undefined;

  readonly sync = (): Promise<void> => {
    this.syncs += 1;
    const answered = new Promise<void>((resolve, reject) => {
      this.#answer = (error) => {
        if (error) reject(error);
        else resolve();
      };
    });
    this.#asked();
    return answered;
  };

  /** Resolves when it is asked the next time. */
  asked(): Promise<void> {
    return new Promise((resolve) => {
      this.#asked = resolve;
    });
  }

  answer(error?: Error): void {
    this.#answer(error);
  }
}

describe('writes that share a commit', () => {
  let folder: string;
  let database: DatabaseSync;
  let disk: SlowDisk;
  let commits: GroupCommit;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'commit-'));
    database = new DatabaseSync(join(folder, 'data.sqlite'));
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT UNIQUE)');
    disk = new SlowDisk();
    commits = new GroupCommit(database, disk.sync);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    database.close();
    rmSync(folder, { recursive: true });
  });
  const note = (text: string, options?: WriteOptions<unknown>): Promise<unknown> =>
    commits.write(
      () => database.prepare('INSERT INTO notes VALUES (?)').run(text).changes,
      options,
    );
  const notes = (): unknown[] =>
    database
      .prepare('SELECT text FROM notes ORDER BY text')
      .all()
      .map(({ text }) => text);

  it('are answered when the disk has answered, and not before', async () => {
    const asked = disk.asked();
    let answers = 0;
    const written = Promise.all(['a', 'b'].map((text) => note(text).then(() => (answers += 1))));
    await asked;
    expect([answers, notes(), disk.syncs]).toEqual([0, ['a', 'b'], 1]);
    disk.answer();
    await written;
    expect(answers).toBe(2);
  });

  it('gather while the disk is busy, and then share the next sync', async () => {
    const asked = disk.asked();
    const first = note('a');
    await asked;
    const others = Promise.all([note('b'), note('c'), note('d')]);
    const askedAgain = disk.asked();
    disk.answer();
    await first;
    await askedAgain;
    disk.answer();
    await others;
    expect([notes(), disk.syncs]).toEqual([['a', 'b', 'c', 'd'], 2]);
  });

  it('let later ones share their commit where they are patient, for some turns of the loop', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0);
    const asked = disk.asked();
    const first = note('a', { isPatient: true });
    await nextTurn();
    const second = note('b', { isPatient: true });
    await asked;
    disk.answer();
    await Promise.all([first, second]);
    expect([notes(), disk.syncs]).toEqual([['a', 'b'], 1]);
  });

  it('are patient for some milliseconds only, however long a turn takes', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const asked = disk.asked();
    const written = note('a', { isPatient: true });
    await nextTurn();
    expect(notes()).toEqual([]);
    now = 6;
    await nextTurn();
    expect(notes()).toEqual(['a']);
    await asked;
    disk.answer();
    await written;
  });

  it('make no other one wait with them', async () => {
    const asked = disk.asked();
    const written = [note('a', { isPatient: true }), note('b')];
    await nextTurn();
    expect(notes()).toEqual(['a', 'b']);
    await asked;
    disk.answer();
    await Promise.all(written);
  });

  it('go ahead when they are committed, where they may, and the disk still makes them durable', async () => {
    const insert = (text: string): string => {
      database.prepare('INSERT INTO notes VALUES (?)').run(text);
      return text;
    };
    const answers: string[] = [];
    const asked = disk.asked();
    const written = ['a', 'b', 'c'].map((text) =>
      commits.write(() => insert(text), { mayGoAhead: (value) => value !== 'b' }),
    );
    for (const one of written) void one.then((value) => answers.push(value));
    await asked;
    await Promise.all([written[0], written[2]]);
    expect([answers, notes(), disk.syncs]).toEqual([['a', 'c'], ['a', 'b', 'c'], 1]);
    disk.answer();
    await written[1];
    expect(answers).toEqual(['a', 'c', 'b']);
  });

  it('go ahead so many at a time that each of them could be lost, and no more', async () => {
    let answers = 0;
    const asked = disk.asked();
    const written = Array.from({ length: MAX_AHEAD + 1 }, (_, at) =>
      commits
        .write(() => database.prepare('INSERT INTO notes VALUES (?)').run(String(at)), {
          mayGoAhead: () => true,
        })
        .then(() => (answers += 1)),
    );
    await asked;
    await Promise.all(written.slice(0, MAX_AHEAD));
    expect(answers).toBe(MAX_AHEAD);
    disk.answer();
    await Promise.all(written);
  });

  it('that went ahead of a disk which then fails are the last ones: nothing follows from them', async () => {
    const asked = disk.asked();
    const ahead = commits.write(
      () => database.prepare('INSERT INTO notes VALUES (?)').run('a').changes,
      { mayGoAhead: () => true },
    );
    await asked;
    await ahead;
    const next = note('b');
    disk.answer(new Error('the disk is broken'));
    await expect(next).rejects.toMatchObject({ cause: { message: 'the disk is broken' } });
  });

  it('do not bother the disk when they changed nothing', async () => {
    await commits.write(() => undefined);
    expect(disk.syncs).toBe(0);
  });

  it('undo nothing but themselves when they throw', async () => {
    const asked = disk.asked();
    const written = Promise.allSettled([note('a'), note('a'), note('b')]);
    await asked;
    disk.answer();
    const results = await written;
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(notes()).toEqual(['a', 'b']);
  });

  it('are refused together, with the true reason, when the disk is full; the next one is kept', async () => {
    const pages = database.prepare('PRAGMA page_count').get()?.['page_count'];
    database.exec(`PRAGMA max_page_count = ${String(Number(pages) + 1)}`);
    const results = await Promise.allSettled(
      ['a', 'b'.repeat(100_000), 'c'].map((text) => note(text)),
    );
    const reason = { message: 'database or disk is full' };
    expect(results).toMatchObject([{ reason }, { reason }, { reason }]);
    expect(notes()).toEqual([]);
    const asked = disk.asked();
    const later = note('d');
    await asked;
    disk.answer();
    await later;
    expect(notes()).toEqual(['d']);
  });

  it('tell what is to be told once, when they are committed, and nothing of what was undone', async () => {
    const told: string[] = [];
    const tellAndNote = (text: string): Promise<unknown> =>
      commits.write(() => {
        commits.afterCommit(() => told.push(`${text} of ${String(notes().length)}`));
        database.prepare('INSERT INTO notes VALUES (?)').run(text);
      });
    const asked = disk.asked();
    const written = Promise.allSettled(['a', 'a', 'b'].map(tellAndNote));
    await asked;
    expect(told).toEqual(['a of 2', 'b of 2']);
    disk.answer();
    await written;
    expect(told).toHaveLength(2);
  });

  it('are refused, also later ones, when the disk says that it could not keep them', async () => {
    const asked = disk.asked();
    const written = note('a');
    await asked;
    disk.answer(new Error('the disk is broken'));
    const reason = { name: 'DiskFailedError', cause: { message: 'the disk is broken' } };
    await expect(written).rejects.toMatchObject(reason);
    await expect(note('b')).rejects.toMatchObject(reason);
    expect(notes()).toEqual(['a']);
  });

  it('let readers wait for as long as the disk has not answered', async () => {
    const answers: string[] = [];
    const asked = disk.asked();
    const written = note('a');
    await asked;
    const read = commits.read(notes).then(() => answers.push('read'));
    await nextTurn();
    answers.push('the disk');
    disk.answer();
    await Promise.all([written, read]);
    expect(answers).toEqual(['the disk', 'read']);
  });

  it('that the disk did not keep are read by nobody', async () => {
    const asked = disk.asked();
    const written = note('a');
    await asked;
    const read = commits.read(notes);
    disk.answer(new Error('the disk is broken'));
    await expect(written).rejects.toThrow(DiskFailedError);
    await expect(read).rejects.toThrow(DiskFailedError);
    await expect(commits.read(notes)).rejects.toThrow(DiskFailedError);
  });

  it('are all on the disk after a flush', async () => {
    const asked = disk.asked();
    const first = note('a');
    await asked;
    const second = note('b');
    const flushed = commits.flush();
    const askedAgain = disk.asked();
    disk.answer();
    await askedAgain;
    disk.answer();
    await Promise.all([flushed, first, second]);
    expect([notes(), disk.syncs]).toEqual([['a', 'b'], 2]);
  });
});
