/**
 * Does to two servers on PostgreSQL what each alert is for, under a real Prometheus with the rules of `ops/`,
 * and waits until the alert fires.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresServer } from '../../packages/session-server/src/testing/postgres-server.ts';
import { ALERT_FAULTS, type AlertContext, type AlertFault } from './alert-faults.ts';
import { type Fixture, prepareServer, startFixture, stopFixture, UNLIMITED } from './fixture.ts';
import { type Call, type Reply, send } from './http.ts';
import { Prometheus } from './prometheus.ts';
import { KillableServer } from './server.ts';
import { Shopper } from './shopper.ts';

const FIRES_WITHIN_SECONDS = 120;
const SHOPPER_EVERY_MS = 500;
const DATABASE = 'alerts';
const TUNING = {
  rateLimits: UNLIMITED,
  settleWindowSeconds: 8,
  pollIntervalSeconds: 0.5,
  pollPagesPerMinute: 600,
  webhooks: { bytesPerAttempt: 4000 },
};

/**
 * @param only parts of what happens, or of the names of alerts. Default: all
 * @returns how many alerts did not fire
 */
export async function playAlerts(
  postgres: PostgresServer,
  only: readonly string[] = [''],
): Promise<number> {
  const faults = ALERT_FAULTS.filter(({ what, alerts }) =>
    only.some((part) => `${what} ${alerts.join()}`.includes(part)),
  );
  await using cleanUp = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
  cleanUp.defer(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const prometheus = await Prometheus.start(folder);
  cleanUp.defer(() => {
    prometheus.stop();
  });
  const fixture = await startFixture();
  cleanUp.defer(() => stopFixture(fixture));
  const servers = await WatchedServers.start(folder, fixture, postgres, prometheus);
  cleanUp.defer(() => servers.stop());
  const load = letShoppersPay(servers.context.shopper);
  cleanUp.defer(load.stop);
  let silent = 0;
  for (const fault of faults) {
    silent += await playAlert(fault, { servers, prometheus, seen: load.seen });
  }
  console.log(`\n${String(faults.length)} faults; alerts that did not fire: ${String(silent)}`);
  return silent;
}

async function playAlert(
  { what, alerts, begin }: AlertFault,
  parts: { servers: WatchedServers; prometheus: Prometheus; seen: () => string },
): Promise<number> {
  const { servers, prometheus, seen } = parts;
  servers.takeMessages();
  try {
    await begin(servers.context);
    const missing = await prometheus.untilFiring(alerts, FIRES_WITHIN_SECONDS);
    const fired = alerts.map((alert) => `${missing.includes(alert) ? 'NOT ' : ''}${alert}`);
    console.log(`${what.padEnd(56)} ${fired.join(', ')}`);
    console.log(`    log: ${servers.takeMessages().join('; ') || 'nothing'}`);
    console.log(`    the next shopper: ${seen()}`);
    return missing.length;
  } finally {
    await servers.endFault();
  }
}

/** Two servers on one database, and those that a fault adds; Prometheus watches all. */
class WatchedServers {
  readonly context: AlertContext;
  readonly #prometheus: Prometheus;
  readonly #running: Set<KillableServer>;
  readonly #undo: (() => unknown)[] = [];

  private constructor(
    options: { folder: string; fixture: Fixture; postgres: PostgresServer },
    start: (more?: Readonly<Record<string, string>>) => KillableServer,
    prometheus: Prometheus,
  ) {
    const { folder, fixture, postgres } = options;
    const servers = [start(), start()] as const;
    this.#running = new Set(servers);
    this.#prometheus = prometheus;
    const atEnd: AlertContext['atEnd'] = (undo) => this.#undo.push(undo);
    const call = (path: string, how?: Call): Promise<Reply> =>
      send(`http://127.0.0.1:${String(servers[0].ports?.port)}${path}`, how);
    const merchantsFile = join(folder, 'merchants.json');
    const merchants = readFileSync(merchantsFile, 'utf8');
    const writeMerchants = (text: string): void => {
      writeFileSync(merchantsFile, text, { mode: 0o600 });
    };
    let orders = 0;
    this.context = {
      ...{ fixture, postgres, servers, call, atEnd },
      query: (text) => postgres.query(text, { database: DATABASE }),
      shopper() {
        orders += 1;
        const one = new Shopper(`A${String(orders)}`, { ...fixture, server: { call } });
        fixture.shop.addOrder(one.order, '9.99');
        return one;
      },
      moveShop({ lookup, events }) {
        const moveTo = (to: string | undefined) => (url: string) => (to ? JSON.stringify(to) : url);
        writeMerchants(
          merchants
            .replaceAll(/"http:[^"]*\/events"/g, moveTo(events))
            .replaceAll(/"http:[^"]*\/order-lookup"/g, moveTo(lookup)),
        );
        atEnd(() => {
          writeMerchants(merchants);
        });
      },
      addServer: async (more) => {
        const server = start(more);
        this.#running.add(server);
        atEnd(() => {
          this.#running.delete(server);
          return server.stop();
        });
        await this.#watch();
      },
    };
  }

  static async start(
    folder: string,
    fixture: Fixture,
    postgres: PostgresServer,
    prometheus: Prometheus,
  ): Promise<WatchedServers> {
    await postgres.query(`CREATE DATABASE ${DATABASE}`);
    const env = {
      ...prepareServer(fixture, {
        folder,
        publicUrl: 'http://pay.localhost',
        providerMerchant: fixture.sandbox.takeMerchant(),
        tuning: TUNING,
      }),
      DATABASE_URL: postgres.url(DATABASE),
      PAY_ENCRYPTION_KEY: `v1:${Buffer.alloc(32, 1).toString('base64')}`,
      PAY_METRICS_PORT: '0',
      PAY_LOG_LEVEL: 'warn',
    };
    const start = (more: Readonly<Record<string, string>> = {}): KillableServer =>
      new KillableServer({ env: { ...env, ...more }, crashAt: [] });
    const servers = new WatchedServers({ folder, fixture, postgres }, start, prometheus);
    await servers.#watch();
    return servers;
  }

  /** What the servers have logged since the last time, each message once. */
  takeMessages(): string[] {
    const lines = [...this.#running].flatMap((server) => server.takeOutput().split('\n'));
    const messages = lines.flatMap((line) => /"msg":"([^"]+)"/.exec(line)?.[1] ?? []);
    return [...new Set(messages)];
  }

  async endFault(): Promise<void> {
    await this.context.fixture.sandbox.releaseFaults();
    for (const undo of this.#undo.splice(0)) await undo();
    await this.#watch();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running].map((server) => server.stop()));
  }

  async #watch(): Promise<void> {
    const running = [...this.#running];
    await Promise.all(running.map((server) => server.untilListening()));
    this.#prometheus.watch(running.flatMap(({ ports }) => ports?.operatorPort ?? []));
  }
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
