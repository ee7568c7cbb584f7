import dns, { type LookupAddress, type LookupAllOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { SpanKind } from '@opentelemetry/api';
import ipaddr from 'ipaddr.js';
import { Webhook } from 'standardwebhooks';
import { Agent, type Dispatcher, request } from 'undici';
import type { Merchant, ShopEndpoint } from '../merchants/merchant.js';
import { inSpan } from '../tracing/spans.js';

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

/** Thrown instead of connecting to an address inside our own network. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';

  constructor() {
    super(
      'the address leads into a private network; if this is intended, set allowPrivateAddress on the merchant entry',
    );
  }
}

/** The form of `dns.lookup` that finds all addresses of a name. */
export type DnsLookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

type Signer = Pick<Merchant, 'signingSecret'>;

type ShopRequest = Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'>;

/** The response to an event is read up to this size. */
const MAX_UNREAD_BYTES = 64 * 1024;

/**
 * POSTs to the shop's back end, signed with each `signingSecret` of the merchant (Standard
 * Webhooks), so that a shop can verify us also while it changes its secret. Follows no redirect, and
 * connects to no private address unless the merchant entry allows it.
 */
export class ShopClient {
  readonly #anyAddress = new Agent();
  readonly #publicOnly: Agent;

  /** @param lookup resolves host names; default: the system's `dns.lookup` */
  constructor(lookup: DnsLookup = dns.lookup) {
    this.#publicOnly = new Agent({ connect: { lookup: publicLookup(lookup) } });
  }

  /** Asks the shop. The time limit covers the whole answer. */
  async ask(
    merchant: Signer,
    endpoint: ShopEndpoint,
    message: SignedMessage,
    limits: { readonly timeoutSeconds: number; readonly maxAnswerBytes: number },
  ): Promise<ShopAnswer> {
    const signal = AbortSignal.timeout(limits.timeoutSeconds * 1000);
    const post = signedPost(merchant, message);
    const { statusCode, body } = await this.#send('shop.ask', endpoint, post, signal);
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
   * Delivers an event, and returns the status of the answer, however long it is. An answer that is cut
   * off, or does not end in time or before `stop`, is none.
   */
  async deliver(
    merchant: Signer,
    endpoint: ShopEndpoint,
    message: SignedMessage,
    timeoutSeconds: number,
    stop?: AbortSignal,
  ): Promise<number> {
    const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
    const signal = stop === undefined ? timeout : AbortSignal.any([timeout, stop]);
    return this.#statusOf('shop.deliver', endpoint, signedPost(merchant, message), signal);
  }

  /** The status that a visitor of a page of the shop gets, however long the page is. Throws when there is no answer in time. */
  visit(page: ShopEndpoint, timeoutSeconds: number): Promise<number> {
    const get = { method: 'GET', headers: { accept: 'text/html' } } as const;
    return this.#statusOf('shop.visit', page, get, AbortSignal.timeout(timeoutSeconds * 1000));
  }

  async #statusOf(
    name: string,
    endpoint: ShopEndpoint,
    what: ShopRequest,
    signal: AbortSignal,
  ): Promise<number> {
    const { statusCode, body } = await this.#send(name, endpoint, what, signal);
    let length = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_UNREAD_BYTES) break;
    }
    return statusCode;
  }

  async close(): Promise<void> {
    await Promise.all([this.#anyAddress.destroy(), this.#publicOnly.destroy()]);
  }

  async #send(
    name: string,
    { url, allowPrivateAddress = false }: ShopEndpoint,
    what: ShopRequest,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    // An address written as numbers is connected to without a DNS lookup.
    const host = hostOf(url);
    if (!allowPrivateAddress && isIP(host) !== 0 && !isPublicAddress(host)) {
      throw new PrivateAddressError();
    }
    const about = {
      kind: SpanKind.CLIENT,
      attributes: { 'http.request.method': what.method, 'server.address': host },
    };
    return inSpan(name, about, async (span) => {
      const answer = request(url, {
        ...what,
        dispatcher: allowPrivateAddress ? this.#anyAddress : this.#publicOnly,
        signal,
      });
      const data = await untilAborted(answer, signal);
      span.setAttribute('http.response.status_code', data.statusCode);
      return data;
    });
  }
}

function signedPost(merchant: Signer, message: SignedMessage): ShopRequest {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...sign(merchant, message),
  };
  return { method: 'POST', headers, body: message.body };
}

/**
 * Resolves a name for a socket, unless one of its addresses is private. The socket connects to the very
 * addresses that were checked, so a name that answers differently the next time gains nothing.
 */
function publicLookup(lookup: DnsLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) callback(error ?? new Error(`no address for ${hostname}`), []);
      else if (!addresses.every(({ address }) => isPublicAddress(address))) {
        callback(new PrivateAddressError(), []);
      } else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Why {@link ShopClient} would not connect to an endpoint as the system resolves its name now. */
export function findAddressProblem(
  { url, allowPrivateAddress = false }: ShopEndpoint,
  lookup: DnsLookup = dns.lookup,
): Promise<'private' | 'not_found' | undefined> {
  if (allowPrivateAddress) return Promise.resolve(undefined);
  const host = hostOf(url);
  return new Promise((resolve) => {
    publicLookup(lookup)(host, { all: true }, (error) => {
      if (error === null) resolve(undefined);
      else resolve(error instanceof PrivateAddressError ? 'private' : 'not_found');
    });
  });
}

/** Names that no public address has (RFC 6761, RFC 6762, RFC 9476), and those without a dot. */
const PRIVATE_NAME = /^[^.]+$|\.(internal|local|localhost|test)$/;

/** Whether the address of an endpoint is private as it is written, whatever its name resolves to. */
export function isWrittenPrivate(url: string): boolean {
  const host = hostOf(url);
  return isIP(host) === 0 ? PRIVATE_NAME.test(host) : !isPublicAddress(host);
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/** All that is given out of IPv6 so far (RFC 4291), and a part of it for documents (RFC 9637). */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
const DOCUMENTATION: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('3fff::'), 20];

/** Whether an IP address belongs to the public internet: not loopback, private or special. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  if (!(parsed instanceof ipaddr.IPv6)) return true;
  return parsed.match(GLOBAL_UNICAST) && !parsed.match(DOCUMENTATION);
}

/** undici heeds the signal only once there is a connection. */
function untilAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    answer.then(resolve, reject);
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}

function sign({ signingSecret }: Signer, { id, body }: SignedMessage): Record<string, string> {
  const sentAt = new Date();
  const signatures = signingSecret.map((secret) =>
    new Webhook(secret.reveal()).sign(id, sentAt, body),
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}
