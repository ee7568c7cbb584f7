import type { StoredTransaction } from '../store.js';

/** A place in the list: just after one row. It stays the same place while newer rows arrive. */
export interface CursorPlace {
  readonly time: number;
  readonly sequence: number;
}

const PLACE = /^after:(-?\d{1,16}):(\d{1,16})$/;

/** Writes the opaque text of `pagination.nextCursor` (spec 4.1): the place after this row. */
export function writeCursor(row: StoredTransaction): string {
  return Buffer.from(`after:${row.time}:${row.sequence}`).toString('base64url');
}

/** Reads a cursor. @returns `undefined` when it is none of ours. */
export function readCursor(cursor: string): CursorPlace | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const match = PLACE.exec(text);
  if (match === null || Buffer.from(text).toString('base64url') !== cursor) return undefined;
  return { time: Number(match[1]), sequence: Number(match[2]) };
}

/** Says whether a row comes after the place, in the order of the list (newest first). */
export function isAfter(row: StoredTransaction, place: CursorPlace): boolean {
  return row.time < place.time || (row.time === place.time && row.sequence < place.sequence);
}
