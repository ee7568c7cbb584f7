import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname } from 'node:path';
import { send } from './http.ts';

const MEGABYTE = 1024 * 1024;
/** The share of the run in which caches fill and V8 finds its sizes: ten minutes of an hour. */
const WARM_UP = 1 / 6;
const MIN_SAMPLES = 4;
/** How much more the last third may have than the first one, and still be flat: this share, or these. */
const MAX_GROWTH_SHARE = 0.1;
const MAX_GROWTH = { residentMegabytes: 10, handles: 20, openFiles: 20, waitingSeconds: 5 };
/** With more orders under way than these, the machine is the limit, and not the server. */
const BUSY = 30;

export interface Sample {
  readonly orders: number;
  readonly underWay: number;
  readonly residentMegabytes: number;
  /** That V8 uses, what waits for its collector included, and that it holds for it. */
  readonly heapMegabytes: number;
  readonly heldHeapMegabytes: number;
  readonly externalMegabytes: number;
  /** Sockets, servers and the like that Node has open. */
  readonly handles: number;
  readonly openFiles: number;
  /** Of the oldest webhook, event or return that waits. */
  readonly waitingSeconds: number;
  /** Of the machine, in the last minute. */
  readonly load: number;
}

type Column = readonly [title: string, of: keyof Sample, decimals?: number];
const COLUMNS: readonly Column[] = [
  ['orders', 'orders'],
  ['under way', 'underWay'],
  ['resident MB', 'residentMegabytes'],
  ['heap MB', 'heapMegabytes'],
  ['held', 'heldHeapMegabytes'],
  ['external MB', 'externalMegabytes'],
  ['handles', 'handles'],
  ['open files', 'openFiles'],
  ['oldest waiting s', 'waitingSeconds', 1],
  ['load', 'load', 1],
];

/** Reads it from the operator's metrics. */
export async function takeSample(
  operatorPort: number,
  load: Pick<Sample, 'orders' | 'underWay'>,
): Promise<Sample> {
  const { text } = await send(`http://127.0.0.1:${String(operatorPort)}/metrics`);
  const read = (name: string): number => {
    const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
    if (found === undefined) throw new Error(`there is no metric ${name}`);
    return Number(found);
  };
  const megabytes = (name: string): number => read(name) / MEGABYTE;
  return {
    ...load,
    residentMegabytes: megabytes('process_resident_memory_bytes'),
    heapMegabytes: megabytes('nodejs_heap_size_used_bytes'),
    heldHeapMegabytes: megabytes('nodejs_heap_size_total_bytes'),
    externalMegabytes: megabytes('nodejs_external_memory_bytes'),
    handles: read('nodejs_active_handles_total'),
    openFiles: read('process_open_fds'),
    waitingSeconds: Math.max(
      read('pay_oldest_event_seconds'),
      read('pay_oldest_webhook_seconds'),
      read('pay_oldest_return_seconds'),
    ),
    load: loadavg()[0] ?? 0,
  };
}

/** The samples of a run, printed as they come, and in a CSV file. */
export class SoakCurve {
  readonly #file: string;
  readonly #samples: Sample[] = [];

  constructor(file: string) {
    this.#file = file;
    const titles = ['minute', ...COLUMNS.map(([title]) => title)];
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${titles.join(',')}\n`);
    console.log(titles.join('  '));
  }

  add(sample: Sample): void {
    this.#samples.push(sample);
    const minute = String(this.#samples.length);
    const cells = COLUMNS.map(([, of, decimals]) => sample[of].toFixed(decimals));
    appendFileSync(this.#file, `${[minute, ...cells].join(',')}\n`);
    const padded = COLUMNS.map(([title], at) => cells[at]?.padStart(title.length));
    console.log([minute.padStart('minute'.length), ...padded].join('  '));
  }

  /** Says what the first third of the run after its warm-up had, and the last one. */
  judge(): GrowthVerdict {
    return judgeGrowth(this.#samples);
  }
}

export interface GrowthVerdict {
  readonly isFlat: boolean;
  readonly lines: readonly string[];
}

/** Compares medians: a peak of one minute says nothing, one that stays does. */
export function judgeGrowth(samples: readonly Sample[]): GrowthVerdict {
  const warm = samples.slice(Math.ceil(samples.length * WARM_UP));
  if (samples.length < MIN_SAMPLES) {
    return { isFlat: false, lines: [`${String(MIN_SAMPLES)} minutes are needed to judge`] };
  }
  const third = Math.ceil(warm.length / 3);
  const measures = Object.keys(MAX_GROWTH) as (keyof typeof MAX_GROWTH)[];
  const judged = measures.map((of) => {
    const before = medianOf(warm.slice(0, third), of);
    const after = medianOf(warm.slice(-third), of);
    const isFlat = after <= Math.max(before * (1 + MAX_GROWTH_SHARE), before + MAX_GROWTH[of]);
    const title = COLUMNS.find(([, column]) => column === of)?.[0] ?? of;
    const line = `${title}: ${before.toFixed(1)} in the first third, ${after.toFixed(1)} in the last`;
    return { isFlat, line: isFlat ? line : `${line}: GROWN` };
  });
  const busy = warm.filter(({ underWay }) => underWay > BUSY).length;
  return {
    isFlat: judged.every(({ isFlat }) => isFlat),
    lines: [
      ...judged.map(({ line }) => line),
      `minutes with more than ${String(BUSY)} orders under way, where the machine is the limit: ` +
        `${String(busy)} of ${String(warm.length)}`,
    ],
  };
}

function medianOf(samples: readonly Sample[], of: keyof Sample): number {
  const sorted = samples.map((sample) => sample[of]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
