import { mkdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

import { makeFolder } from '../../testing/cli-runner.js';
import { ExportFile } from './export-file.js';
import { PageWriter } from './page-writer.js';

const STATE = { request: 'r', rows: 1, position: '{}', ended: false };

async function openFile(output: string): Promise<ExportFile> {
  const file = await ExportFile.open({ output, request: 'r', restart: false, overwrite: false });
  return file!;
}

describe('pages that are written while the next one is read', () => {
  it('are counted by a checkpoint only when they came before it', async () => {
    await using folder = await makeFolder();
    const file = await openFile(folder.at('a.csv'));
    const writer = new PageWriter(file);
    writer.write(Buffer.from('one\r\n'));
    writer.beginSave(STATE);
    writer.write(Buffer.from('two\r\n'));
    await expect.poll(() => writer.isSaving).toBe(false);
    expect(file.saved).toMatchObject({ bytes: 5 });
    await writer.save({ ...STATE, rows: 2 });
    expect(file.saved).toMatchObject({ bytes: 10, rows: 2 });
    expect(await readFile(folder.at('a.csv.partial'), 'utf8')).toBe('one\r\ntwo\r\n');
    await file.close();
  });

  it('are given up when a checkpoint cannot be written', async () => {
    await using folder = await makeFolder();
    const file = await openFile(folder.at('a.csv'));
    await mkdir(folder.at('a.csv.checkpoint.new'));
    const writer = new PageWriter(file);
    writer.write(Buffer.from('one\r\n'));
    writer.beginSave(STATE);
    await expect.poll(() => writer.isSaving).toBe(false);
    await expect(writer.whenWritten()).rejects.toThrow('Could not write');
    await expect(writer.save(STATE)).rejects.toThrow('Could not write');
    await file.close();
  });

  it('are given up when a page cannot be written', async () => {
    await using folder = await makeFolder();
    const file = await openFile(folder.at('a.csv'));
    await file.close();
    const writer = new PageWriter(file);
    writer.write(Buffer.from('one\r\n'));
    await expect(writer.whenWritten()).rejects.toThrow();
    await expect(writer.save(STATE)).rejects.toThrow();
  });
});
