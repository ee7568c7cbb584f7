import { hash, randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
const POOL_BYTES = 256 * ID_BYTES;
/** 2025-01-01T00:00:00Z: the time of a timed id is counted from here. */
const EPOCH_MS = 1_735_689_600_000;
/** Milliseconds in base 36, enough until 2114. */
const TIME_CHARS = 8;

/** Random bytes asked of the system in one go, since asking costs more than using; each is used once. */
const pool = Buffer.alloc(POOL_BYTES);
let used = pool.length;

/** 128 random bits as 22 URL-safe characters. */
export function randomId(): string {
  return take(ID_BYTES, (from, to) => pool.toString('base64url', from, to));
}

/** A few random bytes, for a key's nonce for example. */
export function fewRandomBytes(length: number): Buffer {
  return take(length, (from, to) => Buffer.from(pool.subarray(from, to)));
}

function take<T>(length: number, copy: (from: number, to: number) => T): T {
  if (used + length > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const from = used;
  used += length;
  const taken = copy(from, used);
  pool.fill(0, from, used);
  return taken;
}

/**
 * A random id behind the millisecond that it was made in: 30 characters. What was made together
 * stands together in an index, so that what is committed together is on a few of its pages, and
 * adding one costs the same however many there are.
 */
export function timedId(now: number): string {
  const time = Math.max(0, now - EPOCH_MS).toString(36);
  return `${time.padStart(TIME_CHARS, '0')}${randomId()}`;
}

/** The form in which a token is stored: whoever reads the database cannot use it. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
