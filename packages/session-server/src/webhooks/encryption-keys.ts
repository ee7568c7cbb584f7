import { createSecretKey, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ConfigError } from '../errors.js';
import type { EncryptionKey } from './encryption.js';

const KEY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/;

/** Said when `PAY_BODY_KEY` cannot be read. */
export const BODY_KEY_EXPECTED =
  'expected "<id>:<base64 of 32 bytes>", several parted by commas, newest first, each id once';

/** Keys from `PAY_BODY_KEY`, newest first; undefined when the text is not made of such keys. */
export function parseEncryptionKeys(text: string): EncryptionKey[] | undefined {
  const keys = text.split(',').map((part) => {
    const [, id, base64] = KEY.exec(part.trim()) ?? [];
    return id === undefined || base64 === undefined
      ? undefined
      : { id, key: createSecretKey(Buffer.from(base64, 'base64')) };
  });
  const good = keys.filter((key) => key !== undefined);
  const hasTwins = new Set(good.map(({ id }) => id)).size < good.length;
  return good.length < keys.length || hasTwins ? undefined : good;
}

/**
 * The key of a sandbox for which none was set: made once, and kept beside the data file, where only
 * the owner of the process can read it. Production needs a key that is kept somewhere else.
 *
 * @throws {ConfigError} when the file holds something else
 */
export function loadSandboxKeys(databaseFile: string): EncryptionKey[] {
  const path = `${databaseFile}.body-key`;
  const made = `sandbox:${randomBytes(32).toString('base64')}`;
  // Whole or not at all: half a key, left by a process that was killed, would stop every start.
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(draft, made, { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  const keys = parseEncryptionKeys(readFileSync(path, 'utf8'));
  if (!keys) throw new ConfigError(path, [BODY_KEY_EXPECTED]);
  return keys;
}
