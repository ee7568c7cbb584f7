import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CRASH_POINTS } from '../dist/crash-points.js';
import { PostgresServer } from '../src/testing/postgres-server.ts';
import { Balancer } from './balancer.ts';
import { findForgotten, findLosses } from './checks.ts';
import { findFreePort } from './drill-process.ts';
import { within } from './http.ts';
import { KillableServer, PROGRAM } from './killable-server.ts';
import { closeLane, type Lane, openLane, prepareServer, UNLIMITED } from './lane.ts';
import { SCENARIOS_OF } from './rounds.ts';
import { SCENARIOS, type Scenario, type ScenarioName } from './scenarios.ts';
import { Shopper } from './shopper.ts';
import { readFacts, type StoredFacts } from './stored-facts.ts';

const REPLICAS = 3;
/** Orders under way at a time. */
const AT_A_TIME = 16;
/** How long one order may take, with the leases of the dead and the next scheduled poll. */
const ORDER_SECONDS = 240;
/** For the last events, after the last orders. */
const DELIVERED_SECONDS = 90;
/** Longer than each lease. */
const PAUSE_SECONDS = 45;
/** Crash points that this engine passes, and an ordinary load. */
const POINTS = CRASH_POINTS.filter(
  (point) => !/^restore:|^store:recover$|^schedule:apply-time$/.test(point),
);
/** Those that hold back the provider's answers would hold back other orders' answers, too. */
const HOLDING: readonly ScenarioName[] = ['waits for the first tab'];
const MAX_LINES = 10;

const TUNING = {
  createSessionTimeoutSeconds: 5,
  pollIntervalSeconds: 0.5,
  pollPagesPerMinute: 100_000,
  rateLimits: UNLIMITED,
};

interface Parts {
  readonly lane: Lane;
  readonly postgres: PostgresServer;
}

/** Replicas on one database, behind a proxy. */
interface Cluster {
  readonly replicas: readonly KillableServer[];
  readonly balancer: Balancer;
  readonly postgres: PostgresServer;
}

interface Plan {
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

/** Runs three servers on one PostgreSQL while one or the other dies, hangs or is replaced. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      orders: { type: 'string' },
      previous: { type: 'string' },
    },
  });
  const { only } = values;
  const plans = Object.entries({
    'crash-points': () => [crashPoints(), expiry()],
    disasters: () => [disasters(Number(values.orders ?? 1000))],
    upgrade: () => [upgrade(values.previous ?? findPrevious(), Number(values.orders ?? 300))],
  }).flatMap(([name, make]) => (only === undefined || only.includes(name) ? make() : []));
  const postgres = await PostgresServer.start();
  const lane = await openLane();
  let lost = 0;
  try {
    for (const plan of plans) lost += await play(plan, { lane, postgres });
  } finally {
    await closeLane(lane);
    await postgres.remove();
  }
  console.log(`\nlost: ${String(lost)}`);
  return lost === 0 ? 0 : 1;
}

/** Each replica dies at one crash point after the other, whenever it passes it. */
function crashPoints(): Plan {
  const scenarios = [...new Set(Object.values(SCENARIOS_OF).flat())].filter(
    (name) => !HOLDING.includes(name) && !('tuning' in SCENARIOS[name]),
  );
  return {
    ...{ title: 'every crash point', scenarios, orders: 60, tabs: 1, crashAt: POINTS },
    disturb: ({ replicas }) => untilAllDied(replicas, POINTS.length),
  };
}

/** The one crash point at which checkouts expire. */
function expiry(): Plan {
  const name = 'comes too late';
  const crashAt = Array<string>(REPLICAS).fill('schedule:apply-time');
  return {
    ...{ title: 'checkouts that expire', scenarios: [name], orders: 20, tabs: 1, crashAt },
    // Longer than its second visit takes on a busy machine.
    tuning: { expireAfterSeconds: 15 },
    disturb: ({ replicas }) => untilAllDied(replicas, REPLICAS),
  };
}

function disasters(orders: number): Plan {
  return {
    title: 'one killed, one hanging, PostgreSQL restarted',
    scenarios: ['pays', 'vanishes', 'only comes back', 'cancels on the page', 'pays'],
    ...{ orders, tabs: 10 },
    async disturb({ replicas: [first, second], postgres }, until) {
      await until(0.1);
      first?.kill();
      await until(0.2);
      const paused = second?.pause(PAUSE_SECONDS);
      await until(0.5);
      await postgres.stop();
      await postgres.resume();
      await paused;
    },
  };
}

/** Another build takes the place of each replica, one after the other, and gives it back. */
function upgrade(previous: string, orders: number): Plan {
  const { name, program } = buildPrevious(previous);
  return {
    title: `from ${name} to this build and back`,
    scenarios: ['pays', 'vanishes', 'only comes back', 'cancels on the page', 'asked a new price'],
    ...{ orders, tabs: 3, program },
    async disturb({ replicas }, until) {
      const steps = [PROGRAM, program].flatMap((to) =>
        replicas.map((replica) => ({ to, replica })),
      );
      for (const [index, { to, replica }] of steps.entries()) {
        await until((index + 0.5) / steps.length);
        await replica.replace(to);
      }
    },
  };
}

async function untilAllDied(replicas: readonly KillableServer[], deaths: number): Promise<void> {
  const each = (index: number): number => Math.ceil((deaths - index) / replicas.length);
  await Promise.all(replicas.map((replica, index) => replica.untilDied(each(index))));
}

let databases = 0;

/** Plays a plan on an empty database; answers how much was lost. */
async function play(plan: Plan, { lane, postgres }: Parts): Promise<number> {
  const { title, scenarios, orders, tabs, crashAt = [] } = plan;
  const startedAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'drill-'));
  databases += 1;
  const database = `drill_${String(databases)}`;
  await postgres.query(`CREATE DATABASE ${database}`);
  const ports = await Promise.all(Array.from({ length: REPLICAS + 1 }, findFreePort));
  const [front = 0, ...behind] = ports;
  const balancer = new Balancer(front, behind);
  const providerMerchant = lane.sandbox.takeMerchant();
  const tuning = { ...TUNING, ...plan.tuning };
  const env = {
    ...prepareServer(lane, { folder, publicUrl: balancer.url, providerMerchant, tuning }),
    DATABASE_URL: postgres.url(database),
    PAY_ENCRYPTION_KEY: `v1:${Buffer.alloc(32, 1).toString('base64')}`,
  };
  const replicas = behind.map(
    (port, index) =>
      new KillableServer({
        ...{ port, env: { ...env, PAY_PORT: String(port) } },
        ...(plan.program !== undefined && { program: plan.program }),
        crashAt: crashAt.filter((_, place) => place % REPLICAS === index),
      }),
  );
  await Promise.all(replicas.map((replica) => replica.untilListening()));
  await balancer.listen();
  const server = { call: balancer.call.bind(balancer), kill: () => undefined };
  const context = { ...lane, server, providerMerchant };
  const visits: { shopper: Shopper; scenario: Scenario }[] = [];
  const lost: string[] = [];
  const progress = new Progress(orders);
  let isDisturbed = true;
  const disturbing = plan
    .disturb({ replicas, balancer, postgres }, (share) => progress.until(share))
    .catch((error: unknown) => lost.push(String(error)))
    .finally(() => (isDisturbed = false));
  const visit = async (): Promise<void> => {
    while (visits.length < orders || isDisturbed) {
      const name = scenarios[visits.length % scenarios.length] ?? 'pays';
      const order = `R${String(databases)}-${String(visits.length)}`;
      lane.shop.addOrder(order, '19.99');
      const scenario: Scenario = SCENARIOS[name];
      const shopper = new Shopper(order, { ...context, tabs });
      visits.push({ shopper, scenario });
      const settled = async (): Promise<void> => {
        await scenario.run(shopper, context);
        await Promise.all(scenario.eventTypes.map((type) => lane.shop.until(order, type)));
      };
      await within(ORDER_SECONDS, 'the end', settled()).catch((error: unknown) => {
        lost.push(`${order}, ${name}: ${error instanceof Error ? error.message : String(error)}`);
      });
      progress.add();
    }
  };
  await Promise.all([disturbing, ...Array.from({ length: AT_A_TIME }, visit)]);
  await untilDelivered(postgres, database);
  await Promise.all(replicas.map((replica) => replica.stop()));
  await balancer.close();
  const facts = await readFacts((sql) => postgres.query(sql, { database }));
  const arrivals = visits.flatMap(({ shopper }) => lane.shop.arrivalsOf(shopper.order));
  const webhooks = await lane.sandbox.acknowledgedWebhooks(providerMerchant);
  const shoppers = visits.map(({ shopper }) => shopper);
  lost.push(...balancer.errors, ...findLosses(facts, visits, arrivals));
  lost.push(...findForgotten(facts, shoppers, webhooks));
  rmSync(folder, { recursive: true, force: true });
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const events = new Set(arrivals.map(({ id }) => id)).size;
  console.log(
    [
      `${title}: ${String(visits.length)} orders`,
      `${String(sum(shoppers.map(({ opened }) => opened)))} answers with a session`,
      `${String(sum(replicas.map(({ deaths }) => deaths)))} deaths`,
      `at most ${String(mostActive(facts))} active session an order`,
      `${String(events)} events and ${String(arrivals.length - events)} again`,
      `${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
      `load ${(loadavg()[0] ?? 0).toFixed(1)}`,
      `lost: ${String(lost.length)}`,
    ].join(', '),
  );
  for (const line of lost.slice(0, MAX_LINES)) console.log(`    LOST: ${line}`);
  return lost.length;
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

/** How many orders of all have come to their end. */
class Progress {
  readonly #all: number;
  #ended = 0;

  constructor(all: number) {
    this.#all = all;
  }

  add(): void {
    this.#ended += 1;
  }

  async until(share: number): Promise<void> {
    while (this.#ended < share * this.#all) await sleep(50);
  }
}

/** The newest release; where there is none, the oldest build that has the tables of this one. */
function findPrevious(): string {
  const tag = git('tag', '--list', '@pay-checkout/session-server@*', '--sort=-creatordate');
  const migrations = ['migrations', 'postgres-migrations'].map((name) => `src/store/${name}.ts`);
  return tag.split('\n')[0] || git('log', '-1', '--format=%H', '--', ...migrations);
}

/** Builds another commit in a folder of its own, once. */
function buildPrevious(commit: string): { name: string; program: string } {
  const name = git('rev-parse', '--short=10', commit);
  const folder = join(git('rev-parse', '--show-toplevel'), '.cache/previous', name);
  const program = join(folder, 'packages/session-server/drill/tuned-server.ts');
  if (!existsSync(folder)) {
    console.log(`Building ${name} …`);
    git('worktree', 'add', '--detach', folder, commit);
    const pnpm = (...words: string[]) => execFileSync('pnpm', words, { cwd: folder });
    pnpm('install', '--frozen-lockfile', '--prefer-offline');
    pnpm('--filter', '@pay-checkout/session-server...', 'run', 'build');
  }
  return { name, program };
}

function git(...words: string[]): string {
  const cwd = new URL('..', import.meta.url).pathname;
  return execFileSync('git', words, { cwd, encoding: 'utf8' }).trim();
}
