/** Requests from the session server: the raw body is kept, and believed only when it is signed. */
import { raw, type Request, type RequestHandler } from 'express';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { ShopError } from './problem.js';

const MAX_BODY_BYTES = 64 * 1024;

/** Reads the body as bytes: a signature is over bytes, not over what a parser made of them. */
export const readRawBody: RequestHandler = raw({ type: () => true, limit: MAX_BODY_BYTES });

/** A body whose signature is good. */
export interface SignedBody {
  /** `webhook-id`: the same for every retry of one message. */
  readonly id: string;
  readonly text: string;
  readonly json: unknown;
}

/** Checks the Standard Webhooks signature (five minutes of tolerance) and parses the body. */
export function openSignedBody(request: Request, signingSecret: string): SignedBody {
  const body: unknown = request.body;
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : '';
  const id = request.get('webhook-id') ?? '';
  try {
    new Webhook(signingSecret).verify(
      text,
      {
        'webhook-id': id,
        'webhook-timestamp': request.get('webhook-timestamp') ?? '',
        'webhook-signature': request.get('webhook-signature') ?? '',
      },
      { jsonParse: false },
    );
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    throw new ShopError(
      401,
      'bad_signature',
      'The signature does not fit: sign the raw body with the signing secret of this shop.',
    );
  }
  return { id, text, json: parseJson(text) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ShopError(400, 'bad_json', 'The body must be JSON.');
  }
}
