import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@pay-checkout/partner-api';
import type { Request } from 'express';

/** How long a person stays signed in: a working day. */
export const SESSION_MS = 8 * 3_600_000;

/** What a person who signed in is known by. */
export interface PageSession {
  /** The key that they signed in with, by its fingerprint: what the audit trail names. */
  readonly actor: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The first characters of a key's hash: it tells keys apart, and helps no one to guess one. */
export function fingerprintOf(key: Secret): string {
  return `key-${createHash('sha256').update(key.reveal()).digest('hex').slice(0, 8)}`;
}

/**
 * The value of the cookie: until when it is valid, signed with the key itself. So no server stores
 * it, every replica knows it, and the sessions of a key end when the key is removed.
 */
export function makeSessionToken(key: Secret, now: number): string {
  const expiresAt = now + SESSION_MS;
  const nonce = randomBytes(16).toString('base64url');
  return [expiresAt, nonce, sign(key, expiresAt, nonce)].join('.');
}

/** Undefined when it is expired, or signed with none of these keys. */
export function readSessionToken(
  token: string,
  keys: readonly Secret[],
  now: number,
): PageSession | undefined {
  const [expires = '', nonce = '', signature = '', ...more] = token.split('.');
  const expiresAt = Number(expires);
  if (more.length > 0 || !(expiresAt > now)) return undefined;
  const key = keys.find((each) => isSame(signature, sign(each, expiresAt, nonce)));
  return key && { actor: fingerprintOf(key), expiresAt };
}

/** Whether two texts are the same, in a time that says nothing of them. */
export function isSame(one: string, other: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}

function sign(key: Secret, expiresAt: number, nonce: string): string {
  const text = `pay-operator.session.v1\n${String(expiresAt)}\n${nonce}`;
  return createHmac('sha256', key.reveal()).update(text).digest('base64url');
}

const COOKIE = 'pay-operator';

/** Behind TLS the browser sets it for this host only, whatever another host or plain HTTP says. */
export function cookieOf(isSecure: boolean): {
  readonly name: string;
  readonly attributes: string;
} {
  const attributes = 'Path=/; HttpOnly; SameSite=Strict';
  return isSecure
    ? { name: `__Host-${COOKIE}`, attributes: `${attributes}; Secure` }
    : { name: COOKIE, attributes };
}

/** The session of a request, from whichever of the two cookies is valid. */
export function findSession(
  { headers }: Pick<Request, 'headers'>,
  keys: readonly Secret[],
  now: number,
): PageSession | undefined {
  const names = [cookieOf(true).name, cookieOf(false).name];
  for (const part of (headers.cookie ?? '').split(';')) {
    const [name = '', value = ''] = part.trim().split('=', 2);
    const session = names.includes(name) ? readSessionToken(value, keys, now) : undefined;
    if (session) return session;
  }
  return undefined;
}
