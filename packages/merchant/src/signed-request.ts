/** Requests that the session server has signed: events, and questions for an order. */
import type { Webhook } from 'standardwebhooks';
import { invalidArgument, isPayCheckoutError, PayCheckoutError } from './errors.js';
import { type Answer, headerOf, type IncomingRequest, readRawBody } from './incoming.js';

/** As far as Standard Webhooks lets the clocks differ. */
const TOLERANCE_MS = 5 * 60 * 1000;

/** @throws {PayCheckoutError} when there is nothing to verify with: at once, not with the first request */
export function required(webhook: Webhook | undefined): Webhook {
  if (webhook !== undefined) return webhook;
  throw invalidArgument('signingSecret', 'the Standard Webhooks secret, whsec_…; it is missing');
}

/** A body whose signature is good, and the id that was signed with it. */
export async function openSigned(
  request: IncomingRequest,
  webhook: Webhook,
): Promise<{ readonly id: string; readonly json: unknown }> {
  const { text, isRebuilt } = await readRawBody(request);
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const headers = Object.fromEntries(names.map((name) => [name, headerOf(request, name)]));
  const missing = names.filter((name) => headers[name] === '');
  if (missing.length > 0) throw signatureMissing(missing);
  try {
    webhook.verify(text, headers, { jsonParse: false });
  } catch (cause) {
    throw (
      timeOutsideTolerance(headers['webhook-timestamp'] ?? '', Date.now(), cause) ??
      badSignature(text, isRebuilt, cause)
    );
  }
  try {
    return { id: headers['webhook-id'] ?? '', json: JSON.parse(text) };
  } catch {
    throw new PayCheckoutError('not_json', 'The body is signed, but it is not JSON.');
  }
}

/** The key selects the merchant; that it is another one than the page names is found out here. */
export function checkKeyOf(merchant: string | undefined, ours: string): void {
  // A session server of an earlier version does not say it in every reply.
  if (merchant === ours || merchant === undefined) return;
  const message = `merchant: the key is that of ${JSON.stringify(merchant)}, not of ${ours}.`;
  throw new PayCheckoutError('wrong_merchant', message, { field: 'merchant' });
}

function signatureMissing(names: readonly string[]): PayCheckoutError {
  const message =
    `The request has no ${names.join(', no ')}: it is not from the session server, or a proxy on its way ` +
    'dropped the headers.';
  return new PayCheckoutError('signature_missing', message);
}

/** Undefined when the times are close enough, so that something else is wrong. */
function timeOutsideTolerance(
  timestamp: string,
  now: number,
  cause: unknown,
): PayCheckoutError | undefined {
  if (!/^\d{1,11}$/.test(timestamp)) return undefined;
  const sentAt = Number(timestamp) * 1000;
  if (Math.abs(Math.floor(now / 1000) * 1000 - sentAt) <= TOLERANCE_MS) return undefined;
  const message =
    `The request was signed at ${new Date(sentAt).toISOString()}, and the clock here says ` +
    `${new Date(now).toISOString()}: more than five minutes apart. Either this clock or the session ` +
    "server's is wrong, or somebody has sent an old request again.";
  return new PayCheckoutError('timestamp_outside_tolerance', message, { cause });
}

/** A wrong secret and a changed body look alike; but the session server signs what `JSON.stringify` writes. */
function badSignature(text: string, isRebuilt: boolean, cause: unknown): PayCheckoutError {
  const why = isRebuilt
    ? 'A body parser has read the body before, and its result may differ from what was signed: put this handler before it.'
    : isAsWritten(text)
      ? 'The signing secret is probably another one than that of the merchant entry.'
      : 'The body is not as the session server writes it: something has changed it on its way.';
  const message = `No signature fits the raw body and the signing secret. ${why}`;
  return new PayCheckoutError('bad_signature', message, { cause });
}

/** Whether a body is as `JSON.stringify` writes it. */
export function isAsWritten(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

export function checkMerchant(merchant: unknown, ours: string): void {
  if (merchant === ours) return;
  const message = `The request is for the merchant ${JSON.stringify(merchant)}, not for ${ours}.`;
  throw new PayCheckoutError('wrong_merchant', message);
}

const REFUSALS: Readonly<Record<string, number>> = {
  signature_missing: 401,
  timestamp_outside_tolerance: 401,
  bad_signature: 401,
  body_too_large: 413,
  not_json: 400,
  wrong_merchant: 400,
  order_unknown: 404,
  amount_differs: 409,
};

/**
 * Reports why a request is refused, and gives the answer: what is wrong where the caller can do something about it.
 * What went wrong in the shop stays there.
 */
export async function refuse(
  error: unknown,
  onError: (error: unknown) => unknown = reportRefusal,
): Promise<Answer> {
  try {
    await onError(error);
  } catch (failure) {
    // Anyone can cause a refusal: a reporter that fails must not end the process.
    console.error('pay-checkout: onError threw:', failure);
  }
  // What is no error of this package was thrown by a callback of the shop.
  const code = isPayCheckoutError(error) ? error.code : 'callback_failed';
  const status = REFUSALS[code] ?? 500;
  const detail =
    status < 500 && isPayCheckoutError(error) && code !== 'amount_differs'
      ? error.message
      : 'The request was not accepted; the log of the shop says why.';
  return { status, body: { type: 'about:blank', title: code, status, code, detail } };
}

/** In one line what anyone could send, so that it does not fill the console. */
function reportRefusal(error: unknown): void {
  const isOutside = isPayCheckoutError(error) && (REFUSALS[error.code] ?? 500) < 500;
  const shown = isOutside ? `${error.code}: ${error.message}` : error;
  console.error('pay-checkout: a request of the session server was refused:', shown);
}
