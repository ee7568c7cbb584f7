import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';

import { makeFolder } from '../../testing/cli-runner.js';
import { ExportLock } from './export-lock.js';

/** The greatest process number of any system that we know is far below. */
const NO_PROCESS = 2 ** 30;

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
    await writeFile(folder.at('a.csv.lock'), JSON.stringify(holder));
    const lock = await ExportLock.take(folder.at('a.csv'));
    expect(JSON.parse(await readFile(folder.at('a.csv.lock'), 'utf8'))).toEqual({
      pid: process.pid,
      host: hostname(),
    });
    await lock.release();
  });

  it.each([
    ['of another machine', JSON.stringify({ pid: 7, host: 'elsewhere.example' })],
    ['that is just being written', ''],
  ])('%s counts while it is fresh', async (_, text) => {
    await using folder = await makeFolder();
    const path = folder.at('a.csv.lock');
    await writeFile(path, text);
    await expect(ExportLock.take(folder.at('a.csv'))).rejects.toThrow(`remove ${path}`);
    const aMinuteAgo = new Date(Date.now() - 60_000);
    await utimes(path, aMinuteAgo, aMinuteAgo);
    await (await ExportLock.take(folder.at('a.csv'))).release();
  });
});
