import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DrillSandbox } from '../drill-sandbox.ts';
import { DrillShop, makeCanary } from '../drill-shop.ts';
import { type Fixture, prepareServer, startFixture, stopFixture, UNLIMITED } from '../fixture.ts';
import { type Call, type Reply, send } from '../http.ts';
import { DrillProcess } from '../server.ts';
import { Shopper } from '../shopper.ts';
import type { Known } from './hostile-request.ts';
import { describeRoutes, type OpenApi, type Route } from './routes.ts';
import type { Usage } from './server.ts';

const PROGRAM = new URL('./server.ts', import.meta.url).pathname;
/** Checkouts that were created, and some of them moved, before the first hostile request. */
const PREPARED = 8;
/** No limit hides what is behind it. */
const TUNING = {
  pollIntervalSeconds: 0.2,
  pollPagesPerMinute: 100_000,
  ownerWaitSeconds: 2,
  rateLimits: UNLIMITED,
  webhooks: { bytesPerAttempt: 64 * 1024 * 1024 },
};
/** Of the order of someone else. */
const PERSON = { name: 'Canary Nightjar-Whole', email: 'canary.nightjar@example.test' };
const SOMEONES_ORDER = {
  description: 'Canary description of the order',
  customer: PERSON,
  address: { houseNumber: '77 Canary', postcode: 'ZZ9 7CN' },
};

interface Parts {
  readonly fixture: Fixture;
  readonly folder: string;
  readonly operatorKey: string;
  readonly process: DrillProcess;
}

interface Found {
  readonly routes: readonly Route[];
  readonly ports: Readonly<Record<Route['listener'], number>>;
  /** Every secret that the server has, and what it knows of people. */
  readonly canaries: readonly string[];
  readonly prepared: readonly Known[];
}

/** The session server with a provider, a shop, and secrets that no answer may have. */
export class HostileTarget {
  readonly routes: Found['routes'];
  readonly ports: Found['ports'];
  readonly canaries: Found['canaries'];
  readonly #prepared: Found['prepared'];
  readonly #parts: Parts;
  #orders = 0;

  private constructor(parts: Parts, found: Found) {
    this.#parts = parts;
    this.#prepared = found.prepared;
    this.routes = found.routes;
    this.ports = found.ports;
    this.canaries = found.canaries;
  }

  /** @param databaseUrl of an empty PostgreSQL database. Default: a data file of its own */
  static async start(databaseUrl?: string): Promise<HostileTarget> {
    const fixture = await startFixture();
    const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
    const operatorKey = makeCanary('operator');
    const encryptionKey = randomBytes(32).toString('base64');
    const process = new DrillProcess(PROGRAM, {
      ...prepareServer(fixture, {
        ...{ folder, publicUrl: 'http://pay.localhost:4200', tuning: TUNING },
        providerMerchant: fixture.sandbox.takeMerchant(),
      }),
      PAY_OPERATOR_PORT: '0',
      PAY_DASHBOARD_PORT: '0',
      PAY_OPERATOR_KEY: operatorKey,
      PAY_WEBHOOK_BASE_URL: 'http://127.0.0.1:4200',
      PAY_ENCRYPTION_KEY: `drill:${encryptionKey}`,
      PAY_TRUST_PROXY: '1',
      ...(databaseUrl === undefined
        ? { PAY_DATABASE_FILE: join(folder, 'data.sqlite') }
        : { DATABASE_URL: databaseUrl }),
    });
    const parts = { fixture, folder, operatorKey, process };
    try {
      const { port, operatorPort = 0, dashboardPort = 0 } = await process.untilListening();
      const routes = await process.ask<Pick<Route, 'listener' | 'method' | 'path'>[]>('routes');
      const url = `http://127.0.0.1:${String(port)}`;
      const { text } = await send(`${url}/openapi.json`);
      const prepared: Known[] = [];
      for (let number = 0; number < PREPARED; number += 1) {
        prepared.push(await prepare(url, fixture, number));
      }
      // An address whose key was right once is not refused after its wrong ones.
      await signIn(operatorPort, operatorKey);
      const { shop } = fixture;
      const { merchant, puttingMerchant, otherMerchant } = DrillShop;
      return new HostileTarget(parts, {
        routes: describeRoutes(routes, JSON.parse(text) as OpenApi),
        ports: { public: port, operator: operatorPort, dashboard: dashboardPort },
        canaries: [
          ...[operatorKey, encryptionKey, folder, DrillSandbox.apiKey],
          ...[shop.orderTokenSecret, shop.signingSecret],
          ...[shop.providerKey, shop.endpointToken, shop.signedEndpointToken],
          ...[merchant, puttingMerchant, otherMerchant].map((id) => shop.keyOf(id)),
          ...(await prepareOther(url, fixture)),
          ...prepared.flatMap(({ returnToken = '', webhookToken = '' }) => [
            returnToken,
            webhookToken,
          ]),
          ...(databaseUrl === undefined ? [] : [new URL(databaseUrl).password]),
        ],
        prepared,
      });
    } catch (error) {
      process.signal('SIGKILL');
      await clear(parts);
      throw error;
    }
  }

  /**
   * What a visitor of one of the prepared checkouts knows, with an order of its own to create. Each
   * visitor of a page has a session of its own: any may sign out.
   */
  async visitor(
    number: number,
    listener: Route['listener'] = 'public',
  ): Promise<Record<string, string | undefined>> {
    const { operatorKey, fixture } = this.#parts;
    const { shop } = fixture;
    this.#orders += 1;
    const order = `H${String(this.#orders)}`;
    shop.addOrder(order, '9.99');
    const merchant = merchantOf(number);
    const merchantKey = shop.keyOf(merchant);
    return {
      ...this.#prepared[number % PREPARED],
      other: this.#prepared[(number + 1) % PREPARED]?.['checkout'],
      ...{ merchant, order, operatorKey },
      orderToken: shop.token(order, merchant),
      merchantKey,
      endpointToken: shop.endpointToken,
      ...(listener !== 'public' && {
        pageCookie: await signIn(
          this.ports[listener],
          listener === 'operator' ? operatorKey : merchantKey,
        ),
      }),
    };
  }

  send(path: string, call?: Call): Promise<Reply> {
    return send(`http://127.0.0.1:${String(this.ports.public)}${path}`, call);
  }

  /** What it wrote to its log, in which there are only errors. */
  get errors(): string {
    return this.#parts.process.output;
  }

  usage(): Promise<Usage> {
    return this.#parts.process.ask<Usage>('usage');
  }

  /** Stops it cleanly, and answers how it ended. */
  async stop(): Promise<string> {
    const { code, signal } = await this.#parts.process.stop();
    await clear(this.#parts);
    return `${String(code)} ${String(signal)}`;
  }
}

async function clear({ fixture, folder }: Parts): Promise<void> {
  await stopFixture(fixture);
  rmSync(folder, { recursive: true, force: true });
}

function merchantOf(number: number): string {
  return number % 2 === 0 ? DrillShop.merchant : DrillShop.puttingMerchant;
}

/** Signs in to the page of a listener. Answers the cookie. */
async function signIn(port: number, key: string): Promise<string> {
  const origin = `http://127.0.0.1:${String(port)}`;
  const answer = await fetch(`${origin}/page/session`, {
    method: 'POST',
    headers: { origin, 'x-pay-page': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  const [cookie] = answer.headers.getSetCookie();
  if (cookie === undefined) throw new Error(`not signed in: ${String(answer.status)}`);
  return cookie.split(';')[0] ?? '';
}

function shopperOf(order: string, url: string, { sandbox, shop }: Fixture): Shopper {
  const server = { call: (path: string, call?: Call) => send(url + path, call) };
  return new Shopper(order, { server, sandbox, shop });
}

/** Creates a checkout; every second one is put, one in four is paid and has come back. */
async function prepare(url: string, fixture: Fixture, number: number): Promise<Known> {
  const { sandbox, shop } = fixture;
  const knownOrder = `P${String(number)}`;
  const shopper = shopperOf(knownOrder, url, fixture);
  if (merchantOf(number) === DrillShop.merchant) shop.addOrder(knownOrder, '9.99');
  else await shopper.putOrder('9.99');
  const sessionId = await shopper.open();
  const session = await sandbox.session(sessionId);
  if (number % 4 === 0) {
    await shopper.pay(sessionId);
    await shopper.comeBack(sessionId, 'return');
  }
  return {
    ...{ checkout: shopper.checkout, sessionId, knownOrder },
    returnToken: lastOf(session.RedirectUrl),
    cancelToken: lastOf(session.CancelUrl),
    webhookToken: lastOf(session.WebhookUrl),
  };
}

/** An order of another merchant with a person in it. Answers what no one else may see. */
async function prepareOther(url: string, fixture: Fixture): Promise<string[]> {
  const shopper = shopperOf('V1', url, fixture);
  const orderToken = await shopper.putOrder('9.99', {
    ...{ merchant: DrillShop.otherMerchant, more: SOMEONES_ORDER },
  });
  const sessionId = await shopper.open();
  const { WebhookUrl, RedirectUrl } = await fixture.sandbox.session(sessionId);
  return [
    ...Object.values(PERSON),
    ...[SOMEONES_ORDER.description, SOMEONES_ORDER.address.houseNumber],
    ...[orderToken.split('.').at(-1) ?? '', sessionId, lastOf(WebhookUrl), lastOf(RedirectUrl)],
  ];
}

function lastOf(address: string): string {
  return new URL(address).pathname.split('/').at(-1) ?? '';
}
