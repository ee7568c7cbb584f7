/** A place in the list: just after one row. It stays the same place while newer rows arrive. */
export interface ListPlace {
  readonly time: number;
  readonly sequence: number;
}

const CURSOR = /^after:(-?\d{1,16}):(-?\d{1,16})(?::(\d{1,16}))?$/;

/** Before a cursor of the fault `hostile-cursor`. */
export const HOSTILE_CURSOR_PREFIX = `${'é"\\/?&#+% ='.repeat(50)}</script>`;

/** The place before every row. */
export const LIST_START: ListPlace = { time: 8_640_000_000_000_000, sequence: 0 };

/**
 * Writes `pagination.nextCursor` (spec 4.1), which is opaque to callers. `stamp` says when the
 * cursor was issued, or makes two cursors of one place differ.
 */
export function writeCursor({ time, sequence }: ListPlace, stamp?: number): string {
  const suffix = stamp === undefined ? '' : `:${stamp}`;
  return Buffer.from(`after:${time}:${sequence}${suffix}`).toString('base64url');
}

/** Reads a cursor. @returns `undefined` when the sandbox did not write it. */
export function readCursor(
  sent: string,
): { readonly place: ListPlace; readonly stamp?: number } | undefined {
  const isHostile = sent.startsWith(HOSTILE_CURSOR_PREFIX);
  const cursor = isHostile ? sent.slice(HOSTILE_CURSOR_PREFIX.length) : sent;
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const match = CURSOR.exec(text);
  if (match === null || Buffer.from(text).toString('base64url') !== cursor) return undefined;
  const place = { time: Number(match[1]), sequence: Number(match[2]) };
  return match[3] === undefined ? { place } : { place, stamp: Number(match[3]) };
}
