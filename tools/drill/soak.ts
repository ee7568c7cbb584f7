import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './faults.ts';
import { send } from './http.ts';

const MEGABYTE = 1024 * 1024;
/** How long an order may take: longer than its settle window, after which it is late. */
const ORDER_SECONDS = 600;
/** The share of the run in which caches fill and V8 finds its sizes: ten minutes of an hour. */
const WARM_UP = 1 / 6;
const MIN_SAMPLES = 4;
/** How much more the last third may have than the first one, and still be flat: this share, or these. */
const MAX_GROWTH_SHARE = 0.1;
const MAX_GROWTH = { residentMegabytes: 10, handles: 20, openFiles: 20, waitingSeconds: 5 };
/** With more orders running than these, the machine is the limit, and not the server. */
const BUSY = 30;

/** What the server has at the end of a minute: titles, and how they are read from its metrics. */
const COLUMNS = {
  residentMegabytes: ['resident MB', ['process_resident_memory_bytes'], MEGABYTE],
  heapMegabytes: ['heap MB', ['nodejs_heap_size_used_bytes'], MEGABYTE],
  heldHeapMegabytes: ['held', ['nodejs_heap_size_total_bytes'], MEGABYTE],
  externalMegabytes: ['external MB', ['nodejs_external_memory_bytes'], MEGABYTE],
  handles: ['handles', ['nodejs_active_handles_total'], 1],
  openFiles: ['open files', ['process_open_fds'], 1],
  /** Of the oldest webhook, event or return that waits. */
  waitingSeconds: [
    'oldest waiting s',
    ['pay_oldest_event_seconds', 'pay_oldest_webhook_seconds', 'pay_oldest_return_seconds'],
    1,
  ],
} as const satisfies Record<string, readonly [string, readonly string[], number]>;

type Measure = keyof typeof COLUMNS;

export type Sample = Readonly<Record<Measure | 'orders' | 'running' | 'load', number>>;

/** An even load on one server, which must not grow. */
export function soakFault(options: {
  readonly minutes: number;
  readonly ordersASecond: number;
  /** The CSV file of the samples. */
  readonly curve: string;
}): Fault {
  const { minutes, ordersASecond, curve } = options;
  return {
    name: `soak of ${String(minutes)} minutes`,
    scenarios: ['pays', 'vanishes', 'pays', 'only comes back'],
    ...{ orders: 1, ordersASecond, withinSeconds: ORDER_SECONDS, mayBeLate: true },
    hasDefaultTuning: true,
    env: {
      PAY_METRICS_PORT: '0',
      PAY_LOG_LEVEL: 'warn',
      NODE_OPTIONS: process.env['NODE_OPTIONS'] ?? '',
    },
    async disturb({ servers: [server], countOrders }) {
      const samples: Sample[] = [];
      mkdirSync(dirname(curve), { recursive: true });
      writeFileSync(curve, '');
      const startedAt = performance.now();
      for (let minute = 1; minute <= minutes; minute += 1) {
        await sleep(Math.max(0, startedAt + minute * 60_000 - performance.now()));
        const metrics = await readMetrics(server?.ports?.operatorPort);
        const sample = { ...countOrders(), ...metrics, load: loadavg()[0] ?? 0 };
        if (minute === 1) write(curve, ['minute', ...Object.keys(sample)]);
        write(curve, [minute, ...Object.values(sample)]);
        samples.push(sample);
      }
      const { isFlat, lines } = judgeGrowth(samples);
      console.log(`\n${lines.join('\n')}\nthe curve is in ${curve}`);
      return isFlat ? [] : ['the server has grown: see above'];
    },
  };
}

function write(file: string, cells: readonly (string | number)[]): void {
  const texts = cells.map((cell) =>
    typeof cell === 'number' ? String(Math.round(cell * 10) / 10) : cell,
  );
  appendFileSync(file, `${texts.join(',')}\n`);
  console.log(texts.join('  '));
}

async function readMetrics(operatorPort = 0): Promise<Record<Measure, number>> {
  const { text } = await send(`http://127.0.0.1:${String(operatorPort)}/metrics`);
  const read = (name: string): number => {
    const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
    if (found === undefined) throw new Error(`there is no metric ${name}`);
    return Number(found);
  };
  const measured = Object.entries(COLUMNS).map(([measure, [, names, unit]]) => [
    measure,
    Math.max(...names.map(read)) / unit,
  ]);
  return Object.fromEntries(measured) as Record<Measure, number>;
}

/** Compares medians: a peak of one minute says nothing, one that stays does. */
export function judgeGrowth(samples: readonly Sample[]): {
  readonly isFlat: boolean;
  readonly lines: readonly string[];
} {
  if (samples.length < MIN_SAMPLES) {
    return { isFlat: false, lines: [`${String(MIN_SAMPLES)} minutes are needed to judge`] };
  }
  const warm = samples.slice(Math.ceil(samples.length * WARM_UP));
  const third = Math.ceil(warm.length / 3);
  const grown = (Object.keys(MAX_GROWTH) as (keyof typeof MAX_GROWTH)[]).map((measure) => {
    const before = medianOf(warm.slice(0, third), measure);
    const after = medianOf(warm.slice(-third), measure);
    const most = Math.max(before * (1 + MAX_GROWTH_SHARE), before + MAX_GROWTH[measure]);
    const [title] = COLUMNS[measure];
    const line = `${title}: ${before.toFixed(1)} in the first third, ${after.toFixed(1)} in the last`;
    return after <= most ? line : `${line}: GROWN`;
  });
  const busy = warm.filter(({ running }) => running > BUSY).length;
  const ofWarm = `${String(busy)} of ${String(warm.length)}`;
  return {
    isFlat: !grown.some((line) => line.endsWith('GROWN')),
    lines: [
      ...grown,
      `minutes with more than ${String(BUSY)} orders running, where the machine is the limit: ${ofWarm}`,
    ],
  };
}

function medianOf(samples: readonly Sample[], measure: Measure): number {
  const sorted = samples.map((sample) => sample[measure]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
