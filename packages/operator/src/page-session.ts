import { createHmac, randomBytes } from 'node:crypto';
import type { Request } from 'express';
import {
  type Database,
  fingerprintOf,
  isSame,
  type Reader,
  type Secret,
  sql,
} from '@pay-checkout/session-server/internals';

/** How long a person stays signed in: a working day. */
export const SESSION_MS = 8 * 3_600_000;

/** What a person who signed in is known by. */
export interface PageSession {
  /** Random; it opens nothing without its signature. */
  readonly id: string;
  /** The key that they signed in with, by its fingerprint: what the audit trail names. */
  readonly actor: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * The value of the cookie: until when it is valid, signed with the key itself. So no server stores
 * it, every replica knows it, and the sessions of a key end when the key is removed. Only sessions
 * that were signed out of are stored.
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
  return key && { id: nonce, actor: fingerprintOf(key), expiresAt };
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

/** The sessions of a request that were not ended: either of the two cookies may have one. */
export async function findSessions(
  reader: Reader,
  { headers }: Pick<Request, 'headers'>,
  keys: readonly Secret[],
  now: number,
): Promise<PageSession[]> {
  const names = [cookieOf(true).name, cookieOf(false).name];
  const sessions = (headers.cookie ?? '').split(';').flatMap((part) => {
    const [name = '', value = ''] = part.trim().split('=', 2);
    return names.includes(name) ? (readSessionToken(value, keys, now) ?? []) : [];
  });
  if (sessions.length === 0) return [];
  const ids = sql.list(sessions.map(({ id }) => id));
  const rows = await reader.all(
    sql`SELECT session FROM operator_sign_outs WHERE session IN ${ids}`,
  );
  const ended = new Set(rows.map((row) => String(row['session'])));
  return sessions.filter(({ id }) => !ended.has(id));
}

/** Ends sessions on every server: a copy of their cookie is of no use any more. */
export async function endSessions(
  database: Database,
  sessions: readonly PageSession[],
  now: number,
): Promise<void> {
  await database.transaction('operator:sign-out', async (tx) => {
    await tx.run(sql`DELETE FROM operator_sign_outs WHERE expires_at <= ${now}`);
    for (const { id, expiresAt } of sessions) {
      const ended = sql.insert('operator_sign_outs', { session: id, expires_at: expiresAt });
      await tx.run(sql`${ended} ON CONFLICT (session) DO NOTHING`);
    }
  });
}
