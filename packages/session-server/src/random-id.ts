import { createHash, randomBytes } from 'node:crypto';

/** 128 random bits as 22 URL-safe characters: a checkout id, or a token of a return address. */
export function randomId(): string {
  return randomBytes(16).toString('base64url');
}

/** The form in which a token is stored: whoever reads the database cannot use it. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
