import { DatabaseSync } from 'node:sqlite';
import { DataFileError } from './data-file-error.js';

/** SQLITE_BUSY: somebody else has the lock. */
const BUSY = 5;
/** SQLITE_NOTADB: the file holds something else. */
const NO_DATABASE = 26;

/** Thrown when another process holds the data file. */
export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError';
}

/**
 * Holds a data file against every other process that would write to it, until it is closed.
 *
 * @param file with no link in it
 */
export function takeDataFileLock(file: string): DatabaseSync {
  const path = `${file}.lock`;
  const lock = new DatabaseSync(path);
  try {
    lock.exec('PRAGMA busy_timeout = 2000; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (isNoDatabase(error)) {
      const what = 'it is no lock of ours, and holds nothing: delete it, and start again';
      throw new DataFileError(path, what, { cause: error });
    }
    if (!isBusy(error)) throw error;
    throw new DatabaseInUseError(
      'another process has this data file open; stop it first, or use PostgreSQL for several',
      { cause: error },
    );
  }
}

function isNoDatabase(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === NO_DATABASE;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}
