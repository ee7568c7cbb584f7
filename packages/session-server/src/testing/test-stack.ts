import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, type Sandbox } from '@pay-checkout/sandbox';
import { expect } from 'vitest';
import type { Clock } from '../clock.js';
import { type Config, parseConfig, type TuningChanges } from '../config.js';
import type { CheckoutStatusReply, CreateCheckoutReply, Problem } from '../contract.js';
import type { Logger } from '../logger.js';
import { signOrderToken } from '../orders/order-token.js';
import { type RunningServer, startSessionServer } from '../running-server.js';
import { ensureDataFile } from './new-data-file.js';
import { TEST_RULES } from './store-harness.js';
import { TestShop } from './test-shop.js';
import { TestStore } from './test-store.js';
import { writeWidgetScript } from './widget-script.js';

export const SHOP_ORIGIN = 'http://shop.localhost:4100';
const HOUR_MS = 3_600_000;
const SANDBOX_KEY = 'sandbox-key-for-tests';

export interface TestStackOptions {
  /** Added to the merchant entry. */
  readonly merchant?: Readonly<Record<string, unknown>>;
  /** Written next to the merchants file, by their names. */
  readonly files?: Readonly<Record<string, Buffer>>;
  /** Added to the environment of the session server. */
  readonly env?: Readonly<Record<string, string>>;
  /** Changed in the tuning of the tests. */
  readonly tuning?: TuningChanges;
  readonly logger?: Logger;
}

/** A clock that a test moves forward; between moves it runs with the system's. */
export class MovableClock implements Clock {
  #offsetMs = 0;

  now(): number {
    return Date.now() + this.#offsetMs;
  }

  advance(seconds: number): void {
    this.#offsetMs += seconds * 1000;
  }
}

/** An answer of the session server, with its body read. */
export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
  readonly text: string;
}

const TYPING_SECONDS = 10;

/** The session server between a real shop and our sandbox, on real sockets and a real data file. */
export class TestStack {
  readonly merchantKey = 'merchant-key-for-tests';
  readonly orderTokenSecret = randomBytes(32).toString('hex');
  readonly signingSecret = `whsec_${randomBytes(32).toString('base64')}`;
  readonly shop = new TestShop(this.signingSecret);
  /** The session server's clock. */
  readonly clock = new MovableClock();
  readonly sandbox: Sandbox;
  readonly folder = mkdtempSync(join(tmpdir(), 'session-server-'));
  server!: RunningServer;
  sandboxUrl = '';
  shopUrl = '';
  readonly #options: TestStackOptions;

  private constructor(options: TestStackOptions) {
    this.#options = options;
    this.sandbox = createSandbox({
      apiKey: SANDBOX_KEY,
      merchants: [{ id: 1001, name: 'Test Merchant', currency: 'GBP' }],
    });
  }

  static async start(options: TestStackOptions = {}): Promise<TestStack> {
    const stack = new TestStack(options);
    stack.shopUrl = await stack.shop.listen();
    stack.sandboxUrl = (await stack.sandbox.listen()).url;
    stack.#writeMerchants(stack.shopUrl);
    for (const [name, body] of Object.entries(options.files ?? {})) {
      writeFileSync(join(stack.folder, name), body);
    }
    writeWidgetScript(stack.folder);
    await stack.startServer();
    return stack;
  }

  /** Starts the session server, again after a stop, on the same data. */
  async startServer(): Promise<void> {
    const { logger } = this.#options;
    const { DATABASE_URL, PAY_DATABASE_FILE } = this.env;
    if (DATABASE_URL === undefined && PAY_DATABASE_FILE === this.databaseFile) {
      await ensureDataFile(this.databaseFile);
    }
    this.server = await startSessionServer(this.config, {
      clock: this.clock,
      ...(logger === undefined ? {} : { logger }),
    });
  }

  /** Where its data is, unless `env` has a DATABASE_URL. */
  get databaseFile(): string {
    return join(this.folder, 'data.sqlite');
  }

  /** The environment that the server is started with. */
  get env(): Record<string, string> {
    return {
      PAY_ENVIRONMENT: 'sandbox',
      PAY_PORT: '0',
      PAY_PUBLIC_URL: 'http://pay.localhost:4200',
      PAY_WEBHOOK_BASE_URL: 'http://127.0.0.1:4200',
      PAY_DATABASE_FILE: this.databaseFile,
      PAY_MERCHANTS_FILE: join(this.folder, 'merchants.json'),
      PAY_WIDGET_SCRIPT: join(this.folder, 'pay-checkout.js'),
      PAY_PARTNER_API_URL: this.sandboxUrl,
      PAY_PARTNER_API_KEY: SANDBOX_KEY,
      PAY_LOG_LEVEL: 'silent',
      ...this.#options.env,
    };
  }

  /** The tuning that the server is started with. */
  get tuning(): TuningChanges {
    const { rateLimits, ...tuning } = this.#options.tuning ?? {};
    return {
      pollIntervalSeconds: 0.05,
      tickSeconds: 0.1,
      pollPagesPerMinute: 10_000,
      ...tuning,
      rateLimits: { createPerAddress: 10_000, statusPerAddress: 10_000, ...rateLimits },
    };
  }

  get config(): Config {
    return parseConfig(this.env, this.tuning);
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.server.port)}`;
  }

  /** Asks the operator's listener, which there is when `env` has PAY_OPERATOR_PORT. */
  async askOperator<T>(path: string, init: RequestInit = {}): Promise<Answer<T>> {
    return this.#ask<T>(`http://127.0.0.1:${String(this.server.operatorPort)}${path}`, init);
  }

  /** Moves the time on for server and provider alike. */
  advance(seconds: number): void {
    this.clock.advance(seconds);
    this.sandbox.control.clock.advance(seconds);
  }

  token(order: string, expiresInSeconds = 600): string {
    const expiresAt = Math.floor(this.clock.now() / 1000) + expiresInSeconds;
    return signOrderToken(this.orderTokenSecret, { merchant: 'teashop', order, expiresAt });
  }

  /** Puts an order into the shop, and opens its checkout as the merchant's page would. */
  async open(order: string, shopOrder: { amount: string; [field: string]: unknown }) {
    this.shop.orders.set(order, shopOrder);
    return this.reopen(order);
  }

  reopen(order: string, more: Readonly<Record<string, unknown>> = {}) {
    return this.post<CreateCheckoutReply & Problem>('/v1/checkouts', {
      merchant: 'teashop',
      order,
      orderToken: this.token(order),
      ...more,
    });
  }

  post<T>(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<T>> {
    return this.fetch<T>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: SHOP_ORIGIN, ...headers },
      body: JSON.stringify(body),
    });
  }

  fetch<T>(path: string, init: RequestInit = {}): Promise<Answer<T>> {
    return this.#ask<T>(`${this.url}${path}`, init);
  }

  async #ask<T>(url: string, init: RequestInit): Promise<Answer<T>> {
    const response = await fetch(url, { redirect: 'manual', ...init });
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : undefined) as T,
    };
  }

  /** Waits, with the server's own long poll, until a checkout is in a state. */
  async until(checkout: string, state: string): Promise<void> {
    let revision = 0;
    for (;;) {
      const { body } = await this.fetch<CheckoutStatusReply>(
        `/v1/checkouts?id=${checkout}:${String(revision)}&wait=5`,
      );
      const status = body.checkouts[0];
      if (status?.state === state) return;
      revision = status?.revision ?? revision;
    }
  }

  /** Types a card into the sandbox’s form of a session, which takes so long that another poll is due. */
  async payAtProvider(sessionId: string, number = '9000000000000001'): Promise<void> {
    const response = await fetch(`${this.sandboxUrl}/pages/sessions/${sessionId}/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ number, expiry: '12/39', securityCode: '123', name: 'Test Shopper' }),
    });
    if (!response.ok) throw new Error(`the sandbox refused the card: ${await response.text()}`);
    this.clock.advance(TYPING_SECONDS);
  }

  /**
   * Cancels an order whose event the shop refuses. It is tried again so many seconds later; with none
   * it is dead-lettered. Returns the event's id.
   */
  async refuseEvent(order: string, retryInSeconds?: number): Promise<string> {
    this.shop.eventAnswers.push(500);
    const { body } = await this.open(order, { amount: '9.99' });
    await this.fetch(this.returnPath(body.sessionId ?? '', 'CancelUrl'));
    await expect.poll(() => this.shop.eventAnswers.length).toBe(0);
    const store = TestStore.openAlongside(
      {
        path: this.databaseFile,
        clock: { now: () => Date.now() + HOUR_MS },
        rules: TEST_RULES,
      },
      'alongside',
    );
    const [event] = await store.claimEvents({ limit: 1, perMerchant: 5, leaseSeconds: 30 });
    await store.markFailed(event?.id ?? '', retryInSeconds);
    await store.close();
    return event?.id ?? '';
  }

  /** The `RedirectUrl`, `CancelUrl` or `backurl` of a session, as a path of the server under test. */
  returnPath(sessionId: string, field: 'RedirectUrl' | 'CancelUrl' | 'backurl'): string {
    return new URL(this.session(sessionId)[field] ?? '').pathname;
  }

  webhookPath(sessionId: string): string {
    return new URL(this.session(sessionId).WebhookUrl ?? '').pathname;
  }

  createSessionCalls(): number {
    return this.sandbox.control.requests().filter(({ operation }) => operation === 'create-session')
      .length;
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.sandbox.close();
    await this.shop.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  session(sessionId: string): ReturnType<TestStack['sandbox']['control']['sessions']>[number] {
    const found = this.sandbox.control.sessions().find(({ session_id: id }) => id === sessionId);
    if (!found) throw new Error('the sandbox has no such session');
    return found;
  }

  /** Rewrites the merchants file; the server reads it when it starts, or within a second or so. */
  changeMerchant(changes: Readonly<Record<string, unknown>>): void {
    this.changeMerchantsFile(({ merchants: [first, ...others] }) => ({
      merchants: [{ ...first, ...changes }, ...others],
    }));
  }

  /** Rewrites fields of the merchants file as a whole; read as a change of a merchant is. */
  changeMerchantsFile(
    change: (file: { readonly merchants: readonly object[] }) => Readonly<Record<string, unknown>>,
  ): void {
    const path = join(this.folder, 'merchants.json');
    const file = JSON.parse(readFileSync(path, 'utf8')) as { merchants: object[] };
    writeFileSync(path, JSON.stringify({ ...file, ...change(file) }));
  }

  /** Adds a merchant that is like the first one but for this; read as a change is. */
  addMerchant(changes: Readonly<Record<string, unknown>>): void {
    this.changeMerchantsFile(({ merchants }) => ({
      merchants: [...merchants, { ...merchants[0], ...changes }],
    }));
  }

  #writeMerchants(shopUrl: string): void {
    const merchant = {
      id: 'teashop',
      name: 'Test Tea',
      providerMerchantId: 1001,
      currency: 'GBP',
      origins: [SHOP_ORIGIN],
      returnUrl: `${SHOP_ORIGIN}/result?order={order}&checkout={checkout}&kind={kind}`,
      orderLookup: { url: `${shopUrl}/order-lookup`, allowPrivateAddress: true },
      events: { url: `${shopUrl}/events`, allowPrivateAddress: true },
      split: [
        { partnerMerchantId: 501, typeId: 1, percent: '2.5' },
        { partnerMerchantId: 502, typeId: 2, fixed: '0.30' },
      ],
      sdk: {
        url: 'http://sandbox.localhost:4300/sdk/checkout.js',
        global: 'PaySandbox',
        argument: 'object',
        container: 'selector',
        origins: { script: ['http://sandbox.localhost:4300'], frame: [], connect: [] },
      },
      apiKeyHash: [`sha256:${createHash('sha256').update(this.merchantKey).digest('hex')}`],
      orderTokenSecret: [this.orderTokenSecret],
      signingSecret: [this.signingSecret],
      ...this.#options.merchant,
    };
    writeFileSync(
      join(this.folder, 'merchants.json'),
      JSON.stringify({ merchants: [merchant] }, null, 2),
      { mode: 0o600 },
    );
  }
}
