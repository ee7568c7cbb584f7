import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** A delivery as it came: nothing parsed, nothing decoded. */
export interface RawWebhook {
  /** Public address that it came to, for schemes that sign it. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const LENGTH_BYTES = 4;
const LONGEST_VALUE = 200;
/** A test delivery is longer than this only by a mistake. */
const MAX_TEST_BYTES = 1024;

const DECODERS: Readonly<
  Record<string, (body: Uint8Array, options: { maxOutputLength: number }) => Buffer>
> = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync };

/** One run of bytes that holds all of a delivery: what is encrypted. */
export function packWebhook({ url, headers, body }: RawWebhook): Buffer {
  const head = Buffer.from(JSON.stringify({ url, headers }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, body]);
}

/** The delivery that {@link packWebhook} packed. */
export function unpackWebhook(packed: Buffer): RawWebhook {
  const bodyAt = LENGTH_BYTES + packed.readUInt32BE();
  const head = JSON.parse(packed.toString('utf8', LENGTH_BYTES, bodyAt)) as Omit<
    RawWebhook,
    'body'
  >;
  return { ...head, body: packed.subarray(bodyAt) };
}

/**
 * What a delivery says, as far as it can be read: JSON with every number as its exact text, or a
 * form. Undefined for anything else: the payload's shape is not shown (spec 6).
 */
export function readContent(delivery: RawWebhook, maxBytes: number): unknown {
  try {
    // Without the byte order mark that some senders put before their JSON.
    const text = new TextDecoder().decode(decode(delivery, maxBytes));
    return isForm(delivery.headers)
      ? Object.fromEntries(new URLSearchParams(text))
      : parseWithExactNumbers(text);
  } catch {
    return undefined;
  }
}

/** The text at a dotted path, `data.order_id` for example: undefined unless a text or a number is there. */
export function readPath(content: unknown, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  let value = content;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
      return undefined;
    }
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return typeof value === 'string' && value.length <= LONGEST_VALUE ? value : undefined;
}

/** Whether this is the test of spec 4.8: a single property `event` whose value is `test`. */
export function isTestWebhook(delivery: RawWebhook): boolean {
  if (delivery.body.length > MAX_TEST_BYTES || !mayNameTest(delivery)) return false;
  const content = readContent(delivery, MAX_TEST_BYTES);
  return (
    typeof content === 'object' &&
    content !== null &&
    Object.keys(content).length === 1 &&
    readPath(content, 'event') === 'test'
  );
}

/** False when the word cannot be in it, so that not every delivery is read before it is stored. */
function mayNameTest({ headers, body }: RawWebhook): boolean {
  if (headers['content-encoding'] !== undefined || isForm(headers)) return true;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  // JSON may spell any letter with a backslash.
  return bytes.includes('test') || bytes.includes('\\');
}

function isForm(headers: RawWebhook['headers']): boolean {
  return (headers['content-type'] ?? '').includes('x-www-form-urlencoded');
}

function decode({ headers, body }: RawWebhook, maxBytes: number): Buffer {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  return decoder ? decoder(body, { maxOutputLength: maxBytes }) : Buffer.from(body);
}

type ExactReviver = (key: string, value: unknown, context?: { source?: string }) => unknown;
const parseExactly = JSON.parse as (text: string, reviver: ExactReviver) => unknown;

/** No amount passes through a binary float, and no long `order_id` loses digits. */
function parseWithExactNumbers(text: string): unknown {
  return parseExactly(text, (_key, value, context) =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value,
  );
}
