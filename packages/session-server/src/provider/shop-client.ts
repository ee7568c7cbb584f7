import { ADDRCONFIG, promises as dns } from 'node:dns';
import { isIP } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Agent, type Dispatcher, request } from 'undici';
import type { Merchant, ShopEndpoint } from '../merchants/merchant.js';
import { isPublicAddress, PrivateAddressError } from './private-address.js';
import { type NameServerOptions, publicAddressFinder } from './public-addresses.js';
import { SharedLookup } from './shared-lookup.js';

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

/** After this much of an answer that nobody reads, its end is not waited for. */
const MAX_UNREAD_BYTES = 64 * 1024;

/**
 * POSTs to the shop's back end, signed with each `signingSecret` of the merchant (Standard
 * Webhooks), so that the shop can tell us from anybody else, also while it changes its secret. No
 * redirect is followed, and nothing private is reached unless the merchant entry allows it.
 */
export class ShopClient {
  readonly #anyAddress: SharedLookup;
  readonly #publicAddress: SharedLookup;
  readonly #anywhere: Agent;
  readonly #publicOnly: Agent;

  /** @param nameServers how the names of shops are polled up that have public addresses */
  constructor(nameServers: NameServerOptions = {}) {
    // The system knows names of our own network that no name server tells.
    this.#anyAddress = new SharedLookup((name) =>
      dns.lookup(name, { all: true, hints: ADDRCONFIG }),
    );
    this.#publicAddress = new SharedLookup(publicAddressFinder(nameServers));
    this.#anywhere = new Agent({ connect: { lookup: this.#anyAddress.lookup } });
    this.#publicOnly = new Agent({ connect: { lookup: this.#publicAddress.lookup } });
  }

  /** Asks the shop: the deadline covers the whole answer. */
  async ask(
    merchant: Pick<Merchant, 'signingSecret'>,
    endpoint: ShopEndpoint,
    message: SignedMessage,
    limits: { readonly timeoutSeconds: number; readonly maxAnswerBytes: number },
  ): Promise<ShopAnswer> {
    const { statusCode, body } = await this.#post(
      merchant,
      endpoint,
      message,
      limits.timeoutSeconds,
    );
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limits.maxAnswerBytes) throw new AnswerTooLongError('the answer is too long');
      chunks.push(chunk);
    }
    return { status: statusCode, text: Buffer.concat(chunks).toString('utf8') };
  }

  /**
   * Tells the shop, and answers its status: however long the answer is, nobody reads it. One that is
   * cut off, or does not end in time or before `stop`, is none.
   */
  async tell(
    merchant: Pick<Merchant, 'signingSecret'>,
    endpoint: ShopEndpoint,
    message: SignedMessage,
    timeoutSeconds: number,
    stop?: AbortSignal,
  ): Promise<number> {
    const { statusCode, body } = await this.#post(
      merchant,
      endpoint,
      message,
      timeoutSeconds,
      stop,
    );
    let length = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_UNREAD_BYTES) break;
    }
    return statusCode;
  }

  async close(): Promise<void> {
    this.#anyAddress.close();
    this.#publicAddress.close();
    await Promise.all([this.#anywhere.destroy(), this.#publicOnly.destroy()]);
  }

  #post(
    merchant: Pick<Merchant, 'signingSecret'>,
    { url, allowPrivateAddress }: ShopEndpoint,
    message: SignedMessage,
    timeoutSeconds: number,
    stop?: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    if (allowPrivateAddress !== true) refusePrivateLiteral(url);
    const limit = AbortSignal.timeout(timeoutSeconds * 1000);
    const signal = stop === undefined ? limit : AbortSignal.any([limit, stop]);
    const answer = request(url, {
      method: 'POST',
      dispatcher: allowPrivateAddress === true ? this.#anywhere : this.#publicOnly,
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...sign(merchant, message),
      },
      body: message.body,
    });
    return untilAborted(answer, signal);
  }
}

/** The request itself hears of its signal only when there is a connection. */
function untilAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    answer.then(resolve, reject);
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}

function sign(
  merchant: Pick<Merchant, 'signingSecret'>,
  message: SignedMessage,
): Record<string, string> {
  const sentAt = new Date();
  const signatures = merchant.signingSecret.map((secret) =>
    new Webhook(secret).sign(message.id, sentAt, message.body),
  );
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

/** An address written as numbers is connected to without a host look-up. */
function refusePrivateLiteral(url: string): void {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new PrivateAddressError();
}
