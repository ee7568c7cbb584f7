import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

import { makeFolder } from '../../testing/cli-runner.js';
import { ExportFile } from './export-file.js';

const STATE = { request: 'r', rows: 1, position: '{}' };

describe('an export file', () => {
  it('killed after its last name was given is whole, and the checkpoint goes', async () => {
    await using folder = await makeFolder();
    const output = folder.at('a.csv');
    const options = { output, request: 'r', restart: false, overwrite: false };
    const file = await ExportFile.open(options);
    await file!.append(Buffer.from('row\r\n'));
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
    await killed!.append(Buffer.from('row\r\n'));
    await killed!.save({ ...STATE, ended: true });
    await killed!.close();
    const next = await ExportFile.open(options);
    expect(next!.resumed).toMatchObject({ ended: true, bytes: 5 });
    await next!.finish();
    expect(await readFile(output, 'utf8')).toBe('row\r\n');
  });
});
