import { readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';

import { makeFolder } from '../testing/cli-runner.js';
import { ExportFile } from './export-file.js';

const STATE = { request: 'r', rows: 1, position: { written: [] } };

describe('an export file', () => {
  it('killed after its last name was given is whole, and the checkpoint goes', async () => {
    await using folder = await makeFolder();
    const output = folder.at('a.csv');
    const options = { output, request: 'r', restart: false, overwrite: false };
    const file = await ExportFile.open(options);
    await file!.append('row\r\n');
    await file!.save({ ...STATE, ended: true });
    const checkpoint = await readFile(`${output}.checkpoint`, 'utf8');
    await file!.finish();
    await writeFile(`${output}.checkpoint`, checkpoint);
    expect(await ExportFile.open(options)).toBeUndefined();
    expect(await readFile(output, 'utf8')).toBe('row\r\n');
    await expect(ExportFile.open(options)).rejects.toThrow('--overwrite');
  });

  it('killed before its last name was given gets it in the next run', async () => {
    await using folder = await makeFolder();
    const output = folder.at('a.csv');
    const options = { output, request: 'r', restart: false, overwrite: false };
    const killed = await ExportFile.open(options);
    await killed!.append('row\r\n');
    await killed!.save({ ...STATE, ended: true });
    await killed!.close();
    const next = await ExportFile.open(options);
    expect(next!.resumed).toMatchObject({ ended: true, bytes: 5 });
    await next!.finish();
    expect(await readFile(output, 'utf8')).toBe('row\r\n');
  });
});

describe('the lock of an export', () => {
  /** The greatest process number of any system that we know is far below. */
  const NO_PROCESS = 2 ** 30;

  it.each([
    ['of a process that runs', `${process.ppid} ${hostname()}`],
    ['of another machine', '7 elsewhere.example'],
    ['that was cut off', ''],
  ])('%s keeps a second export away', async (_, text) => {
    await using folder = await makeFolder();
    const output = folder.at('a.csv');
    await writeFile(`${output}.lock`, text);
    const options = { output, request: 'r', restart: false, overwrite: false };
    await expect(ExportFile.open(options)).rejects.toThrow(`remove ${output}.lock`);
    expect(await readdir(folder.at('.'))).toEqual(['a.csv.lock']);
  });

  it.each([
    ['of a process that has ended', NO_PROCESS],
    ['of an earlier process with our number', process.pid],
  ])('%s is taken over, and goes with the export', async (_, pid) => {
    await using folder = await makeFolder();
    const output = folder.at('a.csv');
    await writeFile(`${output}.lock`, `${pid} ${hostname()}`);
    const options = { output, request: 'r', restart: false, overwrite: false };
    const file = await ExportFile.open(options);
    expect(await readFile(`${output}.lock`, 'utf8')).toBe(`${process.pid} ${hostname()}`);
    await file!.close();
    expect(await readdir(folder.at('.'))).toEqual(['a.csv.partial']);
  });
});
