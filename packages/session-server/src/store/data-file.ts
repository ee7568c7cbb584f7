import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * A data file that cannot be used as it is: says what is wrong, and what to do about it.
 *
 * Thrown at start, and by the commands; the reason of SQLite or of the system is its `cause`.
 */
export class DataFileError extends Error {
  override readonly name = 'DataFileError';

  constructor(
    readonly path: string,
    what: string,
    options: ErrorOptions = {},
  ) {
    super(`${path}: ${what}`, options);
  }
}

/** Primary result codes of SQLite. */
const ADVICE_OF_SQLITE: Readonly<Record<number, string>> = {
  5: 'another program has it locked; close that program, and start again',
  8: 'it cannot be written to; check who owns the file and its folder, and how they are mounted',
  10: 'it cannot be read or written, according to the operating system; check the disk before you start again',
  11: 'it is damaged; keep it, and put a backup in its place: pay-session-server restore <backup file>',
  13: 'the disk is full; make room, and start again: nothing that was acknowledged is lost',
  14: 'it cannot be opened; check that its folder exists, and who may read and write there',
  26: 'it is damaged, or no data file; keep it, and put a backup in its place: pay-session-server restore <backup file>',
};

const ADVICE_OF_SYSTEM: Readonly<Record<string, string>> = {
  ENOTDIR: ADVICE_OF_SQLITE[14] ?? '',
  EACCES: ADVICE_OF_SQLITE[14] ?? '',
  ENOENT: ADVICE_OF_SQLITE[14] ?? '',
  ENOSPC: ADVICE_OF_SQLITE[13] ?? '',
  EROFS: ADVICE_OF_SQLITE[8] ?? '',
};

/** The same error with words that say what to do, where there are some. */
export function explainDataFile(path: string, error: unknown): unknown {
  const advice = adviceFor(error);
  return advice === undefined ? error : new DataFileError(path, advice, { cause: error });
}

/** A restore that ended before it had read what the provider knows. */
export function unfinishedRestore(path: string): DataFileError {
  return new DataFileError(
    path,
    'a backup was put back, and the payments since then have not been read; finish it first: pay-session-server restore',
  );
}

function adviceFor(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error) {
    // An extended code has the primary one in its last byte.
    const code = Number(error.errcode) & 0xff;
    return ADVICE_OF_SQLITE[code] ?? `SQLite cannot use it (code ${String(code)})`;
  }
  return 'code' in error ? ADVICE_OF_SYSTEM[String(error.code)] : undefined;
}

/** How long a process that is ending may hold the lock: a start that fails ends within a second. */
const LOCK_WAIT_MS = 250;
/** SQLITE_BUSY: another process has the lock. */
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
 * The lock is a second, empty database in an open exclusive transaction. The system lets go of it when
 * the process ends in any way, so a crash never leaves it behind; readers and backup tools can still
 * open the data file.
 *
 * @param file with no link in it
 */
export function takeDataFileLock(file: string): DatabaseSync {
  const path = `${file}.lock`;
  keepLockToOwner(path, file);
  const lock = new DatabaseSync(path);
  try {
    lock.exec(`PRAGMA busy_timeout = ${String(LOCK_WAIT_MS)}; BEGIN EXCLUSIVE`);
    return lock;
  } catch (error) {
    lock.close();
    if (isNoDatabase(error)) {
      const what = 'it is not a lock of this server, and holds nothing: delete it, and start again';
      throw new DataFileError(path, what, { cause: error });
    }
    if (!isBusy(error)) throw error;
    throw new DatabaseInUseError('another process has this data file open; stop it first', {
      cause: error,
    });
  }
}

/**
 * A new data file is readable by its owner only, since it holds sessions and the shops' return
 * addresses; SQLite gives the files next to it the same permissions. An existing file keeps its own: to
 * open and close it here would release SQLite's locks on it.
 */
export function createForOwner(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/** Who may read a lock can hold it, and stop the server; so may who made it. */
function keepLockToOwner(path: string, file: string): void {
  createForOwner(path);
  if (process.getuid === undefined) return;
  const { uid, mode } = statSync(path);
  const owner = existsSync(file) ? statSync(file).uid : process.getuid();
  if (uid !== process.getuid() && uid !== owner) {
    const what =
      'it belongs to another user, who could stop this server: delete it, and start again';
    throw new DataFileError(path, what);
  }
  if ((mode & OTHERS) !== 0) chmodSync(path, 0o600);
}

/** Rights of the group and of everyone. */
const OTHERS = 0o077;

/**
 * Those of the files that give one of these rights, with their modes.
 *
 * @param rights default: any of the group and of everyone
 */
export function findOpenFiles(
  paths: readonly string[],
  rights = OTHERS,
): { file: string; mode: string }[] {
  if (process.platform === 'win32') return [];
  return paths.flatMap((file) => {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    return (mode & rights) === 0 ? [] : [{ file, mode: (mode & 0o777).toString(8) }];
  });
}

function isNoDatabase(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === NO_DATABASE;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}

/**
 * The path of a data file with links resolved, even if the file does not exist yet. SQLite keeps its log
 * next to the file that a link leads to, and so do we with our own files.
 */
export function resolveDataFile(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const folder = realpathSync(dirname(path));
  const file = join(folder, basename(path));
  const target = readLink(file);
  return target === undefined ? file : resolveDataFile(resolve(folder, target));
}

function readLink(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
