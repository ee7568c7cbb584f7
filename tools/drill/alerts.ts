/**
 * Does to two servers on PostgreSQL what each alert is for, under a real Prometheus with the rules of `ops/`,
 * and waits until the alert fires.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresServer } from '../../packages/session-server/src/testing/postgres-server.ts';
import { ALERT_FAULTS, type AlertContext } from './alert-faults.ts';
import { type Fixture, prepareServer, startFixture, stopFixture, UNLIMITED } from './fixture.ts';
import { type Call, type Reply, send } from './http.ts';
import { Prometheus } from './prometheus.ts';
import { Shopper } from './shopper.ts';
import { WatchedServers } from './watched-servers.ts';

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
  await postgres.query(`CREATE DATABASE ${DATABASE}`);
  const servers = new WatchedServers(environmentOf(folder, fixture, postgres), prometheus);
  cleanUp.defer(() => servers.stop());
  const undo: (() => unknown)[] = [];
  const context = await makeContext({ folder, fixture, postgres, servers, undo });
  const load = letShoppersPay(context.shopper);
  cleanUp.defer(load.stop);
  let silent = 0;
  for (const { what, alerts, begin } of faults) {
    servers.takeMessages();
    try {
      await begin(context);
      const missing = await prometheus.untilFiring(alerts, FIRES_WITHIN_SECONDS);
      silent += missing.length;
      const fired = alerts.map((alert) => `${missing.includes(alert) ? 'NOT ' : ''}${alert}`);
      console.log(`${what.padEnd(56)} ${fired.join(', ')}`);
      console.log(`    log: ${servers.takeMessages().join('; ') || 'nothing'}`);
      console.log(`    the next shopper: ${load.seen()}`);
    } finally {
      await fixture.sandbox.releaseFaults();
      for (const step of undo.splice(0)) await step();
      await servers.watch();
    }
  }
  console.log(`\n${String(faults.length)} faults; alerts that did not fire: ${String(silent)}`);
  return silent;
}

function environmentOf(folder: string, fixture: Fixture, postgres: PostgresServer) {
  return {
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
}

/** Starts two servers. @param parts `undo`: where the steps go that end a fault */
async function makeContext(parts: {
  readonly folder: string;
  readonly fixture: Fixture;
  readonly postgres: PostgresServer;
  readonly servers: WatchedServers;
  readonly undo: (() => unknown)[];
}): Promise<AlertContext> {
  const { folder, fixture, postgres, servers, undo } = parts;
  const [first, second] = [await servers.add(), await servers.add()];
  const call = (path: string, how?: Call): Promise<Reply> =>
    send(`http://127.0.0.1:${String(first.ports?.port)}${path}`, how);
  const merchantsFile = join(folder, 'merchants.json');
  const merchants = readFileSync(merchantsFile, 'utf8');
  const writeMerchants = (text: string): void => {
    writeFileSync(merchantsFile, text, { mode: 0o600 });
  };
  let orders = 0;
  return {
    ...{ fixture, postgres, servers: [first, second], call },
    atEnd: (step) => undo.push(step),
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
      undo.push(() => {
        writeMerchants(merchants);
      });
    },
    async addServer(more) {
      const server = await servers.add(more);
      undo.push(() => servers.remove(server));
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
