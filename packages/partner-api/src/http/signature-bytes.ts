import type { KeyEncoding, SignatureAlgorithm, SignatureEncoding } from '../webhook-scheme.js';

/** Shorter keys are a mistake of encoding more often than a choice, and too easy to guess. */
const MIN_KEY_BYTES = 16;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const BASE64URL = /^(?:[\w-]{4})*(?:[\w-]{2,3})?$/;

/** The bytes of a key, or why they cannot be used. */
export type DecodedKey = Uint8Array<ArrayBuffer> | 'bad_key' | 'key_too_short';

/** Reads a key strictly: a key that decodes to little or nothing would "verify" anything. */
export function decodeKey(text: string, encoding: KeyEncoding): DecodedKey {
  const bytes = decode(text, encoding);
  if (bytes === undefined) return 'bad_key';
  return bytes.length < MIN_KEY_BYTES ? 'key_too_short' : bytes;
}

function decode(text: string, encoding: KeyEncoding): Uint8Array<ArrayBuffer> | undefined {
  switch (encoding) {
    case 'utf8':
      return new TextEncoder().encode(text);
    case 'hex':
      if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return undefined;
      return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    case 'base64':
      return BASE64.test(text) ? fromBase64(text) : undefined;
    case 'base64url':
      return BASE64URL.test(text) && text.length % 4 !== 1
        ? fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
        : undefined;
    case 'whsec':
      return decode(text.replace(/^whsec_/, ''), 'base64');
  }
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Writes a signature the one way that its encoding allows. */
export function encodeSignature(bytes: Uint8Array, encoding: SignatureEncoding): string {
  if (encoding === 'hex') {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  const base64 = btoa(String.fromCharCode(...bytes));
  return encoding === 'base64'
    ? base64
    : base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** An HMAC by WebCrypto, which every runtime has. */
export async function signBytes(
  algorithm: SignatureAlgorithm,
  key: Uint8Array<ArrayBuffer>,
  content: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const hash = algorithm.toUpperCase().replace('SHA', 'SHA-');
  const usage = { name: 'HMAC', hash };
  const imported = await crypto.subtle.importKey('raw', key, usage, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, content));
}

/** Compares texts in a time that tells nothing about where they differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index += 1) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index % (b.length || 1));
  }
  return difference === 0;
}
