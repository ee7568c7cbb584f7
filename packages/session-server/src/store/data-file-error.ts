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
  10: 'it cannot be read or written, by the word of the system; look at the disk before you start again',
  11: 'it is damaged; keep it, and put a backup in its place: pay-session-server restore <backup file>',
  13: 'the disk is full; make room, and start again: nothing that was acknowledged is lost',
  14: 'it cannot be opened; check that its folder exists, and who may read and write there',
  26: 'it is damaged, or no data file; keep it, and put a backup in its place: pay-session-server restore <backup file>',
};

const ADVICE_OF_SYSTEM: Readonly<Record<string, string>> = {
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
  // An extended code has the primary one in its last byte.
  if ('errcode' in error) return ADVICE_OF_SQLITE[Number(error.errcode) & 0xff];
  return 'code' in error ? ADVICE_OF_SYSTEM[String(error.code)] : undefined;
}
