import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TuningChanges } from '../../packages/session-server/dist/config.js';
import type { PostgresServer } from '../../packages/session-server/src/testing/postgres-server.ts';
import type { Cluster, Fault } from './faults.ts';
import { type Fixture, prepareServer, UNLIMITED } from './fixture.ts';
import { within } from './http.ts';
import {
  DeliveredWatch,
  findForgotten,
  findLosses,
  findLostAndLate,
  readDataFile,
  readFacts,
  type StoredFacts,
} from './ledger.ts';
import { Proxy } from './proxy.ts';
import { type Context, PAID, type Scenario, type ScenarioName, SCENARIOS } from './scenarios.ts';
import { KillableServer } from './server.ts';
import { Shopper } from './shopper.ts';

const CLI = new URL('../../packages/session-server/dist/bin.js', import.meta.url).pathname;
/** Lost orders of which everything is printed. */
const MAX_EXPLAINED = 3;

/** One server on a data file, or several on PostgreSQL: how long its orders and its deaths may take. */
const ENGINES = {
  sqlite: {
    servers: 1,
    /** Less than the leases of a dead process, so that waiting for one counts as a loss. */
    orderSeconds: 20,
    deathSeconds: 20,
    /** The lease of an attempt that is being sent is its timeout and five seconds: longer than that. */
    tuning: { createSessionTimeoutSeconds: 30, pollIntervalSeconds: 0.05 },
  },
  postgres: {
    servers: 3,
    /** With the leases of the dead and the next scheduled poll. */
    orderSeconds: 240,
    /** A crash point that no server passes for so long under load is passed by none. */
    deathSeconds: 300,
    tuning: { createSessionTimeoutSeconds: 5, pollIntervalSeconds: 0.5 },
  },
};
/** For the last events, after the last orders. */
const DELIVERED_SECONDS = 90;

export interface Outcome {
  readonly orders: number;
  readonly deaths: number;
  readonly seconds: number;
  readonly events: number;
  /** Deliveries of events beyond the first one of each. */
  readonly repeats: number;
  /** Orders that were paid only after their settle window, where the fault allows that. */
  readonly late: readonly string[];
  readonly lost: readonly string[];
}

/** Where the servers store what they know. */
interface Store {
  readonly env: Readonly<Record<string, string>>;
  readFacts(): Promise<StoredFacts>;
  /** An event whose delivery could not be stored is sent again when its lease has run out. */
  untilDelivered(): Promise<void>;
}

let databases = 0;
let orders = 0;

/** Lets shoppers pay while a fault happens to empty servers, then counts what was lost. */
export async function play(
  fault: Fault,
  fixture: Fixture,
  postgres?: PostgresServer,
): Promise<Outcome> {
  const startedAt = performance.now();
  const { sandbox, shop } = fixture;
  const folder = mkdtempSync(join(tmpdir(), 'drill-'));
  const store = postgres ? await openDatabase(postgres) : openDataFile(folder);
  const proxy = await Proxy.start(postgres !== undefined);
  const providerMerchant = sandbox.takeMerchant();
  const engine = ENGINES[postgres ? 'postgres' : 'sqlite'];
  const server = { folder, providerMerchant, publicUrl: proxy.url };
  const tuning = tuningOf(fault, engine.tuning);
  const env = { ...prepareServer(fixture, { ...server, tuning }), ...store.env, ...fault.env };
  const kill = (): void => servers[0]?.kill();
  const context: Context = { ...fixture, providerMerchant, server: { call: proxy.call, kill } };
  const load = new Load(fault, context, engine);
  const { visits, lost } = load;
  const watch = new DeliveredWatch();
  const arrivals = () => visits.flatMap(({ shopper }) => shop.arrivalsOf(shopper.order));
  const checkForgotten = async (facts: StoredFacts): Promise<void> => {
    const shoppers = visits.map(({ shopper }) => shopper);
    const webhooks = await sandbox.acknowledgedWebhooks(providerMerchant);
    lost.push(...findForgotten(facts, shoppers, webhooks));
  };
  const servers = Array.from({ length: engine.servers }, (_, index) => {
    return new KillableServer({
      ...{ env, program: fault.program },
      crashAt: fault.crashAt?.filter((_point, place) => place % engine.servers === index) ?? [],
      // Between two processes nothing changes. With several servers, others go on.
      ...(!postgres && {
        onDeath: async () => {
          const facts = await store.readFacts();
          watch.note(facts, arrivals());
          await checkForgotten(facts);
        },
        onListening: () => load.giveMoreTime(),
      }),
    });
  });
  for (const each of servers) proxy.add(each);
  await Promise.all(servers.map((each) => each.untilListening()));
  await load.run({ servers, postgres });
  const failures = servers.flatMap(({ failure }) => failure ?? []);
  if (failures.length === 0) lost.push(...(await askMerchantRoute(context, visits)));
  await store.untilDelivered();
  await Promise.all(servers.map((each) => each.stop()));
  await proxy.close();
  const facts = await store.readFacts();
  const all = arrivals();
  const found = fault.mayBeLate
    ? findLostAndLate(facts, visits, all)
    : { lost: findLosses(facts, visits, all), late: [] };
  await checkForgotten(facts);
  const deaths = servers.reduce((sum, each) => sum + each.deaths, 0);
  const wanted = deathsOf(fault);
  if (deaths !== wanted) lost.push(`died ${String(deaths)} times, not ${String(wanted)}`);
  lost.push(...proxy.errors, ...failures, ...found.lost, ...watch.findRepeats(all));
  explain(lost, env);
  rmSync(folder, { recursive: true, force: true });
  const events = new Set(all.map(({ id }) => id)).size;
  return {
    ...{ deaths, events, orders: visits.length, repeats: all.length - events },
    seconds: (performance.now() - startedAt) / 1000,
    late: found.late,
    lost: [...new Set(lost)],
  };
}

type Engine = (typeof ENGINES)['sqlite'];

function tuningOf(fault: Fault, faster: TuningChanges): TuningChanges {
  return Object.assign(
    { rateLimits: UNLIMITED },
    fault.hasDefaultTuning ? undefined : { ...faster, pollPagesPerMinute: 100_000 },
    ...fault.scenarios.map((name) => (SCENARIOS[name] as Scenario).tuning),
    fault.tuning,
  ) as TuningChanges;
}

function deathsOf({ deaths, crashAt = [] }: Fault): number {
  return deaths ?? crashAt.length;
}

/** The shoppers of a fault, and the fault itself. */
class Load {
  readonly visits: { readonly shopper: Shopper; readonly scenario: Scenario }[] = [];
  readonly lost: string[] = [];
  readonly #fault: Fault;
  readonly #context: Context;
  readonly #engine: Engine;
  readonly #timers = new Set<NodeJS.Timeout>();
  #servers: readonly KillableServer[] = [];
  #ended = 0;
  #isDisturbed = true;

  constructor(fault: Fault, context: Context, engine: Engine) {
    this.#fault = fault;
    this.#context = context;
    this.#engine = engine;
  }

  /** Called at each start of a single server: a slow machine starts slowly. */
  giveMoreTime(): void {
    for (const timer of this.#timers) timer.refresh();
  }

  /** Resolves when the fault is over, and every order has ended. */
  async run(cluster: Omit<Cluster, 'countOrders'>): Promise<void> {
    this.#servers = cluster.servers;
    await Promise.all([this.#letShoppersCome(), this.#disturb(cluster)]);
  }

  get #hasFailed(): boolean {
    return this.#servers.some(({ failure }) => failure !== undefined);
  }

  async #letShoppersCome(): Promise<void> {
    const { scenarios, orders: least = scenarios.length, ordersASecond } = this.#fault;
    const hasMore = (): boolean =>
      !this.#hasFailed &&
      (this.visits.length < least || (this.#fault.orders !== undefined && this.#isDisturbed));
    const next = (): ScenarioName => scenarios[this.visits.length % scenarios.length] ?? 'pays';
    if (ordersASecond === undefined) {
      const comeInTurn = async (): Promise<void> => {
        while (hasMore()) await this.#visit(next());
      };
      await Promise.all(Array.from({ length: this.#fault.atATime ?? least }, comeInTurn));
      return;
    }
    const startedAt = performance.now();
    const visits: Promise<void>[] = [];
    while (hasMore()) {
      visits.push(this.#visit(next()));
      const due = startedAt + (this.visits.length / ordersASecond) * 1000;
      await sleep(Math.max(0, due - performance.now()));
    }
    await Promise.all(visits);
  }

  async #visit(name: ScenarioName): Promise<void> {
    const { shop } = this.#context;
    const scenario: Scenario = SCENARIOS[name];
    orders += 1;
    const order = `D${String(orders)}`;
    shop.addOrder(order, `${String(10 + (orders % 90))}.99`);
    const shopper = new Shopper(order, { ...this.#context, tabs: this.#fault.tabs ?? 1 });
    this.visits.push({ shopper, scenario });
    const run = async (): Promise<void> => {
      await scenario.run(shopper, this.#context);
      const { eventTypes = PAID } = scenario;
      await Promise.all(eventTypes.map((type) => shop.until(order, type)));
    };
    const what = `the end of "${name}"`;
    await within(this.#secondsOf(scenario), what, run(), this.#timers).catch((error: unknown) => {
      this.lost.push(`${order}: ${error instanceof Error ? error.message : String(error)}`);
    });
    this.#ended += 1;
  }

  async #disturb(cluster: Omit<Cluster, 'countOrders'>): Promise<void> {
    const { orders: least = 0 } = this.#fault;
    const until = async (share: number): Promise<void> => {
      while (this.#ended < share * least && !this.#hasFailed) await sleep(50);
    };
    const countOrders = () => {
      const { length } = this.visits;
      return { orders: length, running: length - this.#ended };
    };
    try {
      const found = await (this.#fault.disturb?.({ ...cluster, countOrders }, until) ??
        this.#untilAllDied());
      this.lost.push(...(found ?? []));
    } catch (error) {
      this.lost.push(String(error));
    }
    this.#isDisturbed = false;
  }

  /** @throws {Error} naming a crash point that a server does not pass */
  async #untilAllDied(): Promise<void> {
    const { length } = this.#servers;
    const longest = this.#fault.scenarios.map((name) => this.#secondsOf(SCENARIOS[name]));
    const seconds = Math.max(this.#engine.deathSeconds, ...longest);
    await Promise.all(
      this.#servers.map(async (server, index) => {
        const own = Math.ceil((deathsOf(this.#fault) - index) / length);
        for (let death = 1; death <= own; death += 1) {
          const what = `a death at ${server.crashAt ?? 'no crash point'}`;
          await within(seconds, what, server.untilDied(death), this.#timers);
        }
      }),
    );
  }

  #secondsOf({ withinSeconds = this.#engine.orderSeconds }: Scenario): number {
    return Math.max(withinSeconds, this.#fault.withinSeconds ?? 0);
  }
}

async function askMerchantRoute(
  { shop, server }: Context,
  visits: Load['visits'],
): Promise<string[]> {
  const lost: string[] = [];
  for (const { merchant, order } of visits.map(({ shopper }) => shopper)) {
    const headers = { authorization: `Bearer ${shop.keyOf(merchant)}` };
    const { text } = await server.call(`/v1/merchant/orders/${order}`, { headers });
    const { state, certain } = JSON.parse(text) as { state?: string; certain?: boolean };
    if (state !== 'paid' || certain !== true) {
      lost.push(`${order}: the merchant route does not say paid`);
    }
  }
  return lost;
}

/** Prints what `pay-session-server explain` says of the first orders that have a loss. */
function explain(lost: readonly string[], settings: Readonly<Record<string, string>>): void {
  const named = new Set(lost.flatMap((line) => /^(D\d+): /.exec(line)?.[1] ?? []));
  for (const order of [...named].slice(0, MAX_EXPLAINED)) {
    const env = { PATH: process.env['PATH'], ...settings };
    try {
      console.log(execFileSync(process.execPath, [CLI, 'explain', order], { env }).toString());
    } catch (error) {
      console.log(`${order}: ${String(error)}`);
    }
  }
}

function openDataFile(folder: string): Store {
  const file = join(folder, 'data.sqlite');
  return {
    env: { PAY_DATABASE_FILE: file },
    readFacts: () => readDataFile(file),
    untilDelivered: () => Promise.resolve(),
  };
}

async function openDatabase(postgres: PostgresServer): Promise<Store> {
  databases += 1;
  const database = `drill_${String(databases)}`;
  await postgres.query(`CREATE DATABASE ${database}`);
  const query = (sql: string) => postgres.query(sql, { database });
  return {
    env: {
      DATABASE_URL: postgres.url(database),
      PAY_ENCRYPTION_KEY: `v1:${Buffer.alloc(32, 1).toString('base64')}`,
    },
    readFacts: () => readFacts(query),
    async untilDelivered() {
      const giveUpAt = performance.now() + DELIVERED_SECONDS * 1000;
      const waiting = "SELECT 1 FROM outbox_events WHERE status <> 'delivered' LIMIT 1";
      while ((await query(waiting)).length > 0 && performance.now() < giveUpAt) await sleep(200);
    },
  };
}
