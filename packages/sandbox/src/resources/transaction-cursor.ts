import type { ListPlace } from '../transaction-store.js';

/** What a cursor says. */
export interface CursorText {
  readonly place: ListPlace;
  /** Makes two cursors of one place differ, or says when the cursor was given out. */
  readonly stamp?: number;
}

const PLACE = /^after:(-?\d{1,16}):(-?\d{1,16})(?::(\d{1,16}))?$/;

/** The place before every row. */
export const LIST_START: ListPlace = { time: 8_640_000_000_000_000, sequence: 0 };

/** Writes the opaque text of `pagination.nextCursor` (spec 4.1): the place after this row. */
export function writeCursor({ time, sequence }: ListPlace, stamp?: number): string {
  const suffix = stamp === undefined ? '' : `:${stamp}`;
  return Buffer.from(`after:${time}:${sequence}${suffix}`).toString('base64url');
}

/** Reads a cursor. @returns `undefined` when it is none of ours. */
export function readCursor(cursor: string): CursorText | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const match = PLACE.exec(text);
  if (match === null || Buffer.from(text).toString('base64url') !== cursor) return undefined;
  const place = { time: Number(match[1]), sequence: Number(match[2]) };
  return match[3] === undefined ? { place } : { place, stamp: Number(match[3]) };
}
