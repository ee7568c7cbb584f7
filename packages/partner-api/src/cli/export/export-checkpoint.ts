import type { UnreadableRows } from '../../resources/unreadable-rows.js';
import { UsageError } from '../exit-codes.js';

/** How far an export has come; written beside it. It holds ids and a cursor, and no key. */
export interface ExportCheckpoint {
  readonly version: 1;
  /** What was asked for: another export must not go on with this one. */
  readonly request: string;
  /** Bytes of the partial file that count. */
  readonly bytes: number;
  readonly rows: number;
  /** `transactionTime` of the last row. */
  readonly reached?: string;
  /** Rows that were left out so far, if there were any. */
  readonly unreadable?: UnreadableRows;
  /** All rows are written; only the file's own name is missing. */
  readonly ended: boolean;
  /** For `transactions.resume`. */
  readonly position: string;
}

/** Reads a checkpoint and refuses one that belongs to another export. */
export function parseCheckpoint(text: string, path: string, request: string): ExportCheckpoint {
  const read = parse(text);
  if (read === undefined) {
    throw new UsageError(`${path} is no checkpoint of an export. Begin anew with --restart.`);
  }
  if (read.request !== request) {
    throw new UsageError(
      `${path} belongs to an export with other filters, format, columns or address. Give those ` +
        'again, or begin anew with --restart.',
    );
  }
  return read;
}

function parse(text: string): ExportCheckpoint | undefined {
  try {
    const read = JSON.parse(text) as ExportCheckpoint;
    const { version, bytes, rows, position, request, unreadable } = read;
    const isWhole =
      version === 1 &&
      Number.isSafeInteger(bytes) &&
      Number.isSafeInteger(rows) &&
      typeof position === 'string' &&
      typeof request === 'string' &&
      (unreadable === undefined ||
        (Number.isSafeInteger(unreadable.count) && Array.isArray(unreadable.first)));
    return isWhole ? read : undefined;
  } catch {
    return undefined;
  }
}
