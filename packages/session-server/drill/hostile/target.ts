import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TuningChanges } from '../../dist/config.js';
import { signOrderToken } from '../../dist/orders/order-token.js';
import { DrillProcess } from '../drill-process.ts';
import { DrillSandbox } from '../drill-sandbox.ts';
import { DrillShop } from '../drill-shop.ts';
import { type Call, type Reply, send } from '../http.ts';
import { SHOP_ORIGIN } from '../shopper.ts';
import type { Known } from './requests.ts';
import { describeRoutes, type OpenApi, type Route } from './routes.ts';
import type { Usage } from './server.ts';

const PROGRAM = new URL('./server.ts', import.meta.url).pathname;
const ENDPOINT_TOKEN = `canary-endpoint-${randomBytes(16).toString('hex')}`;
const LOOKED_UP = 'looked-up';
const PUTTING = 'putting';
const VICTIM = 'victim';
/** Checkouts that were created, and some of them moved, before the first hostile request. */
const PREPARED = 8;
/** No limit hides what is behind it. */
const TUNING: TuningChanges = {
  pollIntervalSeconds: 0.2,
  pollPagesPerMinute: 100_000,
  ownerWaitSeconds: 2,
  rateLimits: {
    createPerAddress: 1e9,
    createPerOrder: 1e9,
    createPerMerchant: 1e9,
    statusPerAddress: 1e9,
    pagesPerAddress: 1e9,
    apiPerMerchant: 1e9,
    wrongKeysPerAddress: 1e9,
  },
  webhooks: { bytesPerAttempt: 64 * 1024 * 1024 },
};

/** The session server with a provider, a shop, and secrets that no answer may have. */
export class HostileTarget {
  readonly routes: readonly Route[];
  readonly ports: Readonly<Record<Route['listener'], number>>;
  /** Every secret that the server has, and what it knows of people. */
  readonly canaries: readonly string[];
  readonly #process: DrillProcess;
  readonly #parts: Parts;
  readonly #prepared: readonly Known[];
  readonly #operatorCookie: string;
  #orders = 0;

  private constructor(
    process: DrillProcess,
    parts: Parts,
    found: Pick<HostileTarget, 'routes' | 'ports' | 'canaries'> & {
      readonly prepared: readonly Known[];
      readonly operatorCookie: string;
    },
  ) {
    this.#process = process;
    this.#parts = parts;
    this.#prepared = found.prepared;
    this.#operatorCookie = found.operatorCookie;
    this.routes = found.routes;
    this.ports = found.ports;
    this.canaries = found.canaries;
  }

  /** @param databaseUrl of an empty PostgreSQL database. Default: a data file of its own */
  static async start(databaseUrl?: string): Promise<HostileTarget> {
    const shop = new DrillShop();
    const [sandbox, shopUrl] = await Promise.all([DrillSandbox.start(), shop.listen()]);
    const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
    const secrets = makeSecrets();
    const parts: Parts = { shop, sandbox, folder, secrets };
    writeMerchants(parts, shopUrl);
    const process = new DrillProcess(PROGRAM, environmentOf(parts, databaseUrl));
    try {
      const port = await process.listening;
      if (port === undefined) throw new Error((await process.ended).words);
      const { routes, operatorPort } = await process.ask<Report>('routes');
      const url = `http://127.0.0.1:${String(port)}`;
      const { text } = await send(`${url}/openapi.json`);
      const prepared: Known[] = [];
      for (let number = 0; number < PREPARED; number += 1) {
        prepared.push(await prepare(url, parts, number));
      }
      const victim = await prepareVictim(url, parts);
      const operatorCookie = await signIn(operatorPort, secrets.operatorKey);
      const password = databaseUrl === undefined ? [] : [new URL(databaseUrl).password];
      const tokens = prepared.flatMap(({ returnToken = '', webhookToken = '' }) => [
        returnToken,
        webhookToken,
      ]);
      const canaries = [...Object.values(secrets), ...victim, ...tokens, ...password, folder];
      return new HostileTarget(process, parts, {
        routes: describeRoutes(routes, JSON.parse(text) as OpenApi),
        ports: { public: port, operator: operatorPort },
        canaries: [...canaries, ENDPOINT_TOKEN, shop.orderTokenSecret, shop.signingSecret],
        prepared,
        operatorCookie,
      });
    } catch (error) {
      process.signal('SIGKILL');
      await closeParts(parts);
      throw error;
    }
  }

  /** What a visitor of one of the prepared checkouts knows, with an order of its own to create. */
  visitor(number: number): Record<string, string | undefined> {
    const { shop, secrets } = this.#parts;
    this.#orders += 1;
    const order = `H${String(this.#orders)}`;
    shop.addOrder(order, '9.99');
    const merchant = merchantOf(number);
    return {
      ...this.#prepared[number % PREPARED],
      other: this.#prepared[(number + 1) % PREPARED]?.['checkout'],
      merchant,
      order,
      orderToken: tokenOf(shop, merchant, order),
      merchantKey: merchant === LOOKED_UP ? secrets.lookedUpKey : secrets.puttingKey,
      operatorKey: secrets.operatorKey,
      operatorCookie: this.#operatorCookie,
      endpointToken: ENDPOINT_TOKEN,
    };
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.ports.public)}`;
  }

  send(path: string, call?: Call): Promise<Reply> {
    return send(`${this.url}${path}`, call);
  }

  /** What it wrote to its log, in which there are only errors. */
  get errors(): string {
    return this.#process.words;
  }

  usage(): Promise<Usage> {
    return this.#process.ask<Usage>('usage');
  }

  /** Stops it cleanly, and answers how it ended. */
  async stop(): Promise<string> {
    const { code, signal } = await this.#process.stop();
    await closeParts(this.#parts);
    return `${String(code)} ${String(signal)}`;
  }
}

interface Report {
  readonly routes: readonly Pick<Route, 'listener' | 'method' | 'path'>[];
  readonly operatorPort: number;
}

interface Parts {
  readonly shop: DrillShop;
  readonly sandbox: DrillSandbox;
  readonly folder: string;
  readonly secrets: ReturnType<typeof makeSecrets>;
}

async function closeParts({ shop, sandbox, folder }: Parts): Promise<void> {
  await Promise.all([shop.close(), sandbox.stop()]);
  rmSync(folder, { recursive: true, force: true });
}

function makeSecrets() {
  const make = (name: string): string => `canary-${name}-${randomBytes(16).toString('hex')}`;
  return {
    operatorKey: make('operator'),
    lookedUpKey: make('looked-up'),
    puttingKey: make('putting'),
    victimKey: make('victim'),
    encryptionKey: randomBytes(32).toString('base64'),
    providerKey: DrillSandbox.apiKey,
  };
}

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

function environmentOf(
  { sandbox, folder, secrets }: Parts,
  databaseUrl: string | undefined,
): Record<string, string> {
  const widgetScript = join(folder, 'pay-checkout.js');
  writeFileSync(widgetScript, '/* the element */');
  return {
    PAY_ENVIRONMENT: 'sandbox',
    PAY_PORT: '0',
    PAY_OPERATOR_PORT: '0',
    PAY_OPERATOR_KEY: secrets.operatorKey,
    PAY_PUBLIC_URL: 'http://pay.localhost:4200',
    PAY_WEBHOOK_BASE_URL: 'http://127.0.0.1:4200',
    ...(databaseUrl === undefined
      ? { PAY_DATABASE_FILE: join(folder, 'data.sqlite') }
      : { DATABASE_URL: databaseUrl }),
    PAY_ENCRYPTION_KEY: `drill:${secrets.encryptionKey}`,
    PAY_MERCHANTS_FILE: join(folder, 'merchants.json'),
    PAY_WIDGET_SCRIPT: widgetScript,
    PAY_PARTNER_API_URL: sandbox.url,
    PAY_PARTNER_API_KEY: DrillSandbox.apiKey,
    PAY_LOG_LEVEL: 'error',
    PAY_TRUST_PROXY: '1',
    TUNING: JSON.stringify(TUNING),
  };
}

function writeMerchants({ shop, sandbox, folder, secrets }: Parts, shopUrl: string): void {
  const entry = (id: string, key: string, more: object = {}) => ({
    id,
    name: 'A Drill',
    providerMerchantId: sandbox.takeMerchant(),
    currency: 'GBP',
    decimals: 2,
    origins: [SHOP_ORIGIN],
    returnUrl: `${SHOP_ORIGIN}/result?order={order}&checkout={checkout}`,
    events: { url: `${shopUrl}/events`, allowPrivateAddress: true },
    sdk: {
      url: 'http://sandbox.localhost:4300/sdk/checkout.js',
      global: 'PaySandbox',
      argument: 'object',
      origins: { script: ['http://sandbox.localhost:4300'], frame: [], connect: [] },
    },
    apiKeyHash: [sha256(key)],
    orderTokenSecret: [shop.orderTokenSecret],
    signingSecret: [shop.signingSecret],
    ...more,
  });
  const paths = { merchantReference: 'reference', orderId: 'order_id', status: 'status' };
  const merchants = [
    entry(LOOKED_UP, secrets.lookedUpKey, {
      orderLookup: { url: `${shopUrl}/order-lookup`, allowPrivateAddress: true },
      webhookEndpoints: [{ tokenHash: sha256(ENDPOINT_TOKEN), paths }],
    }),
    entry(PUTTING, secrets.puttingKey),
    entry(VICTIM, secrets.victimKey),
  ];
  writeFileSync(join(folder, 'merchants.json'), JSON.stringify({ merchants }), { mode: 0o600 });
}

/** Signs in to the operator's page. Answers the cookie. */
async function signIn(port: number, key: string): Promise<string> {
  const origin = `http://127.0.0.1:${String(port)}`;
  const answer = await fetch(`${origin}/page/session`, {
    method: 'POST',
    headers: { origin, 'x-pay-operator': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** Creates a checkout; every second one is put, one in four is paid and has come back. */
async function prepare(
  url: string,
  { shop, sandbox, secrets }: Parts,
  number: number,
): Promise<Known> {
  const knownOrder = `P${String(number)}`;
  const merchant = merchantOf(number);
  shop.addOrder(knownOrder, '9.99');
  if (merchant === PUTTING) await putOrder(url, secrets.puttingKey, knownOrder, {});
  const orderToken = tokenOf(shop, merchant, knownOrder);
  const created = await createCheckout(url, { merchant, order: knownOrder, orderToken });
  const session = await sandbox.session(created.sessionId);
  const returnToken = lastOf(session.RedirectUrl);
  if (number % 4 === 0) {
    await sandbox.pay(created.sessionId);
    await send(`${url}/v1/return/${returnToken}`);
  }
  return {
    ...created,
    knownOrder,
    returnToken,
    cancelToken: lastOf(session.CancelUrl),
    webhookToken: lastOf(session.WebhookUrl),
  };
}

/** An order of another merchant with a person in it. Answers what no one else may see. */
async function prepareVictim(url: string, { secrets, sandbox }: Parts): Promise<string[]> {
  const person = { name: 'Canary Nightjar-Whole', email: 'canary.nightjar@example.test' };
  const description = 'Canary description of the order';
  const address = { houseNumber: '77 Canary', postcode: 'ZZ9 7CN' };
  const more = { description, customer: person, address };
  const orderToken = await putOrder(url, secrets.victimKey, 'V1', more);
  const { sessionId } = await createCheckout(url, { merchant: VICTIM, order: 'V1', orderToken });
  const { WebhookUrl, RedirectUrl } = await sandbox.session(sessionId);
  const hmac = orderToken.split('.').at(-1) ?? '';
  const addresses = [WebhookUrl, RedirectUrl].map(lastOf);
  return [
    ...Object.values(person),
    description,
    address.houseNumber,
    hmac,
    sessionId,
    ...addresses,
  ];
}

/** Answers its order token. */
async function putOrder(url: string, key: string, order: string, more: object): Promise<string> {
  const { text } = await send(`${url}/v1/merchant/orders/${order}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}` },
    body: { amount: '9.99', currency: 'GBP', ...more },
  });
  return (JSON.parse(text) as { orderToken: string }).orderToken;
}

function merchantOf(number: number): string {
  return number % 2 === 0 ? LOOKED_UP : PUTTING;
}

function tokenOf(shop: DrillShop, merchant: string, order: string): string {
  const expiresAt = Math.floor(Date.now() / 1000) + 3600;
  return signOrderToken(shop.orderTokenSecret, { merchant, order, expiresAt });
}

function lastOf(address: string): string {
  return new URL(address).pathname.split('/').at(-1) ?? '';
}

async function createCheckout(url: string, body: object) {
  const headers = { origin: SHOP_ORIGIN };
  const { status, text } = await send(`${url}/v1/checkouts`, { headers, body });
  if (status !== 200) throw new Error(`a checkout was not created: ${String(status)} ${text}`);
  const { checkout, sessionId } = JSON.parse(text) as { checkout: string; sessionId: string };
  return { checkout, sessionId };
}
