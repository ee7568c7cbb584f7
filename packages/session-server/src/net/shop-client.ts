import { isIP } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import type { Merchant, ShopEndpoint } from '../merchants/merchant.js';
import { isPublicAddress, lookupPublicOnly, PrivateAddressError } from './private-address.js';

export interface SignedMessage {
  /** The same id in each try: receivers drop what they have seen. */
  readonly id: string;
  /** JSON text. */
  readonly body: string;
}

export interface ShopAnswer {
  readonly status: number;
  readonly text: string;
}

/** Thrown when a shop's answer is longer than we are willing to read. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';
}

/**
 * POSTs to the shop's back end, signed with the merchant's `signingSecret` (Standard Webhooks), so
 * that the shop can tell us from anybody else. No redirect is followed, nothing private is reached
 * unless the merchant entry allows it, and the deadline covers the body.
 */
export class ShopClient {
  readonly #anywhere = new Agent();
  readonly #publicOnly = new Agent({ connect: { lookup: lookupPublicOnly } });

  async post(
    merchant: Pick<Merchant, 'signingSecret'>,
    endpoint: ShopEndpoint,
    message: SignedMessage,
    limits: { readonly timeoutSeconds: number; readonly maxAnswerBytes: number },
  ): Promise<ShopAnswer> {
    if (endpoint.allowPrivateAddress !== true) refusePrivateLiteral(endpoint.url);
    const { statusCode, body } = await request(endpoint.url, {
      method: 'POST',
      dispatcher: endpoint.allowPrivateAddress === true ? this.#anywhere : this.#publicOnly,
      signal: AbortSignal.timeout(limits.timeoutSeconds * 1000),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...sign(merchant, message),
      },
      body: message.body,
    });
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limits.maxAnswerBytes) throw new AnswerTooLongError('the answer is too long');
      chunks.push(chunk);
    }
    return { status: statusCode, text: Buffer.concat(chunks).toString('utf8') };
  }

  async close(): Promise<void> {
    await Promise.all([this.#anywhere.destroy(), this.#publicOnly.destroy()]);
  }
}

function sign(
  merchant: Pick<Merchant, 'signingSecret'>,
  message: SignedMessage,
): Record<string, string> {
  const [secret] = merchant.signingSecret;
  if (secret === undefined) throw new Error('the merchant has no signing secret');
  const sentAt = new Date();
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(message.id, sentAt, message.body),
  };
}

/** An address written as numbers is connected to without a host look-up. */
function refusePrivateLiteral(url: string): void {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new PrivateAddressError();
}
