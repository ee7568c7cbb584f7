import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import type { Clock } from '../clock.js';
import { crashPoint } from '../crash-points.js';
import { DataFileError, explainDataFile } from '../store/data-file-error.js';
import { resolveDataFile } from '../store/data-file-path.js';
import { announce, carryOut, findUnfinished, stampOf, syncToDisk } from '../store/replacement.js';
import { takeDataFileLock } from '../store/sqlite-connection.js';

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
 * log: a log that stayed would be played into the backup, and damage it. Killed in the middle, it has
 * changed nothing, or is to be finished with {@link finishPutBack} before anything else.
 *
 * @returns where the file that was there is now; undefined when there was none
 * @throws {DatabaseInUseError} when a server runs on the data file
 * @throws {DataFileError} when the backup is damaged
 */
export function putBack(options: PutBackOptions): Promise<string | undefined> {
  const { path, backupFile, clock, prepare } = options;
  return whileLocked(path, async (file) => {
    const copy = copyOf(file);
    try {
      removeAll(copy);
      await copyWhole(backupFile, copy);
      crashPoint('restore:copied');
      await prepare(copy);
      crashPoint('restore:prepared');
      syncToDisk(copy);
      const replacement = { file, stamp: stampOf(clock.now()) };
      announce(copy, replacement);
      return carryOut(replacement);
    } finally {
      removeAll(copy);
    }
  });
}

/**
 * Puts the copy in its place that a restore which was killed in the middle has made, and drops one
 * that it had not made to the end.
 *
 * @returns where the file that was there is now; undefined when there was none, or nothing to finish
 */
export function finishPutBack(path: string): Promise<string | undefined> {
  return whileLocked(path, (file) => {
    removeAll(copyOf(file));
    const unfinished = findUnfinished(file);
    return Promise.resolve(unfinished && carryOut(unfinished));
  });
}

/** Where the copy of the backup is made. */
function copyOf(file: string): string {
  return `${file}.restoring`;
}

/** @param work is given the file with no link in its path */
async function whileLocked<T>(path: string, work: (file: string) => Promise<T>): Promise<T> {
  try {
    const file = resolveDataFile(path);
    const lock = takeDataFileLock(file);
    try {
      return await work(file);
    } finally {
      lock.close();
    }
  } catch (error) {
    throw explainDataFile(path, error);
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
  for (const part of ['', '-wal', '-shm', '.lock']) rmSync(file + part, { force: true });
}
