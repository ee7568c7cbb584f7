/** A shop of a test, our sandbox and the real session server between them, on real sockets. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, type Sandbox } from '@pay-checkout/sandbox';
import {
  type CheckoutStatusReply,
  parseConfig,
  type RunningServer,
  startSessionServer,
} from '@pay-checkout/session-server';
import { Webhook } from 'standardwebhooks';
import { PayCheckout } from '../client.js';

export const SHOP_ORIGIN = 'http://shop.localhost:4100';
export const MERCHANT = 'teashop';
export const API_KEY = 'canary-merchant-key-0123456789';
export const ORDER_TOKEN_SECRET = 'canary-order-token-secret-0123456789';
export const SIGNING_SECRET = `whsec_${Buffer.from('canary-signing-secret-0123456789').toString('base64')}`;
const SANDBOX_KEY = 'sandbox-key-for-tests';
/** Approved by the sandbox. */
const GOOD_CARD = {
  number: '9000000000000001',
  expiry: '12/39',
  securityCode: '123',
  name: 'Sam Sample',
};

interface OpenCheckout {
  readonly checkout: string;
  readonly sessionId: string;
}

export interface StackOptions {
  /** Added to the merchant entry. */
  readonly merchant?: Readonly<Record<string, unknown>>;
}

export class RealStack {
  readonly sandbox: Sandbox = createSandbox({
    apiKey: SANDBOX_KEY,
    merchants: [{ id: 1001, name: 'Test Merchant', currency: 'GBP' }],
  });
  /** What the shop answers with; a test may change it at any time. */
  shop: (request: IncomingMessage, response: ServerResponse) => unknown = (_request, response) => {
    response.writeHead(503).end();
  };
  sandboxUrl = '';
  shopUrl = '';
  readonly #folder = mkdtempSync(join(tmpdir(), 'merchant-'));
  readonly #shopServer: Server = createServer((request, response) => this.shop(request, response));
  #server!: RunningServer;

  static async start({ merchant = {} }: StackOptions = {}): Promise<RealStack> {
    const stack = new RealStack();
    stack.#shopServer.listen(0, '127.0.0.1');
    await once(stack.#shopServer, 'listening');
    stack.shopUrl = `http://127.0.0.1:${(stack.#shopServer.address() as AddressInfo).port}`;
    stack.sandboxUrl = (await stack.sandbox.listen()).url;
    stack.#writeMerchants(merchant);
    const script = '/* the element */';
    const hash = createHash('sha384').update(script).digest('base64');
    writeFileSync(join(stack.#folder, 'pay-checkout.js'), script);
    writeFileSync(join(stack.#folder, 'pay-checkout.js.integrity'), `sha384-${hash}`);
    stack.#server = await startSessionServer(stack.#config());
    return stack;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** What a merchant is given. */
  get options() {
    return {
      server: this.url,
      merchant: MERCHANT,
      apiKey: API_KEY,
      signingSecret: SIGNING_SECRET,
      orderTokenSecret: ORDER_TOKEN_SECRET,
    };
  }

  client(): PayCheckout {
    return new PayCheckout(this.options);
  }

  /** Does what the tag does when its pay button is pressed. */
  async openCheckout(order: string, orderToken: string): Promise<OpenCheckout> {
    const response = await fetch(`${this.url}/v1/checkouts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: SHOP_ORIGIN },
      body: JSON.stringify({ merchant: MERCHANT, order, orderToken }),
    });
    const body = (await response.json()) as OpenCheckout;
    if (body.sessionId === undefined) throw new Error(`no session: ${JSON.stringify(body)}`);
    return body;
  }

  /** Types a card into the provider's form, and waits for the outcome as the tag does. */
  async pay({ checkout, sessionId }: OpenCheckout): Promise<void> {
    const response = await fetch(`${this.sandboxUrl}/pages/sessions/${sessionId}/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(GOOD_CARD),
    });
    if (!response.ok) throw new Error(`the sandbox refused the card: ${await response.text()}`);
    // As the page says: otherwise the server, which cannot know, looks every three seconds only.
    await fetch(`${this.url}/v1/checkouts/${checkout}/hints`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'submitted', sessionId }),
    });
    let revision = 0;
    for (let state = ''; state !== 'paid';) {
      const answer = await fetch(`${this.url}/v1/checkouts?id=${checkout}:${revision}&wait=5`);
      const { checkouts } = (await answer.json()) as CheckoutStatusReply;
      ({ state, revision } = checkouts[0] ?? { state, revision });
    }
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.sandbox.close();
    this.#shopServer.closeAllConnections();
    this.#shopServer.close();
    await once(this.#shopServer, 'close');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #config() {
    const env = {
      PAY_ENVIRONMENT: 'sandbox',
      PAY_PORT: '0',
      PAY_PUBLIC_URL: 'http://pay.localhost:4200',
      PAY_WEBHOOK_BASE_URL: 'http://127.0.0.1:4200',
      PAY_DATABASE_FILE: join(this.#folder, 'data.sqlite'),
      PAY_MERCHANTS_FILE: join(this.#folder, 'merchants.json'),
      PAY_WIDGET_SCRIPT: join(this.#folder, 'pay-checkout.js'),
      PAY_PARTNER_API_URL: this.sandboxUrl,
      PAY_PARTNER_API_KEY: SANDBOX_KEY,
      PAY_LOG_LEVEL: 'silent',
    };
    return parseConfig(env, {
      pollIntervalSeconds: 0.05,
      tickSeconds: 0.1,
      pollPagesPerMinute: 10_000,
    });
  }

  #writeMerchants(changes: Readonly<Record<string, unknown>>): void {
    const merchant = {
      id: MERCHANT,
      name: 'Test Tea',
      providerMerchantId: 1001,
      currency: 'GBP',
      origins: [SHOP_ORIGIN],
      returnUrl: `${SHOP_ORIGIN}/result?order={order}&checkout={checkout}`,
      orderLookup: { url: `${this.shopUrl}/order-lookup`, allowPrivateAddress: true },
      events: { url: `${this.shopUrl}/events`, allowPrivateAddress: true },
      sdk: {
        url: 'http://sandbox.localhost:4300/sdk/checkout.js',
        global: 'PaySandbox',
        argument: 'object',
        origins: { script: ['http://sandbox.localhost:4300'], frame: [], connect: [] },
      },
      apiKeyHash: [`sha256:${createHash('sha256').update(API_KEY).digest('hex')}`],
      orderTokenSecret: [ORDER_TOKEN_SECRET],
      signingSecret: [SIGNING_SECRET],
      ...changes,
    };
    const file = join(this.#folder, 'merchants.json');
    writeFileSync(file, JSON.stringify({ merchants: [merchant] }), { mode: 0o600 });
  }
}

/** Headers of a body that the session server has signed, or any holder of the secret. */
export function signedHeaders(
  body: string,
  { id = 'msg_1', secret = SIGNING_SECRET, at = new Date() } = {},
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}
