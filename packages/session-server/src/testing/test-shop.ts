import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** An order as the shop of a test prices it. */
export interface TestOrder {
  readonly amount: string;
  readonly currency?: string;
  readonly status?: 'payable' | 'paid' | 'void';
  readonly [field: string]: unknown;
}

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** The back end of a merchant's shop: answers the order lookup, receives events, on a real socket. */
export class TestShop {
  readonly orders = new Map<string, TestOrder>();
  readonly events: ReceivedEvent[] = [];
  /** What came and was not taken. */
  readonly refused: ReceivedEvent[] = [];
  /** How often each order was asked for. */
  readonly lookups: string[] = [];
  /** What the next lookup waits for before it is answered with the order as it was asked for. */
  #lookupHeld: Promise<void> | undefined;
  /** What the shop answers to the next events; 204 when it runs out. */
  readonly eventAnswers: number[] = [];
  readonly #secret: string;
  readonly #server = createServer((request, response) => {
    void this.#answer(request, response);
  });
  readonly #watchers = new Set<() => void>();
  #hanging: ((event: string) => void) | undefined;

  constructor(secret: string) {
    this.#secret = secret;
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** Resolves with the first event of a type, also when it has come already. */
  async event(type: string): Promise<ReceivedEvent> {
    for (;;) {
      const found = this.events.find((event) => event.type === type);
      if (found) return found;
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  /** Holds back the answer to the next lookup until the function that it gives is called. */
  holdNextLookup(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lookupHeld = promise;
    return resolve;
  }

  /** Takes the next event and never answers it; resolves with its id. */
  hang(): Promise<string> {
    return new Promise((resolve) => {
      this.#hanging = resolve;
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    const headers = request.headers as Record<string, string>;
    const payload = new Webhook(this.#secret).verify(body, headers) as Record<string, unknown>;
    if (request.url === '/events') this.#receive(body, headers, payload, response);
    else await this.#lookUp(String(payload['order']), response);
  }

  async #lookUp(name: string, response: ServerResponse): Promise<void> {
    this.lookups.push(name);
    const order = this.orders.get(name);
    const held = this.#lookupHeld;
    this.#lookupHeld = undefined;
    await held;
    response.writeHead(order ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ currency: 'GBP', status: 'payable', order: name, ...order }));
  }

  #receive(
    body: string,
    headers: Record<string, string>,
    payload: Record<string, unknown>,
    response: ServerResponse,
  ): void {
    if (this.#hanging) {
      this.#hanging(headers['webhook-id'] ?? '');
      this.#hanging = undefined;
      return;
    }
    const status = this.eventAnswers.shift() ?? 204;
    const event = {
      id: headers['webhook-id'] ?? '',
      type: String(payload['type']),
      data: payload['data'] as Record<string, unknown>,
      body,
    };
    if (status >= 300) {
      this.refused.push(event);
    } else {
      this.events.push(event);
      for (const resolve of this.#watchers) resolve();
      this.#watchers.clear();
    }
    response.writeHead(status).end();
  }
}
