import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findLosses, type Visit } from './checks.ts';
import { readDataFile } from './stored-facts.ts';
import { DrillProcess, findFreePort } from './drill-process.ts';
import { type Call, send } from './http.ts';
import { PROGRAM } from './killable-server.ts';
import { closeLane, type Lane, openLane, prepareServer, UNLIMITED } from './lane.ts';
import { SCENARIOS, type ScenarioName } from './scenarios.ts';
import { Shopper } from './shopper.ts';

/** What shoppers do in turn. */
const MIX: readonly ScenarioName[] = ['pays', 'vanishes', 'pays', 'only comes back'];
const MEGABYTE = 1024 * 1024;
/** How much more the last third of the run may have than the one before it, and still be flat. */
const GROWTH = { share: 0.1, residentMegabytes: 10, handles: 20, waitingSeconds: 5 };
/** How long the last orders may take. */
const END_SECONDS = 120;

interface Sample {
  readonly orders: number;
  /** More than some thirty mean that the machine is too busy to judge by. */
  readonly underWay: number;
  readonly residentMegabytes: number;
  /** That V8 uses, what waits for its collector included, and that it holds for it. */
  readonly heapMegabytes: number;
  readonly heldHeapMegabytes: number;
  readonly externalMegabytes: number;
  readonly handles: number;
  /** Of the oldest webhook, event or return that waits. */
  readonly waitingSeconds: number;
}

/** Runs one server under an even load, and judges whether it grows. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '60' },
      rate: { type: 'string', default: '7.5' },
    },
  });
  const minutes = Number(values.minutes);
  const lane = await openLane();
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  try {
    return await soak({ lane, folder, minutes, rate: Number(values.rate) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await closeLane(lane);
  }
}

async function soak(options: {
  readonly lane: Lane;
  readonly folder: string;
  readonly minutes: number;
  /** Orders a second. */
  readonly rate: number;
}): Promise<number> {
  const { lane, folder, minutes, rate } = options;
  const [port, operatorPort] = [await findFreePort(), await findFreePort()];
  const url = `http://127.0.0.1:${String(port)}`;
  const dataFile = join(folder, 'data.sqlite');
  const providerMerchant = lane.sandbox.takeMerchant();
  const tuning = { rateLimits: UNLIMITED };
  const child = new DrillProcess(PROGRAM, {
    ...prepareServer(lane, { folder, publicUrl: url, providerMerchant, tuning }),
    NODE_OPTIONS: process.env['NODE_OPTIONS'] ?? '',
    PAY_PORT: String(port),
    PAY_OPERATOR_PORT: String(operatorPort),
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
  const context = { ...lane, server, providerMerchant };
  const visits: Visit[] = [];
  const failed: string[] = [];
  const underWay = new Set<Promise<void>>();
  const visit = async (order: string, name: ScenarioName): Promise<void> => {
    lane.shop.addOrder(order, '9.99');
    const shopper = new Shopper(order, context);
    const scenario = SCENARIOS[name];
    visits.push({ shopper, scenario });
    try {
      await scenario.run(shopper, context);
      await Promise.all(scenario.eventTypes.map((type) => lane.shop.until(order, type)));
    } catch (error) {
      failed.push(`${order}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const samples: Sample[] = [];
  const startedAt = performance.now();
  console.log(
    'minute  orders  under way  resident MB  heap MB  held  external MB  handles  oldest waiting s  load',
  );
  for (let minute = 1; minute <= minutes; minute += 1) {
    while (performance.now() < startedAt + minute * 60_000) {
      const due = startedAt + (visits.length / rate) * 1000;
      await sleep(Math.max(0, due - performance.now()));
      const name = MIX[visits.length % MIX.length] ?? 'pays';
      const visiting = visit(`S${String(visits.length)}`, name);
      underWay.add(visiting);
      void visiting.then(() => underWay.delete(visiting));
    }
    const sample = await takeSample(operatorPort, visits.length, underWay.size);
    samples.push(sample);
    printSample(minute, sample);
  }
  await Promise.race([Promise.all(underWay), sleep(END_SECONDS * 1000, undefined, { ref: false })]);
  const { words } = await child.stop();
  const lost = [...failed, ...findLosses(await readDataFile(dataFile), visits, lane.shop.arrivals)];
  const grown = findGrowth(samples);
  for (const line of [...lost.slice(0, 10), ...grown]) console.log(`    ${line}`);
  if (lost.length > 0) console.log(`The server said last:\n${words}`);
  console.log(
    `\n${String(visits.length)} orders; lost: ${String(lost.length)}; ${grown.length === 0 ? 'flat' : 'NOT FLAT'}`,
  );
  return lost.length + grown.length === 0 ? 0 : 1;
}

/** Reads it from the operator's metrics. */
async function takeSample(port: number, orders: number, underWay: number): Promise<Sample> {
  const { text } = await send(`http://127.0.0.1:${String(port)}/metrics`);
  const read = (name: string): number => {
    const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
    if (found === undefined) throw new Error(`there is no metric ${name}`);
    return Number(found);
  };
  const megabytes = (name: string): number => read(name) / MEGABYTE;
  return {
    orders,
    underWay,
    residentMegabytes: megabytes('process_resident_memory_bytes'),
    heapMegabytes: megabytes('nodejs_heap_size_used_bytes'),
    heldHeapMegabytes: megabytes('nodejs_heap_size_total_bytes'),
    externalMegabytes: megabytes('nodejs_external_memory_bytes'),
    handles: read('process_open_fds'),
    waitingSeconds: Math.max(
      read('pay_oldest_event_seconds'),
      read('pay_oldest_webhook_seconds'),
      read('pay_oldest_return_seconds'),
    ),
  };
}

function printSample(minute: number, sample: Sample): void {
  const { orders, residentMegabytes, heapMegabytes, externalMegabytes } = sample;
  const cells: readonly (readonly [value: number, width: number, decimals?: number])[] = [
    [minute, 6],
    [orders, 6],
    [sample.underWay, 9],
    [residentMegabytes, 11],
    [heapMegabytes, 7],
    [sample.heldHeapMegabytes, 4],
    [externalMegabytes, 11],
    [sample.handles, 7],
    [sample.waitingSeconds, 16, 1],
    [loadavg()[0] ?? 0, 4, 1],
  ];
  console.log(
    cells.map(([value, width, decimals]) => value.toFixed(decimals).padStart(width)).join('  '),
  );
}

/** Compares the last third of the run with the one before it; the first one warms up. */
function findGrowth(samples: readonly Sample[]): string[] {
  if (samples.length < 3) return ['the run was too short to judge'];
  const third = Math.ceil(samples.length / 3);
  const middleOf = (part: readonly Sample[], what: keyof typeof GROWTH & keyof Sample): number => {
    const sorted = part.map((sample) => sample[what]).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  return (['residentMegabytes', 'handles', 'waitingSeconds'] as const).flatMap((what) => {
    const before = middleOf(samples.slice(-2 * third, -third), what);
    const after = middleOf(samples.slice(-third), what);
    const most = Math.max(before * (1 + GROWTH.share), before + GROWTH[what]);
    return after > most ? [`${what} grew from ${before.toFixed(0)} to ${after.toFixed(0)}`] : [];
  });
}
