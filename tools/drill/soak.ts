import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SqliteDatabase } from '../../packages/session-server/dist/store/sqlite-database.js';
import { findLostAndLate, type Visit } from './checks.ts';
import { DrillProcess, findFreePort } from './drill-process.ts';
import { type Call, send } from './http.ts';
import { PROGRAM } from './killable-server.ts';
import { closeLane, type Lane, openLane, prepareServer, UNLIMITED } from './lane.ts';
import { printLost } from './order-history.ts';
import { type RoundContext, SCENARIOS, type ScenarioName } from './scenarios.ts';
import { Shopper } from './shopper.ts';
import { SoakCurve, takeSample } from './soak-curve.ts';
import { readDataFile } from './stored-facts.ts';

/** What shoppers do in turn. */
const MIX: readonly ScenarioName[] = ['pays', 'vanishes', 'pays', 'only comes back'];
/** How long the last orders may take. */
const END_SECONDS = 120;
const CURVE = new URL('../../.cache/soak.csv', import.meta.url).pathname;

interface Options {
  readonly minutes: number;
  /** Orders a second. */
  readonly rate: number;
  /** The CSV file of the samples. */
  readonly curve: string;
}

/** Runs one server under an even load, and judges whether it grows. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '60' },
      rate: { type: 'string', default: '7.5' },
      curve: { type: 'string', default: CURVE },
    },
  });
  const { curve } = values;
  const lane = await openLane();
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  try {
    const options = { minutes: Number(values.minutes), rate: Number(values.rate), curve };
    return await soak(lane, folder, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await closeLane(lane);
  }
}

async function soak(
  lane: Lane,
  folder: string,
  { minutes, rate, curve: file }: Options,
): Promise<number> {
  const server = await startServer(lane, folder);
  const load = new Load(server.context);
  const curve = new SoakCurve(file);
  const startedAt = performance.now();
  for (let minute = 1; minute <= minutes; minute += 1) {
    while (performance.now() < startedAt + minute * 60_000) {
      const due = startedAt + (load.visits.length / rate) * 1000;
      await sleep(Math.max(0, due - performance.now()));
      load.add();
    }
    const { visits, underWay } = load;
    curve.add(
      await takeSample(server.operatorPort, { orders: visits.length, underWay: underWay.size }),
    );
  }
  const ended = Promise.all(load.underWay);
  await Promise.race([ended, sleep(END_SECONDS * 1000, undefined, { ref: false })]);
  const { words } = await server.child.stop();
  const { visits, failed, seconds } = load;
  const facts = await readDataFile(server.dataFile);
  const { lost, late } = findLostAndLate(facts, visits, lane.shop.arrivals);
  lost.unshift(...failed);
  const database = new SqliteDatabase(server.dataFile, 'read');
  await printLost(database, lost);
  await database.close();
  if (lost.length > 0) console.log(`The server said last:\n${words}`);
  const { isFlat, lines } = curve.judge();
  console.log(`\n${lines.join('\n')}\nthe curve is in ${file}`);
  const slowest = Math.max(0, ...late.map((order) => seconds.get(order) ?? 0));
  console.log(
    `late: ${String(late.length)}${late.length === 0 ? '' : `, paid after ${slowest.toFixed(0)} s at most`}`,
  );
  console.log(
    `\n${String(visits.length)} orders; lost: ${String(lost.length)}; ${isFlat ? 'flat' : 'NOT FLAT'}`,
  );
  return lost.length === 0 && isFlat ? 0 : 1;
}

async function startServer(lane: Lane, folder: string) {
  const [port, operatorPort] = [await findFreePort(), await findFreePort()];
  const url = `http://127.0.0.1:${String(port)}`;
  const dataFile = join(folder, 'data.sqlite');
  const providerMerchant = lane.sandbox.takeMerchant();
  const tuning = { rateLimits: UNLIMITED };
  const child = new DrillProcess(PROGRAM, {
    ...prepareServer(lane, { folder, publicUrl: url, providerMerchant, tuning }),
    NODE_OPTIONS: process.env['NODE_OPTIONS'] ?? '',
    PAY_PORT: String(port),
    PAY_METRICS_PORT: String(operatorPort),
    PAY_LOG_LEVEL: 'warn',
    PAY_DATABASE_FILE: dataFile,
  });
  await child.listening;
  const server = {
    call: (path: string, call?: Call) => send(`${url}${path}`, call),
    kill: () => {
      child.signal('SIGKILL');
    },
  };
  return { child, operatorPort, dataFile, context: { ...lane, server, providerMerchant } };
}

/** The orders of a soak: those that are under way, and what became of the others. */
class Load {
  readonly visits: Visit[] = [];
  readonly underWay = new Set<Promise<void>>();
  readonly failed: string[] = [];
  /** How long each order took that came to its end. */
  readonly seconds = new Map<string, number>();
  readonly #context: RoundContext;

  constructor(context: RoundContext) {
    this.#context = context;
  }

  /** Lets the next shopper come. */
  add(): void {
    const order = `S${String(this.visits.length)}`;
    const name = MIX[this.visits.length % MIX.length] ?? 'pays';
    const visiting = this.#visit(order, name).catch((error: unknown) => {
      this.failed.push(`${order}: ${error instanceof Error ? error.message : String(error)}`);
    });
    this.underWay.add(visiting);
    void visiting.then(() => this.underWay.delete(visiting));
  }

  async #visit(order: string, name: ScenarioName): Promise<void> {
    const { shop } = this.#context;
    const startedAt = performance.now();
    shop.addOrder(order, '9.99');
    const shopper = new Shopper(order, this.#context);
    const scenario = SCENARIOS[name];
    this.visits.push({ shopper, scenario });
    await scenario.run(shopper, this.#context);
    await Promise.all(scenario.eventTypes.map((type) => shop.until(order, type)));
    this.seconds.set(order, (performance.now() - startedAt) / 1000);
  }
}
