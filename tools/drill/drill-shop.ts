import { createHmac, randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export const SHOP_ORIGIN = 'http://shop.localhost:4100';

/** A secret that is found again in whatever shows it. */
export function makeCanary(name: string): string {
  return `canary-${name}-${randomBytes(16).toString('hex')}`;
}

/** One arrival of an event; a repeat of an event is another arrival of the same id. */
export interface Arrival {
  readonly id: string;
  readonly type: string;
  readonly order: string;
  readonly checkout: string;
  readonly sequence: number;
  readonly certain: boolean;
  readonly body: string;
}

/** What the shop does with the next event of an order, once. */
export type NextAnswer = 'refuse' | 'store-and-stay-silent';

/** The shop of every drill: prices orders, counts events, and never dies. */
export class DrillShop {
  static readonly merchant: string = 'drill';
  /** The entry of the same shop for the orders that it puts. */
  static readonly puttingMerchant: string = 'drill-putting';
  /** One of whose order no one else may see anything. */
  static readonly otherMerchant: string = 'drill-other';
  readonly orderTokenSecret = randomBytes(32).toString('hex');
  /** Of the webhook endpoint that is registered in the merchants file. */
  readonly endpointToken = makeCanary('endpoint');
  /** Of the one whose webhooks are signed, so that they prove what they say. */
  readonly signedEndpointToken = makeCanary('signed-endpoint');
  readonly signingSecret = `whsec_${randomBytes(32).toString('base64')}`;
  readonly providerKey = `whsec_${randomBytes(32).toString('base64')}`;
  readonly #keyPrefix = makeCanary('key');
  readonly #arrivals = new Map<string, Arrival[]>();
  readonly #prices = new Map<string, string>();
  readonly #next = new Map<string, NextAnswer>();
  readonly #news = new EventEmitter().setMaxListeners(0);
  readonly #server = createServer((request, response) => {
    void this.#answer(request, response);
  });

  /** The API key of a merchant. */
  keyOf(merchant: string): string {
    return `${this.#keyPrefix}-of-${merchant}`;
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  addOrder(order: string, amount: string): void {
    this.#prices.set(order, amount);
  }

  priceOf(order: string): string {
    return this.#prices.get(order) ?? '';
  }

  /** The headers of a webhook that the provider has signed, with the key that it shares with us. */
  signAsProvider(body: string): Record<string, string> {
    const id = `whk_${randomBytes(8).toString('hex')}`;
    const now = new Date();
    return {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(this.providerKey).sign(id, now, body),
    };
  }

  answerNext(order: string, answer: NextAnswer): void {
    this.#next.set(order, answer);
  }

  token(order: string, merchant = DrillShop.merchant): string {
    const expires = Math.floor(Date.now() / 1000) + 3600;
    const claim = `pay-checkout.order.v1\n${merchant}\n${order}\n${String(expires)}`;
    const hmac = createHmac('sha256', this.orderTokenSecret).update(claim).digest('base64url');
    return `${order}.${String(expires)}.${hmac}`;
  }

  arrivalsOf(order: string): Arrival[] {
    return this.#arrivals.get(order) ?? [];
  }

  /** Resolves when an event of a type has been stored for an order. */
  async until(order: string, type: string): Promise<void> {
    while (!this.arrivalsOf(order).some((arrival) => arrival.type === type)) {
      await once(this.#news, `event of ${order}`);
    }
  }

  /** Resolves when the next event arrives, before it is answered. */
  async untilArrival(): Promise<void> {
    await once(this.#news, 'arrival');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request).catch(() => undefined);
    if (body === undefined) return;
    const headers = request.headers as Record<string, string>;
    const message = new Webhook(this.signingSecret).verify(body, headers);
    if (request.url === '/events') this.#receive(headers['webhook-id'] ?? '', body, response);
    else this.#price((message as { order: string }).order, response);
  }

  #price(order: string, response: ServerResponse): void {
    const amount = this.#prices.get(order);
    response.writeHead(amount === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ order, amount, currency: 'GBP', status: 'payable' }));
  }

  #receive(id: string, body: string, response: ServerResponse): void {
    const { type, data } = JSON.parse(body) as { type: string; data: Omit<Arrival, 'type'> };
    const { order, checkout, sequence, certain } = data;
    const answer = this.#next.get(order);
    this.#next.delete(order);
    if (answer === 'refuse') {
      response.writeHead(500).end();
      return;
    }
    const arrival = { id, type, order, checkout, sequence, certain, body };
    this.#arrivals.set(order, [...this.arrivalsOf(order), arrival]);
    this.#news.emit(`event of ${order}`);
    if (answer === undefined) response.writeHead(204).end();
    this.#news.emit('arrival');
  }
}
