import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TuningChanges } from '../../../packages/session-server/dist/config.js';
import { writeWidgetScript } from '../../../packages/session-server/src/testing/widget-script.ts';
import { DrillProcess } from '../drill-process.ts';
import { DrillSandbox } from '../drill-sandbox.ts';
import { DrillShop } from '../drill-shop.ts';
import { type Call, type Reply, send } from '../http.ts';
import type { Known } from './hostile-request.ts';
import { merchantOf, prepare, prepareVictim, signIn, tokenOf } from './prepared-checkouts.ts';
import { describeRoutes, type OpenApi, type Route } from './routes.ts';
import type { Usage } from './server.ts';
import {
  ENDPOINT_TOKEN,
  LOOKED_UP,
  makeSecrets,
  type TargetParts,
  writeMerchants,
} from './target-parts.ts';

const PROGRAM = new URL('./server.ts', import.meta.url).pathname;
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
  readonly #parts: TargetParts;
  readonly #prepared: readonly Known[];
  #orders = 0;

  private constructor(
    process: DrillProcess,
    parts: TargetParts,
    found: Pick<HostileTarget, 'routes' | 'ports' | 'canaries'> & {
      readonly prepared: readonly Known[];
    },
  ) {
    this.#process = process;
    this.#parts = parts;
    this.#prepared = found.prepared;
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
    const parts: TargetParts = { shop, sandbox, folder, secrets };
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
      // An address whose key was right once is not refused after its wrong ones.
      await signIn(operatorPort, secrets.operatorKey);
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
      });
    } catch (error) {
      process.signal('SIGKILL');
      await closeParts(parts);
      throw error;
    }
  }

  /**
   * What a visitor of one of the prepared checkouts knows, with an order of its own to create. Each
   * visitor of the operator's listener has a session of its own: any may sign out.
   */
  async visitor(
    number: number,
    listener: Route['listener'] = 'public',
  ): Promise<Record<string, string | undefined>> {
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
      ...(listener === 'operator' && {
        operatorCookie: await signIn(this.ports.operator, secrets.operatorKey),
      }),
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

async function closeParts({ shop, sandbox, folder }: TargetParts): Promise<void> {
  await Promise.all([shop.close(), sandbox.stop()]);
  rmSync(folder, { recursive: true, force: true });
}

function environmentOf(
  { sandbox, folder, secrets }: TargetParts,
  databaseUrl: string | undefined,
): Record<string, string> {
  const widgetScript = writeWidgetScript(folder);
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
