import type { TuningChanges } from '../../packages/session-server/dist/config.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeliveredWatch, findForgotten, findLosses } from './checks.ts';
import { readDataFile, type StoredFacts } from './stored-facts.ts';
import { findFreePort } from './drill-process.ts';
import { KillableServer } from './killable-server.ts';
import { type Lane, prepareServer, UNLIMITED } from './lane.ts';
import { Patience } from './patience.ts';
import { keyOf, Shopper } from './shopper.ts';
import { SCENARIOS, type Scenario, type ScenarioName } from './scenarios.ts';

/** Less than the leases of a dead process, so that waiting for one counts as a loss. */
const WITHIN_SECONDS = 20;
/** The lease of an attempt that is being sent is its timeout and five seconds: longer than that. */
const TUNING: TuningChanges = {
  createSessionTimeoutSeconds: 30,
  pollIntervalSeconds: 0.05,
  pollPagesPerMinute: 100_000,
  rateLimits: UNLIMITED,
};

export interface Round {
  readonly title: string;
  /** `PAY_CRASH_AT` of the first start, of the second, and so on. */
  readonly crashAt: readonly string[];
  readonly scenarios: readonly ScenarioName[];
  /** The longest it may take, where that is longer than its scenarios'. */
  readonly withinSeconds?: number;
  /** How many deaths there must be; undefined where they come by chance. */
  readonly deaths?: number | undefined;
  /** Called at each start of the server, to kill it at some moment. */
  readonly onStart?: (server: KillableServer) => void;
  /** Called before each scenario, to let them begin one after the other. */
  readonly beforeScenario?: (index: number) => Promise<void>;
}

export interface RoundResult {
  readonly round: Round;
  readonly deaths: number;
  readonly seconds: number;
  /** Sendings of events beyond the first one of each. */
  readonly repeats: number;
  readonly events: number;
  readonly lost: readonly string[];
}

let orders = 0;

/** Plays the scenarios on an empty data file while the server dies, then counts what was lost. */
export async function runRound(round: Round, lane: Lane): Promise<RoundResult> {
  const folder = mkdtempSync(join(tmpdir(), 'drill-'));
  const startedAt = performance.now();
  const context = await prepare(round, lane, folder);
  const { server, visits, lost } = context;
  try {
    const playing = Promise.all(
      visits.map(async ({ shopper, scenario }, index) => {
        await round.beforeScenario?.(index);
        await scenario.run(shopper, context);
        await Promise.all(scenario.eventTypes.map((type) => lane.shop.until(shopper.order, type)));
      }),
    );
    // The last event of the shop may come before the step at which the server is to die.
    const played = playing.then(() => server.untilDied(round.deaths ?? 0));
    await context.patience.wait(played);
    for (const { shopper } of visits) lost.push(...(await askMerchantRoute(server, shopper)));
  } catch (error) {
    lost.push(error instanceof Error ? error.message : String(error));
  }
  await server.stop();
  const facts = await context.readFacts();
  const arrivals = lane.shop.arrivals.filter(({ order }) =>
    visits.some(({ shopper }) => shopper.order === order),
  );
  lost.push(...findLosses(facts, visits, arrivals), ...context.watch.findRepeats(arrivals));
  lost.push(...(await context.forgotten(facts)));
  if (round.deaths !== undefined && server.deaths !== round.deaths) {
    lost.push(`died ${String(server.deaths)} times, not ${String(round.deaths)}`);
  }
  rmSync(folder, { recursive: true, force: true });
  const events = new Set(arrivals.map(({ id }) => id)).size;
  return {
    round,
    deaths: server.deaths,
    seconds: (performance.now() - startedAt) / 1000,
    repeats: arrivals.length - events,
    events,
    lost: [...new Set(lost)],
  };
}

async function prepare(round: Round, lane: Lane, folder: string) {
  const { sandbox, shop } = lane;
  const port = await findFreePort();
  const providerMerchant = sandbox.takeMerchant();
  const dataFile = join(folder, 'data.sqlite');
  const readFacts = (): Promise<StoredFacts> => readDataFile(dataFile);
  const lost: string[] = [];
  const watch = new DeliveredWatch();
  const patience = new Patience(
    Math.max(
      round.withinSeconds ?? 0,
      ...round.scenarios.map((name) => secondsOf(SCENARIOS[name])),
    ),
  );
  const visits: { shopper: Shopper; scenario: Scenario }[] = [];
  const forgotten = async (facts: StoredFacts): Promise<string[]> => {
    const shoppers = visits.map(({ shopper }) => shopper);
    return findForgotten(facts, shoppers, await sandbox.acknowledgedWebhooks(providerMerchant));
  };
  const tuning = round.scenarios
    .map((name) => SCENARIOS[name])
    .reduce<TuningChanges>(
      (all, scenario) => ('tuning' in scenario ? { ...all, ...scenario.tuning } : all),
      TUNING,
    );
  const publicUrl = `http://127.0.0.1:${String(port)}`;
  const files = prepareServer(lane, { folder, publicUrl, providerMerchant, tuning });
  const env = { ...files, PAY_PORT: String(port), PAY_DATABASE_FILE: dataFile };
  const server = new KillableServer({
    port,
    env,
    crashAt: round.crashAt,
    async onDeath() {
      const facts = await readFacts();
      watch.note(facts, shop.arrivals);
      lost.push(...(await forgotten(facts)));
    },
    onStart(started) {
      round.onStart?.(started);
      started.untilListening().then(
        () => patience.renew(),
        () => undefined,
      );
    },
  });
  for (const name of round.scenarios) {
    orders += 1;
    const order = `D${String(orders)}`;
    shop.addOrder(order, `${String(10 + (orders % 90))}.99`);
    visits.push({
      shopper: new Shopper(order, { server, sandbox, shop }),
      scenario: SCENARIOS[name],
    });
  }
  return {
    server,
    sandbox,
    shop,
    providerMerchant,
    visits,
    lost,
    watch,
    forgotten,
    patience,
    readFacts,
  };
}

function secondsOf(scenario: Scenario): number {
  return scenario.withinSeconds ?? WITHIN_SECONDS;
}

async function askMerchantRoute(
  server: KillableServer,
  { merchant, order }: Shopper,
): Promise<string[]> {
  const headers = { authorization: `Bearer ${keyOf(merchant)}` };
  const { status, text } = await server.call(`/v1/merchant/orders/${order}`, { headers });
  const known = JSON.parse(text) as { state?: string; certain?: boolean };
  const isPaid = status === 200 && known.state === 'paid' && known.certain === true;
  return isPaid ? [] : [`${order}: the merchant route does not say paid`];
}
