import { hash, randomBytes } from 'node:crypto';

/** 2025-01-01T00:00:00Z: the time of a timed id is counted from here. */
const EPOCH_MS = 1_735_689_600_000;
/** Milliseconds in base 36, enough until 2114. */
const TIME_CHARS = 8;

/** 128 random bits as 22 URL-safe characters. */
export function randomId(): string {
  return randomBytes(16).toString('base64url');
}

/**
 * A random id after the millisecond that it was made in: 30 characters. Ids that are made together
 * are neighbours in an index, so that a commit writes few of its pages.
 */
export function timedId(now: number): string {
  const time = Math.max(0, now - EPOCH_MS).toString(36);
  return `${time.padStart(TIME_CHARS, '0')}${randomId()}`;
}

/** The form in which a token is stored: a reader of the database cannot use it. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
