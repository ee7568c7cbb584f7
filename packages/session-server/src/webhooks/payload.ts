import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Attempt } from '../checkouts/attempt-repository.js';
import type { Checkout } from '../checkouts/state-machine.js';
import type { EvidenceSettings } from '../merchants/merchant.js';
import type { WebhookSettings } from '../merchants/webhook-settings.js';
import { expectedPaymentOf, matchTransaction } from '../reconciliation/matching.js';
import type { WebhookProof } from './repository.js';

/** A webhook as it came: nothing parsed, nothing decoded. */
export interface RawWebhook {
  /** Public address that it came to, for schemes that sign it. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const LENGTH_BYTES = 4;
const MAX_VALUE_CHARS = 200;
/** A test webhook is longer than this only by mistake. */
const MAX_TEST_BYTES = 1024;

const DECODERS: Readonly<
  Record<string, (body: Uint8Array, options: { maxOutputLength: number }) => Buffer>
> = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync };

/** One run of bytes that holds the whole webhook: what is encrypted. */
export function packWebhook({ url, headers, body }: RawWebhook): Buffer {
  const head = Buffer.from(JSON.stringify({ url, headers }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, body]);
}

/** The webhook that {@link packWebhook} packed. */
export function unpackWebhook(packed: Buffer): RawWebhook {
  const bodyAt = LENGTH_BYTES + packed.readUInt32BE();
  const head = packed.toString('utf8', LENGTH_BYTES, bodyAt);
  return {
    ...(JSON.parse(head) as Omit<RawWebhook, 'body'>),
    body: packed.subarray(bodyAt),
  };
}

/**
 * The payload of a webhook, as far as it can be read: JSON with every number as its exact text, or a
 * form. Undefined otherwise: the payload's shape is not shown (spec 6).
 */
export function readPayload(webhook: RawWebhook, maxBytes: number): unknown {
  try {
    // TextDecoder drops the byte order mark that some senders put before their JSON.
    const text = new TextDecoder().decode(decode(webhook, maxBytes));
    return isForm(webhook) ? Object.fromEntries(new URLSearchParams(text)) : parseExactly(text);
  } catch {
    return undefined;
  }
}

/** Whether this is the test of spec 4.8: a single property `event` whose value is `test`. */
export function isTestWebhook(webhook: RawWebhook): boolean {
  if (webhook.body.length > MAX_TEST_BYTES) return false;
  const payload = readPayload(webhook, MAX_TEST_BYTES);
  return (
    typeof payload === 'object' &&
    payload !== null &&
    Object.keys(payload).length === 1 &&
    readPath(payload, 'event') === 'test'
  );
}

/** The names under which a webhook speaks of an attempt. */
export interface AttemptNames {
  readonly orderId: string | undefined;
  readonly merchantReference: string | undefined;
}

/** Reads the names at the configured paths. */
export function readNames(payload: unknown, { paths }: WebhookSettings): AttemptNames {
  return {
    orderId: readPath(payload, paths.orderId),
    merchantReference: readPath(payload, paths.merchantReference),
  };
}

/** Whether a webhook names another attempt than this one; naming none is no contradiction. */
export function contradicts(names: AttemptNames, attempt: Attempt): boolean {
  const { orderId, merchantReference } = names;
  return (
    (orderId !== undefined && orderId !== String(attempt.orderId)) ||
    (merchantReference !== undefined && merchantReference !== attempt.merchantReference)
  );
}

/** A webhook whose signature is good, and the attempt that it is about. */
export interface VerifiedWebhook {
  readonly payload: unknown;
  readonly receivedAt: number;
  readonly attempt: Attempt;
  readonly checkout: Checkout;
}

/**
 * What a verified webhook proves of its attempt. Only the statuses that the merchant entry lists
 * prove anything, and a payment must pass every rule that a row of the provider's list must pass.
 */
export function proofOf(
  { payload, receivedAt, attempt, checkout }: VerifiedWebhook,
  { paths, evidence }: WebhookSettings,
  rules: EvidenceSettings,
): WebhookProof | undefined {
  const status = readPath(payload, paths.status) ?? '';
  const { orderId } = attempt;
  if (evidence.failedStatuses.includes(status)) return { kind: 'failure', orderId };
  const row = {
    id: readPath(payload, paths.transaction),
    // Whether a webhook carries the time of the payment is not shown; it cannot come before it.
    transactionTime: new Date(receivedAt).toISOString(),
    status,
    currencyCode: readPath(payload, paths.currency),
    amount: readPath(payload, paths.amount),
    serviceFee: readPath(payload, paths.serviceFee),
    references: Object.fromEntries(rules.matchFields.map((field) => [field, String(orderId)])),
  };
  const result = matchTransaction(row, expectedPaymentOf(attempt, checkout), {
    ...rules,
    paidStatuses: evidence.paidStatuses,
    refundedStatuses: [],
    failedStatuses: [],
  });
  if (result.kind === 'mismatch') return { kind: 'mismatch', orderId, code: result.code };
  if (result.kind !== 'paid') return undefined;
  return {
    kind: 'payment',
    evidence: {
      ...result.money,
      transaction: row.id ?? '',
      orderId,
      status,
      provesPrice: true,
      joinsRefundRow: rules.joinsRefundRow,
      ...(row.serviceFee !== undefined && { payment: { fee: row.serviceFee } }),
      amount: row.amount ?? '',
      currency: row.currencyCode ?? '',
      transactionTime: row.transactionTime,
    },
  };
}

/** The text at a dotted path such as `data.order_id`; undefined unless a text or a number is there. */
function readPath(payload: unknown, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  let value = payload;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
      return undefined;
    }
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return typeof value === 'string' && value.length <= MAX_VALUE_CHARS ? value : undefined;
}

function isForm({ headers }: RawWebhook): boolean {
  return (headers['content-type'] ?? '').includes('x-www-form-urlencoded');
}

function decode({ headers, body }: RawWebhook, maxBytes: number): Uint8Array {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  return decoder ? decoder(body, { maxOutputLength: maxBytes }) : body;
}

type SourceReviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/** No amount passes through a binary float, and no long `order_id` loses digits. */
function parseExactly(text: string): unknown {
  const parse = JSON.parse as (text: string, reviver: SourceReviver) => unknown;
  return parse(text, (_key, value, context) =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value,
  );
}
