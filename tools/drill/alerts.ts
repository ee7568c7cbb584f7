/**
 * Does to two servers on PostgreSQL what each alert is for, under a real Prometheus with the rules of `ops/`,
 * and waits until the alert fires. In the rules a minute is a second.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  findFreePort,
  type PostgresServer,
} from '../../packages/session-server/src/testing/postgres-server.ts';
import { type Fixture, prepareServer, startFixture, stopFixture, UNLIMITED } from './fixture.ts';
import { type Call, type Reply, send } from './http.ts';
import { KillableServer } from './server.ts';
import { Shopper } from './shopper.ts';

const OPS = new URL('../../ops/', import.meta.url);
/** Of the system. */
const PROMETHEUS = 'prometheus';
const FIRES_WITHIN_SECONDS = 120;
const SHOPPER_EVERY_MS = 500;
const CLOSED = 'http://127.0.0.1:9/';
const TUNING = {
  rateLimits: UNLIMITED,
  settleWindowSeconds: 8,
  pollIntervalSeconds: 0.5,
  pollPagesPerMinute: 600,
  webhooks: { bytesPerAttempt: 4000 },
};

interface Stage {
  readonly fixture: Fixture;
  readonly postgres: PostgresServer;
  readonly servers: readonly [KillableServer, KillableServer];
  readonly shopper: () => Shopper;
  readonly call: (path: string, call?: Call) => Promise<Reply>;
  /** Runs a statement in the servers' database. */
  readonly query: (text: string) => Promise<Record<string, unknown>[]>;
  /** Changes the address of the shop's order lookup or of its events; without one, back to what it was. */
  readonly moveShop: (changes?: { readonly lookup?: string; readonly events?: string }) => void;
  /** Starts another server, with these settings, until the fault is over. */
  readonly addServer: (env: Readonly<Record<string, string>>) => void;
}

interface AlertFault {
  readonly what: string;
  readonly alerts: readonly string[];
  readonly begin: (stage: Stage) => Promise<unknown> | void;
}

const providerFault = (operation: string, fault: object) => (stage: Stage) =>
  send(`${stage.fixture.sandbox.url}/_sandbox/faults`, {
    body: { operation, times: 10_000, ...fault },
  });

const postWebhooks = async (
  { call }: Stage,
  path: string,
  {
    count,
    headers = {},
    body = {},
  }: { count: number; headers?: Record<string, string>; body?: object },
): Promise<void> => {
  for (let at = 0; at < count; at += 1) await call(path, { headers, body: { ...body, at } });
};

const FAULTS: readonly AlertFault[] = [
  {
    what: 'a server hangs',
    alerts: ['PayDown'],
    begin: ({ servers: [, second] }) => void second.pause(30),
  },
  {
    what: 'PostgreSQL is down',
    alerts: ['PayStoreDown', 'PayErrors'],
    async begin({ postgres }) {
      await postgres.stop();
      void sleep(40_000).then(() => postgres.resume());
    },
  },
  {
    what: 'the provider creates no session',
    alerts: ['PaySessionsFail'],
    begin: providerFault('create-session', { fault: 'error', status: 500 }),
  },
  {
    what: 'the provider creates sessions slowly',
    alerts: ['PayCheckoutsSlow'],
    begin: providerFault('create-session', { fault: 'wait', latencySeconds: [7, 7] }),
  },
  {
    what: 'the provider does not answer its list',
    alerts: ['PayListFails', 'PayListNotRead', 'PayOutcomesLate', 'PayScheduleLate'],
    begin: providerFault('transactions-list', { fault: 'error', status: 500 }),
  },
  {
    what: 'the list does not say how to read on',
    alerts: ['PayListCutOff'],
    begin: providerFault('transactions-list', { fault: 'missing-cursor' }),
  },
  {
    what: 'shoppers come back, and their payments are not listed',
    alerts: ['PayUnconfirmed'],
    async begin({ shopper, fixture, call }) {
      for (let at = 0; at < 6; at += 1) {
        const one = shopper();
        const { RedirectUrl } = await fixture.sandbox.session(await one.open());
        await call(new URL(RedirectUrl).pathname);
      }
    },
  },
  {
    what: 'an order is paid twice',
    alerts: ['PayAttention'],
    async begin({ shopper }) {
      const one = shopper();
      const old = await one.open();
      for (const session of [await one.open(old), old]) await one.pay(session);
    },
  },
  {
    what: 'the database is an older copy',
    alerts: ['PayUnknownOrderIds'],
    async begin({ shopper, query }) {
      const one = shopper();
      const session = await one.open();
      await query(`DELETE FROM order_log WHERE order_name = '${one.order}'`);
      await query(`DELETE FROM attempts WHERE session_id = '${session}'`);
      await one.pay(session, 'withoutWebhook');
    },
  },
  {
    what: 'the shop takes no events',
    alerts: ['PayEventsLate'],
    begin: ({ moveShop }) => {
      moveShop({ events: `${CLOSED}events` });
    },
  },
  {
    what: 'three days later',
    alerts: ['PayEventsDeadLettered'],
    async begin({ query }) {
      const giveUp = `UPDATE outbox_events SET status = 'dead_lettered', due_at = NULL
        WHERE id IN (SELECT id FROM outbox_events LIMIT 1) RETURNING id`;
      while ((await query(giveUp)).length === 0) await sleep(200);
    },
  },
  {
    what: 'the shop does not price its orders',
    alerts: ['PayOrdersNotPriced'],
    begin: ({ moveShop }) => {
      moveShop({ lookup: `${CLOSED}order-lookup` });
    },
  },
  {
    what: 'webhooks name no attempt',
    alerts: ['PayWebhooksUnmatched'],
    begin: (stage) =>
      postWebhooks(stage, `/v1/webhooks/${stage.fixture.shop.endpointToken}`, {
        count: 1,
        body: { reference: 'nowhere.1' },
      }),
  },
  {
    what: 'webhooks are forged',
    alerts: ['PayWebhookSignatures'],
    async begin(stage) {
      const { sandbox, shop } = stage.fixture;
      const session = await sandbox.session(await stage.shopper().open());
      await postWebhooks(stage, `/v1/webhooks/${shop.signedEndpointToken}`, {
        count: 40,
        headers: shop.signAsProvider('another body'),
        body: { reference: session.MerchantReference, status: 'PAID' },
      });
    },
  },
  {
    what: 'webhooks flood an address',
    alerts: ['PayWebhooksRefused'],
    async begin(stage) {
      const { WebhookUrl } = await stage.fixture.sandbox.session(await stage.shopper().open());
      const path = new URL(WebhookUrl).pathname;
      await postWebhooks(stage, path, { count: 30, body: { text: 'x'.repeat(500) } });
    },
  },
  {
    what: 'a webhook stays unprocessed',
    alerts: ['PayWebhooksLate'],
    begin: ({ query }) =>
      query(`UPDATE webhooks SET status = 'received', received_at = 1, due_at = 9e15
        WHERE id IN (SELECT max(id) FROM webhooks)`),
  },
  {
    what: 'order ids run out',
    alerts: ['PayOrderIdsRunOut'],
    async begin({ addServer, query }) {
      const [row] = await query('SELECT max(order_id) AS last FROM attempts');
      addServer({ PAY_MAX_ORDER_ID: String(Math.ceil(Number(row?.['last']) * 1.05)) });
    },
  },
  {
    what: 'a server is short of CPU',
    alerts: ['PayEventLoopLag'],
    async begin({ servers: [first] }) {
      for (let at = 0; at < 25; at += 1) {
        await first.pause(0.6);
        await sleep(400);
      }
    },
  },
];

/**
 * @param only parts of what happens, or of the names of alerts. Default: all
 * @returns how many alerts did not fire
 */
export async function playAlerts(
  postgres: PostgresServer,
  only: readonly string[] = [''],
): Promise<number> {
  if (spawnSync(PROMETHEUS, ['--version']).error) {
    throw new Error('Prometheus is not installed: apt-get install prometheus');
  }
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
  const fixture = await startFixture();
  const prometheus = await Prometheus.start(folder);
  const stage = await setUp(folder, fixture, postgres, prometheus);
  const load = stage.letShoppersPay();
  let silent = 0;
  const wanted = FAULTS.filter(({ what, alerts }) =>
    only.some((part) => `${what} ${alerts.join()}`.includes(part)),
  );
  for (const { what, alerts, begin } of wanted) {
    stage.logged();
    await begin(stage);
    const missing = await prometheus.untilFiring(alerts);
    silent += missing.length;
    const fired = alerts.map((alert) => `${missing.includes(alert) ? 'NOT ' : ''}${alert}`);
    console.log(`${what.padEnd(56)} ${fired.join(', ')}`);
    console.log(`    log: ${stage.logged().join('; ') || 'nothing'}`);
    console.log(`    the next shopper: ${load.seen()}`);
    await stage.end();
  }
  load.stop();
  await stage.close();
  prometheus.stop();
  await stopFixture(fixture);
  rmSync(folder, { recursive: true, force: true });
  console.log(`\n${String(wanted.length)} faults; alerts that did not fire: ${String(silent)}`);
  return silent;
}

async function setUp(
  folder: string,
  fixture: Fixture,
  postgres: PostgresServer,
  prometheus: Prometheus,
) {
  await postgres.query('CREATE DATABASE alerts');
  const publicUrl = 'http://pay.localhost';
  const providerMerchant = fixture.sandbox.takeMerchant();
  const env = {
    ...prepareServer(fixture, { folder, publicUrl, providerMerchant, tuning: TUNING }),
    DATABASE_URL: postgres.url('alerts'),
    PAY_ENCRYPTION_KEY: `v1:${Buffer.alloc(32, 1).toString('base64')}`,
    PAY_METRICS_PORT: '0',
    PAY_LOG_LEVEL: 'warn',
  };
  const start = (more: object = {}): KillableServer =>
    new KillableServer({ env: { ...env, ...more }, crashAt: [] });
  const servers = [start(), start()] as const;
  const running = new Set<KillableServer>(servers);
  const watchAll = async (): Promise<void> => {
    await Promise.all([...running].map((server) => server.untilListening()));
    prometheus.watch([...running].flatMap(({ ports }) => ports?.operatorPort ?? []));
  };
  await watchAll();
  const merchantsFile = join(folder, 'merchants.json');
  const merchants = readFileSync(merchantsFile, 'utf8');
  const call = (path: string, how?: Call): Promise<Reply> =>
    send(`http://127.0.0.1:${String(servers[0].ports?.port)}${path}`, how);
  let orders = 0;
  const shopper = (): Shopper => {
    orders += 1;
    const one = new Shopper(`A${String(orders)}`, { ...fixture, server: { call } });
    fixture.shop.addOrder(one.order, '9.99');
    return one;
  };
  const extra: KillableServer[] = [];
  const stage: Stage = {
    ...{ fixture, postgres, servers, shopper, call },
    query: (text) => postgres.query(text, { database: 'alerts' }),
    moveShop({ lookup, events } = {}) {
      const moved = merchants
        .replaceAll(/"http:[^"]*\/events"/g, (url) => (events ? JSON.stringify(events) : url))
        .replaceAll(/"http:[^"]*\/order-lookup"/g, (url) =>
          lookup ? JSON.stringify(lookup) : url,
        );
      writeFileSync(merchantsFile, moved, { mode: 0o600 });
    },
    addServer(more) {
      const server = start(more);
      extra.push(server);
      running.add(server);
      void watchAll();
    },
  };
  return {
    ...stage,
    /** What the servers have logged since the last time, each message once. */
    logged(): string[] {
      const lines = [...running].flatMap((server) => server.takeOutput().split('\n'));
      const messages = lines.flatMap((line) => /"msg":"([^"]+)"/.exec(line)?.[1] ?? []);
      return [...new Set(messages)];
    },
    letShoppersPay: () => letShoppersPay(shopper),
    /** The fault is over. */
    async end(): Promise<void> {
      await fixture.sandbox.releaseFaults();
      stage.moveShop();
      for (const server of extra.splice(0)) {
        running.delete(server);
        await server.stop();
      }
      await watchAll();
    },
    async close(): Promise<void> {
      await Promise.all([...running].map((server) => server.stop()));
    },
  };
}

/** One shopper after the other opens an order, pays and comes back. */
function letShoppersPay(shopper: () => Shopper) {
  let last = 'none yet';
  const pay = async (): Promise<void> => {
    const one = shopper();
    const session = await one.open();
    await one.hint('submitted', session);
    await one.pay(session);
    await one.comeBack(session, 'return');
  };
  const timer = setInterval(() => {
    pay().then(
      () => (last = 'pays'),
      (error: unknown) =>
        (last = String(error)
          .replace(/^Error: /, '')
          .slice(0, 160)),
    );
  }, SHOPPER_EVERY_MS);
  return {
    seen: () => last,
    stop: () => {
      clearInterval(timer);
    },
  };
}

/** A Prometheus of its own that asks the servers each second. */
class Prometheus {
  readonly #process: ChildProcess;
  readonly #url: string;
  readonly #targets: string;

  private constructor(child: ChildProcess, port: number, targets: string) {
    this.#process = child;
    this.#url = `http://127.0.0.1:${String(port)}`;
    this.#targets = targets;
  }

  static async start(folder: string): Promise<Prometheus> {
    const at = (name: string) => join(folder, name);
    writeFileSync(
      at('rules.yaml'),
      hurry(readFileSync(new URL('prometheus-rules.yaml', OPS), 'utf8')),
    );
    writeFileSync(at('targets.json'), '[]');
    writeFileSync(
      at('prometheus.yml'),
      JSON.stringify({
        global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
        rule_files: ['rules.yaml'],
        scrape_configs: [
          {
            job_name: 'pay-session-server',
            file_sd_configs: [{ files: ['targets.json'], refresh_interval: '1s' }],
          },
        ],
      }),
    );
    const port = await findFreePort();
    const child = spawn(
      PROMETHEUS,
      [
        `--config.file=${at('prometheus.yml')}`,
        `--storage.tsdb.path=${at('data')}`,
        `--web.listen-address=127.0.0.1:${String(port)}`,
        '--log.level=error',
      ],
      { stdio: 'inherit' },
    );
    await once(child, 'spawn');
    return new Prometheus(child, port, at('targets.json'));
  }

  watch(ports: readonly number[]): void {
    const targets = ports.map((port) => `127.0.0.1:${String(port)}`);
    const text = JSON.stringify([{ targets, labels: { environment: 'sandbox' } }]);
    // Prometheus reads it at any time.
    writeFileSync(`${this.#targets}.new`, text);
    renameSync(`${this.#targets}.new`, this.#targets);
  }

  /** Answers those that do not fire in time. */
  async untilFiring(alerts: readonly string[]): Promise<string[]> {
    const giveUpAt = performance.now() + FIRES_WITHIN_SECONDS * 1000;
    const missing = new Set(alerts);
    while (missing.size > 0 && performance.now() < giveUpAt) {
      const firing = await this.#firing().catch(() => []);
      for (const name of firing) missing.delete(name);
      await sleep(500);
    }
    return [...missing];
  }

  stop(): void {
    this.#process.kill();
  }

  async #firing(): Promise<string[]> {
    const { text } = await send(`${this.#url}/api/v1/alerts`);
    const { data } = JSON.parse(text) as {
      data: { alerts: { state: string; labels: { alertname: string } }[] };
    };
    return data.alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels }) => labels.alertname);
  }
}

/** The rules with seconds in place of minutes, and minutes in place of hours. */
function hurry(rules: string): string {
  return rules
    .replaceAll(/(for: |\[)(\d+)m\b/g, '$1$2s')
    .replaceAll(/(for: )(\d+)h\b/g, '$1$2m')
    .replaceAll(
      /(_seconds\)+ > )(\d+)$/gm,
      (_, words: string, n: string) => words + String(Number(n) / 60),
    );
}
