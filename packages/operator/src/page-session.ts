import { createHmac, randomBytes } from 'node:crypto';
import type { Request } from 'express';
import {
  type Database,
  isSame,
  type Operator,
  type Secret,
  sql,
} from '@pay-checkout/session-server/internals';

/** How long a person stays signed in: a working day. */
export const SESSION_MS = 8 * 3_600_000;

/** What a person who signed in is known by. */
export interface PageSession {
  /** Random; it opens nothing without its signature. */
  readonly id: string;
  /** What the audit trail names: the key that they signed in with, or its name. */
  readonly actor: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Someone of the platform who signed in, or whom a proxy has let in. */
export interface OperatorSession extends PageSession, Operator {}

/** What signs a session, and what it is then known by. */
export interface SessionKey<Session extends PageSession> {
  readonly secret: Secret;
  /** Whose keys may have signed a session, where one listener has several: letters, digits, `-` and `_`. */
  readonly owner: string;
  /** What the session has besides its id and its end. */
  readonly about: Omit<Session, 'id' | 'expiresAt'>;
}

/** The keys that people may sign in with. */
export interface SessionKeys<Session extends PageSession> {
  /** The name of the cookie, without its prefix. */
  readonly cookie: string;
  /** By what a person typed. */
  readonly find: (given: string) => Promise<SessionKey<Session> | undefined>;
  /** Those that may have signed a session of this owner. */
  readonly of: (owner: string) => Promise<readonly SessionKey<Session>[]>;
}

/**
 * Sessions that no server stores: the cookie says until when it is valid, signed with what belongs to the
 * key. So every replica knows them, and the sessions of a key end when the key is removed. Only sessions
 * that were signed out of are stored.
 */
export class PageSessions<Session extends PageSession> {
  readonly #database: Database;
  readonly #keys: SessionKeys<Session>;

  constructor(database: Database, keys: SessionKeys<Session>) {
    this.#database = database;
    this.#keys = keys;
  }

  make(key: SessionKey<Session>, now: number): { token: string; session: Session } {
    const expiresAt = now + SESSION_MS;
    const id = randomBytes(16).toString('base64url');
    const { owner, secret } = key;
    const token = [expiresAt, id, sign(secret, expiresAt, id), ...(owner ? [owner] : [])].join('.');
    return { token, session: toSession(key, expiresAt, id) };
  }

  /** Behind TLS the browser sets it for this host only, whatever another host or plain HTTP says. */
  cookie(isSecure: boolean): { readonly name: string; readonly attributes: string } {
    const attributes = 'Path=/; HttpOnly; SameSite=Strict';
    const { cookie } = this.#keys;
    return isSecure
      ? { name: `__Host-${cookie}`, attributes: `${attributes}; Secure` }
      : { name: cookie, attributes };
  }

  /** The sessions of a request that were not ended: either of the two cookies may have one. */
  async find({ headers }: Pick<Request, 'headers'>, now: number): Promise<Session[]> {
    const names = [this.cookie(true).name, this.cookie(false).name];
    const sessions: Session[] = [];
    for (const part of (headers.cookie ?? '').split(';')) {
      const [name = '', value = ''] = part.trim().split('=', 2);
      const session = names.includes(name) ? await this.#read(value, now) : undefined;
      if (session) sessions.push(session);
    }
    if (sessions.length === 0) return [];
    const ids = sql.list(sessions.map(({ id }) => id));
    const rows = await this.#database.all(
      sql`SELECT session FROM operator_sign_outs WHERE session IN ${ids}`,
    );
    const ended = new Set(rows.map((row) => String(row['session'])));
    return sessions.filter(({ id }) => !ended.has(id));
  }

  /** Ends sessions on every server: a copy of their cookie is of no use any more. */
  async end(sessions: readonly PageSession[], now: number): Promise<void> {
    await this.#database.transaction('page:sign-out', async (tx) => {
      await tx.run(sql`DELETE FROM operator_sign_outs WHERE expires_at <= ${now}`);
      for (const { id, expiresAt } of sessions) {
        const ended = sql.insert('operator_sign_outs', { session: id, expires_at: expiresAt });
        await tx.run(sql`${ended} ON CONFLICT (session) DO NOTHING`);
      }
    });
  }

  /** Undefined when it is expired, or signed with none of the keys of its owner. */
  async #read(token: string, now: number): Promise<Session | undefined> {
    const [expires = '', id = '', signature = '', owner = '', ...more] = token.split('.');
    const expiresAt = Number(expires);
    if (more.length > 0 || !(expiresAt > now)) return undefined;
    const keys = await this.#keys.of(owner);
    const key = keys.find(({ secret }) => isSame(signature, sign(secret, expiresAt, id)));
    return key && toSession(key, expiresAt, id);
  }
}

function toSession<Session extends PageSession>(
  { about }: SessionKey<Session>,
  expiresAt: number,
  id: string,
): Session {
  return { ...about, id, expiresAt } as Session;
}

function sign(secret: Secret, expiresAt: number, id: string): string {
  const text = `pay-page.session.v1\n${String(expiresAt)}\n${id}`;
  return createHmac('sha256', secret.reveal()).update(text).digest('base64url');
}
