import { Webhook } from 'standardwebhooks';
import { ApiClient } from './api-client.js';
import { checkNames, invalidArgument } from './errors.js';
import { Events } from './events.js';
import { checkOrder, Orders } from './orders.js';

const MAX_TIMEOUT_SECONDS = 3600;
const OPTIONS: readonly string[] = [
  'server',
  'merchant',
  'apiKey',
  'signingSecret',
  'orderTokenSecret',
  'timeoutSeconds',
] satisfies (keyof PayCheckoutOptions)[];

/** What the platform that hosts the session server gives to a merchant. */
export interface PayCheckoutOptions {
  /** Address of the session server, such as `https://pay.example`. As the next two, refused when undefined. */
  readonly server: string | undefined;
  /** The merchant's id at the session server. */
  readonly merchant: string | undefined;
  /** The merchant's key. */
  readonly apiKey: string | undefined;
  /** The Standard Webhooks secret of events and of the order lookup: `whsec_…`. Not for the feed alone. */
  readonly signingSecret?: string | undefined;
  /** For {@link PayCheckout.orderToken} only: the secret of order tokens. */
  readonly orderTokenSecret?: string | undefined;
  /** Limit of each call, with its repetitions. Default 10, at most 3600. */
  readonly timeoutSeconds?: number | undefined;
}

/**
 * The merchant's back end: prices orders, and learns what is paid. For servers and edge runtimes, never for
 * a page: it holds secrets. It shows none of them.
 *
 * @throws {PayCheckoutError} `invalid_argument`, with the name of the option in `field`
 * @example
 * const pay = new PayCheckout({ server, merchant, apiKey, signingSecret });
 * const { orderToken } = await pay.orders.put('A1001', { amount: '9.99', currency: 'GBP' });
 */
export class PayCheckout {
  readonly server: string;
  readonly merchant: string;
  readonly orders: Orders;
  readonly events: Events;
  readonly #orderTokenSecret: string | undefined;

  constructor(options: PayCheckoutOptions) {
    checkNames(options, OPTIONS);
    const {
      server,
      merchant,
      apiKey,
      signingSecret,
      orderTokenSecret,
      timeoutSeconds = 10,
    } = options;
    this.server = readServer(server);
    this.merchant = readText('merchant', merchant, /^[\w.-]+$/, 'the id of the merchant');
    // A key that is no header text would be quoted in the error of fetch.
    const key = readText('apiKey', apiKey, /^[\x21-\x7e]{1,200}$/, 'the key of the merchant');
    if (orderTokenSecret !== undefined) {
      readText('orderTokenSecret', orderTokenSecret, /./, 'the secret of order tokens');
    }
    if (!(timeoutSeconds > 0 && timeoutSeconds <= MAX_TIMEOUT_SECONDS)) {
      throw invalidArgument('timeoutSeconds', 'a number above 0, at most 3600');
    }
    const api = new ApiClient(this.server, key, timeoutSeconds);
    const webhook = signingSecret === undefined ? undefined : readWebhook(signingSecret);
    this.orders = new Orders(api, this.merchant, webhook);
    this.events = new Events(api, this.orders, this.merchant, webhook);
    this.#orderTokenSecret = orderTokenSecret;
  }

  /**
   * A token for a page that shows an order of the lookup; `orders.put` gives one itself. It proves that the
   * shop sent this shopper to this order.
   *
   * @throws {PayCheckoutError} `invalid_argument`: without `orderTokenSecret`
   */
  async orderToken(
    order: string,
    options: { readonly expiresInSeconds?: number } = {},
  ): Promise<string> {
    checkNames(options, ['expiresInSeconds']);
    const { expiresInSeconds = 3600 } = options;
    if (this.#orderTokenSecret === undefined) {
      throw invalidArgument('orderTokenSecret', 'the secret of order tokens in the options');
    }
    if (!(expiresInSeconds > 0)) throw invalidArgument('expiresInSeconds', 'a number above 0');
    const exp = Math.floor(Date.now() / 1000 + expiresInSeconds);
    const text = `pay-checkout.order.v1\n${this.merchant}\n${checkOrder(order)}\n${exp}`;
    return `${order}.${exp}.${await hmac(this.#orderTokenSecret, text)}`;
  }
}

/** HMAC-SHA256 as base64url. */
async function hmac(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [
    'sign',
  ]);
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '');
}

function readServer(server: string | undefined): string {
  const url = server !== undefined && URL.canParse(server) ? new URL(server) : undefined;
  const isPlain =
    url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.username === '';
  if (!isPlain || url.search !== '' || url.hash !== '') {
    throw invalidArgument('server', "the session server's address, such as https://pay.example");
  }
  return url.origin;
}

/** Never quotes the value, which may be a secret. */
function readText(field: string, value: unknown, form: RegExp, expected: string): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw invalidArgument(field, `${expected}${value === undefined ? '; it is missing' : ''}`);
}

function readWebhook(signingSecret: string): Webhook {
  try {
    if (signingSecret.startsWith('whsec_')) return new Webhook(signingSecret);
  } catch {
    // Its words are about the value.
  }
  throw invalidArgument('signingSecret', 'the Standard Webhooks secret, whsec_ and base64');
}
