/** The browser's own key: a random cookie that lets the same browser read its orders again. */
import { createHash, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';

const COOKIE = 'shopper_key';
const KEY_BYTES = 16;
const MAX_AGE_SECONDS = 30 * 24 * 60 * 60;

/** Hash of the key that the browser sent; the key itself is never stored. */
export function readShopperKeyHash(request: Request): string | undefined {
  const key = readShopperKey(request);
  return key === undefined ? undefined : hashKey(key);
}

/** Hash of the browser's key; gives the browser a key first when it has none. */
export function ensureShopperKeyHash(
  request: Request,
  response: Response,
  isSecure: boolean,
): string {
  const key = readShopperKey(request) ?? randomBytes(KEY_BYTES).toString('base64url');
  response.cookie(COOKIE, key, {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure,
    path: '/',
    maxAge: MAX_AGE_SECONDS * 1000,
  });
  return hashKey(key);
}

function readShopperKey(request: Request): string | undefined {
  const cookies = request.get('cookie') ?? '';
  return /(?:^|;\s*)shopper_key=([A-Za-z0-9_-]{22})(?:;|$)/.exec(cookies)?.[1];
}

function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
