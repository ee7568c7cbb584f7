import { randomBytes } from 'node:crypto';

/** Invents an identifier: the prefix and 64 random bits. */
export function inventId(prefix: string): string {
  return `${prefix}_${randomBytes(8).toString('hex')}`;
}
