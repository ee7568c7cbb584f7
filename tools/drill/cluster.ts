import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresDatabase } from '../../packages/session-server/dist/store/postgres-database.js';
import type { PostgresServer } from '../../packages/session-server/src/testing/postgres-server.ts';
import { Balancer } from './balancer.ts';
import { findForgotten, findLosses } from './checks.ts';
import { findFreePort } from './drill-process.ts';
import { within } from './http.ts';
import { KillableServer } from './killable-server.ts';
import { type Lane, prepareServer, UNLIMITED } from './lane.ts';
import { printLost } from './order-history.ts';
import { type RoundContext, SCENARIOS, type Scenario, type ScenarioName } from './scenarios.ts';
import { Shopper } from './shopper.ts';
import { readFacts, type StoredFacts } from './stored-facts.ts';

export const REPLICAS = 3;
/** Orders under way at a time. */
const AT_A_TIME = 16;
/** How long one order may take, with the leases of the dead and the next scheduled poll. */
const ORDER_SECONDS = 240;
/** For the last events, after the last orders. */
const DELIVERED_SECONDS = 90;

const TUNING = {
  createSessionTimeoutSeconds: 5,
  pollIntervalSeconds: 0.5,
  pollPagesPerMinute: 100_000,
  rateLimits: UNLIMITED,
};

export interface ClusterParts {
  readonly lane: Lane;
  readonly postgres: PostgresServer;
}

/** Replicas on one database, behind a proxy. */
export interface Cluster {
  readonly replicas: readonly KillableServer[];
  readonly balancer: Balancer;
  readonly postgres: PostgresServer;
}

export interface Plan {
  readonly title: string;
  readonly scenarios: readonly ScenarioName[];
  /** How many orders there are at least. */
  readonly orders: number;
  /** How many pages open each order at once. */
  readonly tabs: number;
  /** `PAY_CRASH_AT` of the starts of the replicas. */
  readonly crashAt?: readonly string[];
  readonly program?: string;
  readonly tuning?: object;
  /** Goes on beside the load, which lasts as long at least. */
  disturb(cluster: Cluster, until: (share: number) => Promise<void>): Promise<void>;
}

let databases = 0;

/** Plays a plan on an empty database; answers how much was lost. */
export async function play(plan: Plan, parts: ClusterParts): Promise<number> {
  const { lane, postgres } = parts;
  const startedAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'drill-'));
  databases += 1;
  const database = `drill_${String(databases)}`;
  await postgres.query(`CREATE DATABASE ${database}`);
  const cluster = await startCluster(plan, parts, { folder, database });
  const { replicas, balancer, context } = cluster;
  const load = new Load(plan, context, () => replicas.some(({ failure }) => failure !== undefined));
  await Promise.all([load.run(), load.disturb(cluster)]);
  await untilDelivered(postgres, database);
  await Promise.all(replicas.map((replica) => replica.stop()));
  await balancer.close();
  rmSync(folder, { recursive: true, force: true });
  const { visits } = load;
  const shoppers = visits.map(({ shopper }) => shopper);
  const facts = await readFacts((sql) => postgres.query(sql, { database }));
  const arrivals = shoppers.flatMap(({ order }) => lane.shop.arrivalsOf(order));
  const webhooks = await lane.sandbox.acknowledgedWebhooks(context.providerMerchant);
  const lost = [
    ...load.failures,
    ...balancer.errors,
    ...replicas.flatMap(({ failure }) => failure ?? []),
    ...findLosses(facts, visits, arrivals),
    ...findForgotten(facts, shoppers, webhooks),
  ];
  const reader = await PostgresDatabase.open(postgres.url(database), { mode: 'beside' });
  await printLost(reader, lost);
  await reader.close();
  const sum = (numbers: readonly number[]): string =>
    String(numbers.reduce((all, one) => all + one, 0));
  const events = new Set(arrivals.map(({ id }) => id)).size;
  console.log(
    [
      `${plan.title}: ${String(visits.length)} orders`,
      `${sum(shoppers.map(({ opened }) => opened))} answers with a session`,
      `${sum(replicas.map(({ deaths }) => deaths))} deaths`,
      `at most ${String(mostActive(facts))} active session an order`,
      `${String(events)} events and ${String(arrivals.length - events)} again`,
      `${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
      `load ${(loadavg()[0] ?? 0).toFixed(1)}`,
      `lost: ${lost.length === 0 ? 'nothing' : lost.join('; ')}`,
    ].join(', '),
  );
  return lost.length;
}

async function startCluster(
  { crashAt = [], program, tuning }: Plan,
  { lane, postgres }: ClusterParts,
  { folder, database }: { readonly folder: string; readonly database: string },
) {
  const ports = await Promise.all(Array.from({ length: REPLICAS + 1 }, findFreePort));
  const [front = 0, ...behind] = ports;
  const balancer = new Balancer(front, behind);
  const providerMerchant = lane.sandbox.takeMerchant();
  const server = {
    ...{ folder, publicUrl: balancer.url, providerMerchant },
    tuning: { ...TUNING, ...tuning },
  };
  const env = {
    ...prepareServer(lane, server),
    DATABASE_URL: postgres.url(database),
    PAY_ENCRYPTION_KEY: `v1:${Buffer.alloc(32, 1).toString('base64')}`,
  };
  const replicas = behind.map(
    (port, index) =>
      new KillableServer({
        ...{ port, env: { ...env, PAY_PORT: String(port) } },
        ...(program !== undefined && { program }),
        crashAt: crashAt.filter((_, place) => place % REPLICAS === index),
      }),
  );
  await Promise.all(replicas.map((replica) => replica.untilListening()));
  await balancer.listen();
  const context: RoundContext = {
    ...lane,
    server: { call: balancer.call.bind(balancer), kill: () => undefined },
    providerMerchant,
  };
  return { replicas, balancer, postgres, context };
}

/** The orders of a plan, some at a time, for as long as the disturbance lasts at least. */
class Load {
  readonly visits: { readonly shopper: Shopper; readonly scenario: Scenario }[] = [];
  /** What went wrong before anything was checked. */
  readonly failures: string[] = [];
  readonly #plan: Plan;
  readonly #context: RoundContext;
  readonly #hasFailed: () => boolean;
  #ended = 0;
  #isDisturbed = true;

  /** @param hasFailed whether it is over: a server has ended that nothing of the drill ended */
  constructor(plan: Plan, context: RoundContext, hasFailed: () => boolean) {
    this.#plan = plan;
    this.#context = context;
    this.#hasFailed = hasFailed;
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: AT_A_TIME }, () => this.#visitUntilEnd()));
  }

  async disturb(cluster: Cluster): Promise<void> {
    const until = async (share: number): Promise<void> => {
      while (this.#ended < share * this.#plan.orders && !this.#hasFailed()) await sleep(50);
    };
    try {
      await this.#plan.disturb(cluster, until);
    } catch (error) {
      this.failures.push(String(error));
    }
    this.#isDisturbed = false;
  }

  async #visitUntilEnd(): Promise<void> {
    const { orders, scenarios } = this.#plan;
    while (!this.#hasFailed() && (this.visits.length < orders || this.#isDisturbed)) {
      const name = scenarios[this.visits.length % scenarios.length] ?? 'pays';
      const order = `R${String(databases)}-${String(this.visits.length)}`;
      await within(ORDER_SECONDS, 'the end', this.#visit(order, name)).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        this.failures.push(`${order}: ${name}: ${why}`);
      });
      this.#ended += 1;
    }
  }

  async #visit(order: string, name: ScenarioName): Promise<void> {
    const { shop } = this.#context;
    shop.addOrder(order, '19.99');
    const scenario: Scenario = SCENARIOS[name];
    const shopper = new Shopper(order, { ...this.#context, tabs: this.#plan.tabs });
    this.visits.push({ shopper, scenario });
    await scenario.run(shopper, this.#context);
    await Promise.all(scenario.eventTypes.map((type) => shop.until(order, type)));
  }
}

/** By order: a session of another price gives way, too. */
function mostActive({ attempts, checkouts }: StoredFacts): number {
  const orderOf = new Map(checkouts.map(({ id, order }) => [id, order]));
  const active = attempts.filter(({ status }) => status === 'active');
  const byOrder = Map.groupBy(active, ({ checkout }) => orderOf.get(checkout));
  return Math.max(...[...byOrder.values()].map(({ length }) => length));
}

/** An event whose delivery could not be stored is sent again when its lease has run out. */
async function untilDelivered(postgres: PostgresServer, database: string): Promise<void> {
  const giveUpAt = performance.now() + DELIVERED_SECONDS * 1000;
  const waiting = "SELECT 1 FROM outbox_events WHERE status <> 'delivered' LIMIT 1";
  while ((await postgres.query(waiting, { database })).length > 0) {
    if (performance.now() > giveUpAt) return;
    await sleep(200);
  }
}
