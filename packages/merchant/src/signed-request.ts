/** Requests that the session server has signed: events, and questions for an order. */
import type { Webhook } from 'standardwebhooks';
import { invalidArgument, isPayCheckoutError, PayCheckoutError } from './errors.js';
import { type Answer, headerOf, type IncomingRequest, readRawBody } from './incoming.js';

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
  try {
    webhook.verify(text, headers, { jsonParse: false });
  } catch (cause) {
    const hint = isRebuilt
      ? ' A body parser has read the body before, and its result may differ from what was signed: put this handler before it.'
      : '';
    const message = `The signature does not fit the raw body and the signing secret.${hint}`;
    throw new PayCheckoutError('bad_signature', message, { cause });
  }
  try {
    return { id: headers['webhook-id'] ?? '', json: JSON.parse(text) };
  } catch {
    throw new PayCheckoutError('not_json', 'The body is signed, but it is not JSON.');
  }
}

export function checkMerchant(merchant: unknown, ours: string): void {
  if (merchant === ours) return;
  throw new PayCheckoutError('wrong_merchant', `The request is for another merchant than ${ours}.`);
}

const REFUSALS: Readonly<Record<string, number>> = {
  bad_signature: 401,
  body_too_large: 413,
  not_json: 400,
  wrong_merchant: 400,
  order_unknown: 404,
  amount_differs: 409,
};

/** Says what is wrong where the caller can do something about it; what went wrong in the shop stays there. */
export function refusalOf(error: unknown): Answer {
  const code = isPayCheckoutError(error) ? error.code : 'internal_error';
  const status = REFUSALS[code] ?? 500;
  const detail =
    status < 500 && isPayCheckoutError(error) && code !== 'amount_differs'
      ? error.message
      : 'The event was not acknowledged.';
  return { status, body: { type: 'about:blank', title: code, status, code, detail } };
}
