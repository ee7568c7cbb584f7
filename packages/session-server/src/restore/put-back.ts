import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import type { Clock } from '../clock.js';
import { DataFileError, explainDataFile } from '../sqlite/data-file-error.js';
import { takeDataFileLock } from '../sqlite/sqlite-connection.js';

/** A data file, and what SQLite keeps beside it. */
const PARTS = ['-wal', '-shm', ''] as const;

export interface PutBackOptions {
  /** The data file of the server; it may be missing, or damaged. */
  readonly path: string;
  readonly backupFile: string;
  readonly clock: Clock;
  /** Called with the copy before it is in its place; when it throws, nothing was changed. */
  readonly prepare: (copy: string) => Promise<void>;
}

/**
 * Puts a copy of a backup in the place of the data file. What was there is kept beside it, with its
 * log: a log that stayed would be played into the backup, and damage it.
 *
 * @returns where the file that was there is now; undefined when there was none
 * @throws {DatabaseInUseError} when a server runs on the data file
 * @throws {DataFileError} when the backup is damaged
 */
export async function putBack(options: PutBackOptions): Promise<string | undefined> {
  const { path, backupFile, clock, prepare } = options;
  // Not where a link stands, but where it leads.
  const file = existsSync(path)
    ? realpathSync(path)
    : join(realpathSync(dirname(path)), basename(path));
  const copy = `${file}.restoring`;
  const lock = takeDataFileLock(file);
  try {
    removeAll(copy);
    await copyWhole(backupFile, copy);
    await prepare(copy);
    syncToDisk(copy);
    const stamp = new Date(clock.now()).toISOString().replaceAll(/[^0-9TZ]/g, '');
    const kept = existsSync(file) ? `${file}.replaced-${stamp}` : undefined;
    for (const part of PARTS) {
      if (existsSync(file + part)) renameSync(file + part, `${file}.replaced-${stamp}${part}`);
    }
    renameSync(copy, file);
    syncToDisk(dirname(file));
    return kept;
  } catch (error) {
    throw explainDataFile(path, error);
  } finally {
    removeAll(copy);
    lock.close();
  }
}

/** Copies what the backup holds, with a log that lies beside it, and looks at every page of it. */
async function copyWhole(backupFile: string, copy: string): Promise<void> {
  if (!existsSync(backupFile)) throw new DataFileError(backupFile, 'there is no such backup');
  closeSync(openSync(copy, 'a', 0o600));
  try {
    const source = new DatabaseSync(backupFile, { readOnly: true });
    try {
      await backup(source, copy);
    } finally {
      source.close();
    }
    refuseDamaged(copy);
  } catch (error) {
    throw new DataFileError(
      backupFile,
      'this backup is damaged, or none; nothing was changed: take another one',
      { cause: error },
    );
  }
}

function refuseDamaged(copy: string): void {
  const database = new DatabaseSync(copy, { readOnly: true });
  try {
    const [row] = database.prepare('PRAGMA integrity_check(1)').all();
    if (row?.['integrity_check'] !== 'ok') throw new Error(String(row?.['integrity_check']));
    database.prepare('SELECT 1 FROM checkouts, attempts, events LIMIT 1').get();
  } finally {
    database.close();
  }
}

function removeAll(file: string): void {
  for (const part of [...PARTS, '.lock']) rmSync(file + part, { force: true });
}

function syncToDisk(path: string): void {
  // Windows cannot sync a folder, and needs not.
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
