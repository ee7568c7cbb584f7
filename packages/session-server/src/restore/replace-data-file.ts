import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import type { Clock } from '../clock.js';
import {
  DataFileError,
  explainDataFile,
  resolveDataFile,
  takeDataFileLock,
} from '../store/data-file.js';

/** Suffixes of the files that SQLite and the lock keep next to an open data file. */
const SIDE_FILES = ['-wal', '-shm', '.lock'];
const LOCKED = 'another program has it locked; close that program, and start again';
/** Result codes of SQLite for a file that is damaged, or no database. */
const DAMAGED = [11, 26];

export interface ReplaceDataFileOptions {
  /** The data file of the server. It may be missing or damaged. */
  readonly path: string;
  readonly backupFile: string;
  readonly clock: Clock;
  /** Called with the copy of the backup. When it throws, nothing has changed. */
  readonly prepare: (copy: string) => Promise<void>;
  /** Test hook, called after each step at which a drill kills the command. */
  readonly onStep?: ((step: string) => void) | undefined;
}

/**
 * Replaces the data file with a copy of a backup, by one rename: killed at any point, the command
 * leaves the old file or the new one, and can be run again. The old file is kept next to it.
 *
 * @returns where the old file is kept; undefined when there was none
 * @throws {DatabaseInUseError} when a server runs on the data file
 * @throws {DataFileError} when the backup is damaged
 */
export async function replaceDataFile(
  options: ReplaceDataFileOptions,
): Promise<string | undefined> {
  const { path, backupFile, clock, prepare, onStep } = options;
  try {
    const file = resolveDataFile(path);
    const copy = `${file}.restoring`;
    const lock = takeDataFileLock(file);
    try {
      remove(copy, ['', ...SIDE_FILES]);
      await copyBackup(backupFile, copy);
      onStep?.('restore:copied');
      await prepare(copy);
      remove(copy, SIDE_FILES);
      syncToDisk(copy);
      const kept = keepOldFile(file, clock.now());
      onStep?.('restore:old-file-kept');
      if (kept !== undefined) moveLogIntoFile(file);
      // A log left behind would be replayed into the copy, and damage it.
      remove(file, ['-wal', '-shm']);
      renameSync(copy, file);
      syncToDisk(dirname(file));
      onStep?.('restore:file-replaced');
      return kept;
    } finally {
      remove(copy, ['', ...SIDE_FILES]);
      lock.close();
    }
  } catch (error) {
    throw explainDataFile(path, error);
  }
}

/** Copies the backup, including a log next to it, and checks every page. */
async function copyBackup(backupFile: string, copy: string): Promise<void> {
  if (!existsSync(backupFile)) throw new DataFileError(backupFile, 'there is no such backup');
  closeSync(openSync(copy, 'a', 0o600));
  try {
    const source = new DatabaseSync(backupFile, { readOnly: true });
    await backup(source, copy).finally(() => {
      source.close();
    });
    const database = new DatabaseSync(copy, { readOnly: true });
    try {
      const [row] = database.prepare('PRAGMA integrity_check(1)').all();
      if (row?.['integrity_check'] !== 'ok') throw new Error(String(row?.['integrity_check']));
      database.prepare('SELECT 1 FROM checkouts, attempts LIMIT 1').get();
    } finally {
      database.close();
    }
  } catch (error) {
    throw new DataFileError(
      backupFile,
      'this is not a backup, or a damaged one; nothing was changed: use another one',
      { cause: error },
    );
  }
}

/** Copies the old file and its log, byte for byte. */
function keepOldFile(file: string, now: number): string | undefined {
  if (!existsSync(file)) return undefined;
  const kept = `${file}.replaced-${new Date(now).toISOString().replaceAll(/[^0-9TZ]/g, '')}`;
  for (const part of ['-wal', '']) {
    if (!existsSync(file + part)) continue;
    copyFileSync(file + part, kept + part);
    syncToDisk(kept + part);
  }
  return kept;
}

/** From here on, the old file is whole without its log, unless it is damaged. */
function moveLogIntoFile(file: string): void {
  const database = new DatabaseSync(file);
  try {
    const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    if (row?.['busy'] !== 0) throw new DataFileError(file, LOCKED);
  } catch (error) {
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
    if (!DAMAGED.includes(code)) throw error;
  } finally {
    database.close();
  }
}

function remove(file: string, parts: readonly string[]): void {
  for (const part of parts) rmSync(file + part, { force: true });
}

/** Makes a file, or the names in a folder, survive a power cut. */
function syncToDisk(path: string): void {
  // Windows cannot sync a folder and does not need it.
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
