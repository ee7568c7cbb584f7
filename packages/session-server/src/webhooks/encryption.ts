import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { fewRandomBytes } from '../random-id.js';

/** A key of 32 bytes, which nothing prints, and the name that stands beside what it encrypted. */
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
 * Encrypts what the provider sent before it is stored (AES-256-GCM), and opens it again.
 *
 * The first key encrypts; all of them open, so that keys can be changed without a gap. What was
 * encrypted under a key that is gone stays closed for ever.
 */
export class WebhookEncryption {
  readonly #current: KeyObject;
  /** What sealed bodies begin with: the length of the key's name, and the name. */
  readonly #prefix: Buffer;
  readonly #sealing = new Map<string, KeyObject>();
  readonly #digesting: KeyObject;
  readonly #hashing: KeyObject;
  /** Of every key, where there are several. */
  readonly #allDigesting: readonly KeyObject[];

  /** @param keys newest first */
  constructor(keys: readonly EncryptionKey[]) {
    const [current] = keys;
    if (current === undefined) throw new Error('the vault needs a key');
    const id = Buffer.from(current.id);
    this.#prefix = Buffer.concat([Buffer.from([id.length]), id]);
    this.#current = derive(current, 'seal');
    this.#digesting = derive(current, 'digest');
    this.#hashing = derive(current, 'reference');
    this.#allDigesting = keys.length === 1 ? [] : keys.map((key) => derive(key, 'digest'));
    for (const key of keys) this.#sealing.set(key.id, derive(key, 'seal'));
  }

  /** @param context what belongs to it but is stored in the open: opening needs the same */
  seal(plain: Uint8Array, context: string): Buffer {
    const nonce = fewRandomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#current, nonce).setAAD(Buffer.from(context));
    const closed = cipher.update(plain);
    // Nothing is left for the end: this cipher gives as many bytes as it takes.
    cipher.final();
    return Buffer.concat([this.#prefix, nonce, cipher.getAuthTag(), closed]);
  }

  /** Undefined when no key opens it, or when it was changed. */
  open(sealed: Uint8Array, context: string): Buffer | undefined {
    const bytes = Buffer.from(sealed);
    const nonceAt = 1 + (bytes[0] ?? 0);
    const tagAt = nonceAt + NONCE_BYTES;
    const closedAt = tagAt + TAG_BYTES;
    const key = this.#sealing.get(bytes.subarray(1, nonceAt).toString());
    if (key === undefined || bytes.length < closedAt) return undefined;
    try {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(nonceAt, tagAt))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(tagAt, closedAt));
      return Buffer.concat([decipher.update(bytes.subarray(closedAt)), decipher.final()]);
    } catch {
      return undefined;
    }
  }

  /**
   * A hash of 132 bits that says nothing to whoever does not have the key, not even by guessing
   * bodies. No longer than it has to be: an index of all deliveries is made of it.
   */
  digest(tokenHash: string, body: Uint8Array): string {
    return digestUnder(this.#digesting, tokenHash, body);
  }

  /** What stands in the open for a name out of a body, which may be that of a person. */
  hashReference(reference: string): string {
    return createHmac('sha256', this.#hashing).update(reference).digest('base64url');
  }

  /** What a digest is under the other keys: one of them may have been the first when it came before. */
  otherDigests(digest: string, tokenHash: string, body: Uint8Array): string[] {
    return this.#allDigesting
      .map((key) => digestUnder(key, tokenHash, body))
      .filter((other) => other !== digest);
  }
}

function digestUnder(key: KeyObject, tokenHash: string, body: Uint8Array): string {
  return createHmac('sha256', key)
    .update(`${tokenHash}\n`)
    .update(body)
    .digest('base64url')
    .slice(0, DIGEST_CHARS);
}

/** As a key object: a key given as bytes is made into one anew at every use, at ten times the cost. */
function derive({ key }: EncryptionKey, purpose: 'seal' | 'digest' | 'reference'): KeyObject {
  const bytes = hkdfSync('sha256', key, '', `pay-checkout.body.v1.${purpose}`, 32);
  return createSecretKey(Buffer.from(bytes));
}
