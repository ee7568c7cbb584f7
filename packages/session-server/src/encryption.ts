import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Secret } from '@pay-checkout/partner-api';
import { ConfigError } from './errors.js';

/** A key of 32 bytes, which is never printed, and the name that is stored with what it encrypts. */
export interface EncryptionKey {
  readonly id: string;
  readonly key: KeyObject;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** In base64url. */
const DIGEST_CHARS = 22;

/**
 * Encrypts what the provider sent, and what the shop says of its customers, before it is stored
 * (AES-256-GCM), and opens it again.
 *
 * The first key encrypts; all of them open, so that keys can be changed without a gap. What was
 * encrypted under a key that is gone cannot be opened again.
 */
export class DataEncryption {
  #keys: DerivedKeys;

  /** @param keys newest first */
  constructor(keys: readonly EncryptionKey[]) {
    this.#keys = deriveKeys(keys);
  }

  /** Takes other keys from now on, newest first. */
  use(keys: readonly EncryptionKey[]): void {
    this.#keys = deriveKeys(keys);
  }

  /** The name of the key that encrypts. */
  get keyId(): string {
    return this.#keys.id;
  }

  /** Another object whenever the keys were changed, for what is cached under them. */
  get generation(): object {
    return this.#keys;
  }

  /** @param context what belongs to it but is stored unencrypted: decryption needs the same */
  seal(plain: Uint8Array, context: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keys.seal, nonce).setAAD(Buffer.from(context));
    const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([this.#keys.prefix, nonce, cipher.getAuthTag(), encrypted]);
  }

  /** Undefined when no key opens it, or when it was changed. */
  open(sealed: Uint8Array, context: string): Buffer | undefined {
    const bytes = Buffer.from(sealed);
    const nonceAt = 1 + (bytes[0] ?? 0);
    const tagAt = nonceAt + NONCE_BYTES;
    const encryptedAt = tagAt + TAG_BYTES;
    const key = this.#keys.sealKeys.get(bytes.subarray(1, nonceAt).toString());
    if (key === undefined || bytes.length < encryptedAt) return undefined;
    try {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(nonceAt, tagAt))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(tagAt, encryptedAt));
      return Buffer.concat([decipher.update(bytes.subarray(encryptedAt)), decipher.final()]);
    } catch {
      return undefined;
    }
  }

  /**
   * A keyed hash of 132 bits: without the key, a guessed body cannot be checked against it. Short,
   * because every stored webhook has it in an index.
   */
  digest(tokenHash: string, body: Uint8Array): string {
    return digestUnder(this.#keys.digest, tokenHash, body);
  }

  /** What is stored in place of a name from a body, which may be that of a person. */
  hashReference(reference: string): string {
    return createHmac('sha256', this.#keys.reference).update(reference).digest('base64url');
  }

  /**
   * What an order is found by in place of its customer's e-mail, one for each key, the current one first: a
   * keyed hash of the address in lower case. An order that was stored under a key that is gone is not found.
   */
  emailDigests(email: string): string[] {
    const normal = email.trim().normalize('NFC').toLowerCase();
    return this.#keys.emails.map((key) =>
      createHmac('sha256', key).update(normal).digest('base64url').slice(0, DIGEST_CHARS),
    );
  }

  /** What signs the order tokens of a merchant that has no secret for it, one for each key. */
  orderTokenSecrets(merchant: string): Secret[] {
    return this.#keys.orderTokens.map(
      (key) => new Secret(createHmac('sha256', key).update(merchant).digest('hex')),
    );
  }

  /** What signs the sessions of a merchant's dashboard, one for each key: they end with the merchant's key. */
  pageSessionSecrets(apiKeyHash: string): Secret[] {
    return this.#keys.pageSessions.map(
      (key) => new Secret(createHmac('sha256', key).update(apiKeyHash).digest('hex')),
    );
  }

  /** The digests under the other keys: one of them may have been current when the body first came. */
  otherDigests(digest: string, tokenHash: string, body: Uint8Array): string[] {
    return this.#keys.digests
      .map((key) => digestUnder(key, tokenHash, body))
      .filter((other) => other !== digest);
  }
}

/** What is derived from the keys, for each purpose. */
interface DerivedKeys {
  readonly id: string;
  readonly seal: KeyObject;
  /** What sealed bodies begin with: the length of the key's name, and the name. */
  readonly prefix: Buffer;
  readonly sealKeys: ReadonlyMap<string, KeyObject>;
  readonly digest: KeyObject;
  readonly reference: KeyObject;
  /** Of every key, where there are several. */
  readonly digests: readonly KeyObject[];
  /** Of every key, newest first. */
  readonly emails: readonly KeyObject[];
  readonly orderTokens: readonly KeyObject[];
  readonly pageSessions: readonly KeyObject[];
}

function deriveKeys(keys: readonly EncryptionKey[]): DerivedKeys {
  const [current] = keys;
  if (current === undefined) throw new Error('encryption needs a key');
  const id = Buffer.from(current.id);
  return {
    id: current.id,
    seal: derive(current, 'seal'),
    prefix: Buffer.concat([Buffer.from([id.length]), id]),
    sealKeys: new Map(keys.map((key) => [key.id, derive(key, 'seal')])),
    digest: derive(current, 'digest'),
    reference: derive(current, 'reference'),
    digests: keys.length === 1 ? [] : keys.map((key) => derive(key, 'digest')),
    emails: keys.map((key) => derive(key, 'email')),
    orderTokens: keys.map((key) => derive(key, 'order-token')),
    pageSessions: keys.map((key) => derive(key, 'page-session')),
  };
}

/** Identifies a key without revealing it: 48 bits derived from it. */
export function checkValueOf(key: EncryptionKey): number {
  return derive(key, 'check').export().readUIntBE(0, 6);
}

/** What an encrypted webhook belongs to, so that none can be put in the place of another. */
export function encryptionContext(tokenHash: string, digest: string): string {
  return `pay-checkout.webhook.v1\n${tokenHash}\n${digest}`;
}

function digestUnder(key: KeyObject, tokenHash: string, body: Uint8Array): string {
  return createHmac('sha256', key)
    .update(`${tokenHash}\n`)
    .update(body)
    .digest('base64url')
    .slice(0, DIGEST_CHARS);
}

function derive(
  { key }: EncryptionKey,
  purpose: 'seal' | 'digest' | 'reference' | 'email' | 'order-token' | 'page-session' | 'check',
): KeyObject {
  const bytes = hkdfSync('sha256', key, '', `pay-checkout.body.v1.${purpose}`, 32);
  return createSecretKey(Buffer.from(bytes));
}

const KEY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/;

/** The message for a `PAY_ENCRYPTION_KEY` that cannot be read. */
export const ENCRYPTION_KEY_EXPECTED =
  'expected "<id>:<base64 of 32 bytes>", several separated by commas, newest first, each id once';

/** Keys from `PAY_ENCRYPTION_KEY`, newest first; undefined when the text is not made of such keys. */
export function parseEncryptionKeys(text: string): EncryptionKey[] | undefined {
  const keys = text.split(',').flatMap((part) => {
    const [, id, base64] = KEY.exec(part.trim()) ?? [];
    return id === undefined || base64 === undefined
      ? []
      : [{ id, key: createSecretKey(Buffer.from(base64, 'base64')) }];
  });
  const ids = new Set(keys.map(({ id }) => id));
  return ids.size === text.split(',').length ? keys : undefined;
}

/**
 * The key of a sandbox for which none was set: made once, and kept next to the data file, readable
 * by the owner of the process only. Production needs a key that is kept elsewhere.
 *
 * @throws {ConfigError} when the file holds something else
 */
export function loadSandboxKeys(databaseFile = ''): EncryptionKey[] {
  const path = `${databaseFile}.body-key`;
  // Written whole, then linked: half a key, left by a killed process, would stop every start.
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(draft, `sandbox:${randomBytes(32).toString('base64')}`, { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  const keys = parseEncryptionKeys(readFileSync(path, 'utf8'));
  if (!keys) throw new ConfigError(path, [ENCRYPTION_KEY_EXPECTED]);
  return keys;
}
