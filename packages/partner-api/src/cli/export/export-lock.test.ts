import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { makeFolder } from '../../testing/cli-runner.js';
import { ExportLock } from './export-lock.js';

/** The greatest process number of any system that we know is far below. */
const NO_PROCESS = 2 ** 30;

const TAKE_LOCK = fileURLToPath(new URL('../../testing/take-lock.mjs', import.meta.url));
const RIVALS = 6;
const ROUNDS = 40;

/** Leaves a lock as a process of which we know only its note. */
async function leaveLock(path: string, text: string): Promise<string> {
  await mkdir(path);
  const note = join(path, 'left-behind');
  await writeFile(note, text);
  return note;
}

/** What a process says when it is told something. */
async function ask(child: ChildProcess, message: object): Promise<string> {
  const answered = once(child, 'message');
  child.send(message);
  const [answer] = (await answered) as [string];
  return answer;
}

describe('the lock of an export', () => {
  it('is for one at a time, and leaves nothing behind', async () => {
    await using folder = await makeFolder();
    const output = folder.at('a.csv');
    const lock = await ExportLock.take(output);
    await expect(ExportLock.take(output)).rejects.toThrow(`writes ${output} now`);
    const other = await ExportLock.take(folder.at('b.csv'));
    await Promise.all([lock.release(), other.release()]);
    await (await ExportLock.take(output)).release();
    expect(await readdir(folder.at('.'))).toEqual([]);
  });

  it.each([
    ['of a process that has ended', { pid: NO_PROCESS, host: hostname() }],
    ['of an earlier process with our number', { pid: process.pid, host: hostname() }],
  ])('%s is taken over', async (_, holder) => {
    await using folder = await makeFolder();
    const path = folder.at('a.csv.lock');
    await leaveLock(path, JSON.stringify(holder));
    const lock = await ExportLock.take(folder.at('a.csv'));
    const notes = await readdir(path);
    expect(notes).toHaveLength(1);
    expect(JSON.parse(await readFile(join(path, notes[0] ?? ''), 'utf8'))).toEqual({
      pid: process.pid,
      host: hostname(),
    });
    await lock.release();
    expect(await readdir(folder.at('.'))).toEqual([]);
  });

  it.each([
    ['of another machine', JSON.stringify({ pid: 7, host: 'elsewhere.example' })],
    ['whose note was cut off', ''],
  ])('%s counts while it is fresh', async (_, text) => {
    await using folder = await makeFolder();
    const path = folder.at('a.csv.lock');
    const note = await leaveLock(path, text);
    await expect(ExportLock.take(folder.at('a.csv'))).rejects.toThrow(`remove the folder ${path}`);
    const aMinuteAgo = new Date(Date.now() - 60_000);
    await utimes(note, aMinuteAgo, aMinuteAgo);
    await (await ExportLock.take(folder.at('a.csv'))).release();
  });

  describe('that was killed before it got its name', () => {
    const ID = '0f8fad5b-d9cb-469f-a165-70867728950e';
    const DEAD = JSON.stringify({ pid: NO_PROCESS, host: hostname() });
    const ALIVE = JSON.stringify({ pid: process.ppid, host: hostname() });

    /** Leaves such a folder, as it was so long ago, and says what the next lock leaves of it. */
    async function sweep(
      name: string,
      files: Readonly<Record<string, string>>,
      hoursAgo = 2,
    ): Promise<readonly string[]> {
      await using folder = await makeFolder();
      const path = folder.at(name);
      await mkdir(path);
      const then = new Date(Date.now() - hoursAgo * 3_600_000);
      for (const [file, text] of Object.entries(files)) {
        await writeFile(join(path, file), text);
        await utimes(join(path, file), then, then);
      }
      await utimes(path, then, then);
      await (await ExportLock.take(folder.at('a.csv'))).release();
      return await readdir(folder.at('.'));
    }

    it.each([
      ['empty', {}],
      ['with its note', { [ID]: DEAD }],
      ['with a note that was cut off', { [ID]: '' }],
      ['with the note of another machine', { [ID]: '{"pid":7,"host":"elsewhere.example"}' }],
    ])('is swept by the next one: %s', async (_, files) => {
      expect(await sweep(`a.csv.lock.${ID}`, files)).toEqual([]);
    });

    it('is left while it is younger than an hour, or its process lives', async () => {
      expect(await sweep(`a.csv.lock.${ID}`, {}, 0.9)).toEqual([`a.csv.lock.${ID}`]);
      expect(await sweep(`a.csv.lock.${ID}`, { [ID]: ALIVE })).toEqual([`a.csv.lock.${ID}`]);
    });

    it('takes nothing along that is another’s', async () => {
      for (const [name, files] of [
        [`b.csv.lock.${ID}`, {}],
        ['a.csv.lock.mine', {}],
        [`a.csv.lock.${ID}`, { 'thesis.txt': 'precious' }],
      ] as const) {
        expect(await sweep(name, files)).toEqual([name]);
      }
    });
  });

  it('left by a crash has one heir at most, however many processes start in the same instant', async () => {
    await using folder = await makeFolder();
    const dead = JSON.stringify({ pid: NO_PROCESS, host: hostname() });
    const rivals = Array.from({ length: RIVALS }, () => fork(TAKE_LOCK));
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const output = folder.at(`${round}.csv`);
        await leaveLock(`${output}.lock`, dead);
        const at = Date.now() + 20;
        const answers = await Promise.all(rivals.map((rival) => ask(rival, { output, at })));
        expect(answers.filter((answer) => answer === 'taken')).toHaveLength(1);
        expect(await readdir(`${output}.lock`)).toHaveLength(1);
        await Promise.all(rivals.map((rival) => ask(rival, {})));
      }
      expect(await readdir(folder.at('.'))).toEqual([]);
    } finally {
      for (const rival of rivals) rival.kill();
    }
  }, 30_000);
});
