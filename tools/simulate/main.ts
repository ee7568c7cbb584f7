/**
 * Runs the session server's own code for days of simulated time. `tools/simulate/README.md` says what it models, and
 * what its figures mean.
 *
 *     node tools/simulate/main.ts [month|rates|merchants] [--merchants 10000] [--orders 2000] [--days 2] [--seed 1] [--write]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  count,
  describeCost,
  describeRun,
  duration,
  percentile,
  toChart,
  toMarkdown,
} from './report.ts';
import { simulate, type SimulationOptions, type SimulationResult } from './simulation.ts';

const DOCUMENT = new URL('README.md', import.meta.url);
const MONTH_HOURS = 720;
/** Of the provider, in a month: on three days. */
const OUTAGES = [
  { afterHours: 36, minutes: 10 },
  { afterHours: 84, minutes: 60 },
  { afterHours: 132, minutes: 360 },
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    merchants: { type: 'string', default: '10000' },
    orders: { type: 'string', default: '2000' },
    days: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const merchants = Number(values.merchants);
const orders = Number(values.orders);
const days = Number(values.days);
const seed = Number(values.seed);
const [mode = 'month'] = positionals;

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

/** All days, with three outages of the provider. */
async function runMonth(): Promise<string> {
  const result = await run('month', {
    merchants,
    orders,
    days,
    outages: OUTAGES,
    drainHours: 18,
  });
  const daily = result.samples.filter((_, index) => (index + 1) % 24 === 0);
  const x = { title: 'day', labels: daily.map(({ hours }) => Math.round(hours / 24)) };
  const perDay = daily.map(
    ({ listCalls }, index) => listCalls - (daily[index - 1]?.listCalls ?? 0),
  );
  return [
    toMarkdown(describeRun(result)),
    toMarkdown([['On this machine', ''], ...describeCost(result)]),
    toChart({ title: 'List calls a day', x, y: 'calls', lines: [perDay] }),
    toChart({ title: 'Data file', x, y: 'MB', lines: [daily.map(({ bytes }) => bytes / 2 ** 20)] }),
  ].join('\n\n');
}

/** The orders of a busy hour, at ever more orders a month. */
async function runRates(): Promise<string> {
  const factors = [1, 10, 100, 1000];
  const rows: string[][] = [
    [
      'Times',
      'Orders an hour',
      'List calls',
      'Busiest minute',
      'To `paid`: p50',
      'p99',
      'max',
      'Event: p99',
      'Processor a checkout',
    ],
  ];
  const calls: number[] = [];
  for (const factor of factors) {
    const hourly = (2 * orders * factor) / MONTH_HOURS;
    // So long that some hundred payments are measured.
    const hours = Math.min(3, Math.max(0.25, 500 / hourly));
    const result = await run(`${String(factor)} times`, {
      ...{ merchants, orders: Math.round(hourly * hours), days: hours / 24 },
      ...{ outages: [], drainHours: 0.5 },
    });
    const { watched } = result.certainty;
    const perHour = result.calls.answered / (hours + 0.5);
    calls.push(perHour);
    rows.push([
      ...[`${String(factor)}×`, count(hourly), count(perHour), count(result.calls.mostInAMinute)],
      ...[0.5, 0.99, 1].map((share) => duration(percentile(watched, share))),
      duration(percentile(result.events.answering, 0.99)),
      `${((result.cpuSeconds * 1000) / result.counts.opened).toFixed(1)} ms`,
    ]);
  }
  const x = { title: 'times the orders of the month', labels: factors };
  const chart = toChart({ title: 'List calls an hour', x, y: 'calls', lines: [calls] });
  return `${toMarkdown(rows)}\n\n${chart}`;
}

/** The same orders of an hour for ever more merchants, with one list for all of them and one for each. */
async function runMerchants(): Promise<string> {
  const counts = [10, 100, 1000, 10_000];
  const rows: string[][] = [
    [
      'Merchants',
      'One list: calls',
      'p99 to `paid`',
      'A list each: calls',
      'refused',
      'p99 to `paid`',
    ],
  ];
  const calls: [number[], number[]] = [[], []];
  for (const number of counts) {
    const row = [count(number)];
    for (const isPerMerchant of [false, true]) {
      const result = await run(
        `${String(number)} merchants${isPerMerchant ? ', a list each' : ''}`,
        {
          ...{ merchants: number, orders, days: 1 / 24, outages: [], drainHours: 1 },
          isPerMerchant,
        },
      );
      const { answered, refused } = result.calls;
      calls[isPerMerchant ? 1 : 0].push(answered + refused);
      row.push(count(answered + refused));
      if (isPerMerchant) row.push(count(refused));
      row.push(duration(percentile(result.certainty.watched, 0.99)));
    }
    rows.push(row);
  }
  const x = { title: 'merchants', labels: counts };
  const title = 'List calls in two hours: one list for all (below), a list for each (above)';
  return `${toMarkdown(rows)}\n\n${toChart({ title, x, y: 'calls', lines: calls })}`;
}

async function run(
  title: string,
  options: Omit<SimulationOptions, 'seed' | 'onSample'>,
): Promise<SimulationResult> {
  const startedAt = process.hrtime.bigint();
  const { signal } = stop;
  const totalHours = options.days * 24 + options.drainHours;
  return simulate({
    ...{ ...options, seed, signal },
    onSample({ hours, orders: opened, listCalls, unseenPayments }) {
      const elapsed = Number(process.hrtime.bigint() - startedAt) / 1e6;
      console.error(
        `${title}: hour ${hours.toFixed(0)} of ${totalHours.toFixed(0)} after ${duration(elapsed)}, ` +
          `${count(opened)} checkouts, ${count(listCalls)} list calls, ${count(unseenPayments)} payments not seen yet`,
      );
    },
  });
}

/** Puts text between the comments of a name in the document. */
function writeInto(name: string, text: string): void {
  const document = readFileSync(DOCUMENT, 'utf8');
  const [start, end] = [`<!-- simulate ${name} -->`, `<!-- end -->`];
  const from = document.indexOf(start);
  if (from < 0) throw new Error(`tools/simulate/README.md has no ${start}`);
  const until = document.indexOf(end, from);
  writeFileSync(
    DOCUMENT,
    `${document.slice(0, from + start.length)}\n\n${text}\n\n${document.slice(until)}`,
  );
}

const modes: Readonly<Record<string, () => Promise<string>>> = {
  month: runMonth,
  rates: runRates,
  merchants: runMerchants,
};
const text = await modes[mode]?.();
if (text === undefined) {
  console.error(`expected ${Object.keys(modes).join(', ')}; got "${mode}"`);
  process.exitCode = 2;
} else {
  console.log(text);
  if (values.write) writeInto(mode, text);
}
