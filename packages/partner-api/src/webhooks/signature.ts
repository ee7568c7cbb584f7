import { Secret } from '../secret.js';
import type {
  KeyEncoding,
  SignatureAlgorithm,
  SignatureEncoding,
  TimestampUnit,
  WebhookScheme,
} from './scheme.js';

/** A signing key and when it counts; several at once make a change of keys smooth. */
export interface WebhookKey {
  readonly key: string | Secret;
  /** Returned in the result, to see which key is still in use. */
  readonly id?: string | undefined;
  readonly notBefore?: Date | undefined;
  readonly notAfter?: Date | undefined;
}

/** A delivery as it came. The body must be raw: parsed and serialised again, it no longer verifies. */
export interface WebhookDelivery {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string | Uint8Array;
  /** The public address of the endpoint, for schemes that sign it. */
  readonly url?: string | undefined;
}

/** Why a delivery does not count. */
export type WebhookRefusal =
  | 'missing_signature'
  | 'missing_id'
  | 'missing_timestamp'
  | 'missing_url'
  | 'bad_timestamp'
  | 'too_old'
  | 'too_new'
  | 'body_not_raw'
  | 'no_key'
  | 'bad_key'
  | 'key_too_short'
  | 'no_match';

/** The result of {@link verifyWebhook}. */
export type WebhookVerification =
  | { readonly valid: true; readonly keyId: string | undefined }
  | { readonly valid: false; readonly reason: WebhookRefusal };

/** What is signed with {@link signWebhook}. */
export interface WebhookToSign {
  readonly body: string | Uint8Array;
  readonly id?: string | undefined;
  readonly timestamp?: Date | undefined;
  readonly url?: string | undefined;
}

const DEFAULT_TOLERANCE_SECONDS = 300;

/**
 * Whether a delivery was signed with one of the keys. A delivery that was not is an answer with a
 * reason, never an exception, and so is a key that cannot be used.
 *
 * @example
 * const scheme = WEBHOOK_SCHEMES.standardWebhooks;
 * const result = await verifyWebhook(scheme, [{ key }], { headers: request.headers, body: raw });
 * if (!result.valid) console.warn('delivery refused:', result.reason);
 */
export async function verifyWebhook(
  scheme: WebhookScheme,
  keys: readonly WebhookKey[],
  delivery: WebhookDelivery,
  now: Date = new Date(),
): Promise<WebhookVerification> {
  const body: unknown = delivery.body;
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return refuse('body_not_raw');
  const signatures = itemsOf(delivery, scheme.header, scheme.separator, scheme.prefix);
  if (signatures.length === 0) return refuse('missing_signature');
  const timestamp = itemsOf(
    delivery,
    scheme.timestampHeader ?? '',
    scheme.separator,
    scheme.timestampPrefix,
  )[0];
  const parts = { id: headerOf(delivery, scheme.idHeader), timestamp, url: delivery.url };
  const missing = findMissing(scheme, parts) ?? checkTimestamp(scheme, timestamp, now);
  if (missing !== undefined) return refuse(missing);
  const content = fillTemplate(scheme.template, { ...parts, body });
  return findKey(scheme, keys, signatures, content, now);
}

/** Signs a body as the scheme says; gives the headers to send with it. For tests and sandboxes. */
export async function signWebhook(
  scheme: WebhookScheme,
  key: string | Secret,
  { body, id, timestamp = new Date(), url }: WebhookToSign,
): Promise<Record<string, string>> {
  const bytes = decodeKey(revealed(key), scheme.keyEncoding);
  if (typeof bytes === 'string') throw new TypeError(`the key cannot be used: ${bytes}`);
  const time = writeTimestamp(timestamp, scheme.timestampUnit);
  const missing = findMissing(scheme, { id, timestamp: time, url });
  if (missing !== undefined) throw new TypeError(`the scheme signs what was not given: ${missing}`);
  const content = fillTemplate(scheme.template, { id, timestamp: time, url, body });
  const signature = encodeSignature(
    await signBytes(scheme.algorithm, bytes, content),
    scheme.signatureEncoding,
  );
  const headers: Record<string, string> = {};
  if (scheme.idHeader !== undefined && id !== undefined) headers[scheme.idHeader] = id;
  const { timestampHeader, timestampPrefix = '', separator = '' } = scheme;
  if (timestampHeader !== undefined) headers[timestampHeader] = timestampPrefix + time;
  const item = (scheme.prefix ?? '') + signature;
  const before = headers[scheme.header];
  headers[scheme.header] = before === undefined ? item : before + separator + item;
  return headers;
}

async function findKey(
  scheme: WebhookScheme,
  keys: readonly WebhookKey[],
  signatures: readonly string[],
  content: Uint8Array<ArrayBuffer>,
  now: Date,
): Promise<WebhookVerification> {
  let reason: WebhookRefusal = 'no_key';
  let found: WebhookKey | undefined;
  for (const candidate of keys) {
    const { notBefore, notAfter } = candidate;
    if ((notBefore && now < notBefore) || (notAfter && now > notAfter)) continue;
    const bytes = decodeKey(revealed(candidate.key), scheme.keyEncoding);
    if (typeof bytes === 'string') {
      if (reason === 'no_key') reason = bytes;
      continue;
    }
    reason = 'no_match';
    const expected = encodeSignature(
      await signBytes(scheme.algorithm, bytes, content),
      scheme.signatureEncoding,
    );
    // What came is never decoded, only compared with the one right text; hex knows two cases.
    for (const signature of signatures) {
      const text = scheme.signatureEncoding === 'hex' ? signature.toLowerCase() : signature;
      if (equalInConstantTime(expected, text)) found ??= candidate;
    }
  }
  return found === undefined ? refuse(reason) : { valid: true, keyId: found.id };
}

interface SignedParts {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  readonly url: string | undefined;
}

function findMissing(
  { template }: WebhookScheme,
  { id, timestamp, url }: SignedParts,
): WebhookRefusal | undefined {
  if (id === undefined && template.includes('{id}')) return 'missing_id';
  if (timestamp === undefined && template.includes('{timestamp}')) return 'missing_timestamp';
  if (url === undefined && template.includes('{url}')) return 'missing_url';
  return undefined;
}

function checkTimestamp(
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, timestampHeader, timestampUnit }: WebhookScheme,
  timestamp: string | undefined,
  now: Date,
): WebhookRefusal | undefined {
  if (toleranceSeconds === 'off' || timestampHeader === undefined) return undefined;
  if (timestamp === undefined) return 'missing_timestamp';
  const time = readTimestamp(timestamp, timestampUnit);
  if (time === undefined) return 'bad_timestamp';
  const ageSeconds = (now.getTime() - time) / 1000;
  if (ageSeconds > toleranceSeconds) return 'too_old';
  return ageSeconds < -toleranceSeconds ? 'too_new' : undefined;
}

/** Milliseconds since 1970. */
function readTimestamp(text: string, unit: TimestampUnit = 'seconds'): number | undefined {
  if (unit === 'iso') {
    const time = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : NaN;
    return Number.isNaN(time) ? undefined : time;
  }
  if (!/^\d{1,15}$/.test(text)) return undefined;
  return unit === 'seconds' ? Number(text) * 1000 : Number(text);
}

function writeTimestamp(time: Date, unit: TimestampUnit = 'seconds'): string {
  if (unit === 'iso') return time.toISOString();
  return String(unit === 'seconds' ? Math.floor(time.getTime() / 1000) : time.getTime());
}

/** Puts the parts in their places; the body byte by byte, for it may not be text. */
function fillTemplate(
  template: string,
  parts: SignedParts & { readonly body: string | Uint8Array },
): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const pieces = template.split(/(\{(?:id|timestamp|url|body)\})/).map((piece) => {
    const name = /^\{(\w+)\}$/.exec(piece)?.[1] as keyof typeof parts | undefined;
    const value = name === undefined ? piece : (parts[name] ?? '');
    return typeof value === 'string' ? encoder.encode(value) : value;
  });
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

function itemsOf(
  delivery: WebhookDelivery,
  header: string,
  separator: string | undefined,
  prefix = '',
): string[] {
  const text = headerOf(delivery, header);
  if (text === undefined) return [];
  const items = separator === undefined ? [text] : text.split(separator);
  return items
    .map((item) => item.trim())
    .filter((item) => item.startsWith(prefix) && item.length > prefix.length)
    .map((item) => item.slice(prefix.length));
}

function headerOf({ headers }: WebhookDelivery, name: string | undefined): string | undefined {
  if (name === undefined || name === '') return undefined;
  const wanted = name.toLowerCase();
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === wanted)?.[1];
  return typeof found === 'string' || found === undefined ? found : found.join(', ');
}

function revealed(key: string | Secret): string {
  return key instanceof Secret ? key.reveal() : key;
}

function refuse(reason: WebhookRefusal): WebhookVerification {
  return { valid: false, reason };
}

/** Shorter keys are a mistake of encoding more often than a choice, and too easy to guess. */
export const MIN_KEY_BYTES = 16;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const BASE64URL = /^(?:[\w-]{4})*(?:[\w-]{2,3})?$/;

/** The bytes of a key, or why they cannot be used. */
type DecodedKey = Uint8Array<ArrayBuffer> | 'bad_key' | 'key_too_short';

/** Reads a key strictly: a key that decodes to little or nothing would "verify" anything. */
function decodeKey(text: string, encoding: KeyEncoding): DecodedKey {
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
function encodeSignature(bytes: Uint8Array, encoding: SignatureEncoding): string {
  if (encoding === 'hex') {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  const base64 = btoa(String.fromCharCode(...bytes));
  return encoding === 'base64'
    ? base64
    : base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** An HMAC by WebCrypto, which every runtime has. */
async function signBytes(
  algorithm: SignatureAlgorithm,
  key: Uint8Array<ArrayBuffer>,
  content: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const hash = algorithm.toUpperCase().replace('SHA', 'SHA-');
  const usage = { name: 'HMAC', hash };
  const imported = await crypto.subtle.importKey('raw', key, usage, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, content));
}

/** Compares texts in a time that does not depend on where they differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index += 1) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index % (b.length || 1));
  }
  return difference === 0;
}
