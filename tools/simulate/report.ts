/** What a run prints: tables for people and documents, and charts for documents. */
import type { Sample, SimulationResult } from './simulation.ts';

export type Table = readonly (readonly string[])[];

/** What was measured in one run, as a table of Markdown. */
export function describeRun(result: SimulationResult): Table {
  const { counts, calls, certainty, events, samples, missed } = result;
  const last = samples.at(-1);
  const days = (last?.hours ?? 0) / 24;
  const most = (of: (sample: Sample) => number): number => Math.max(...samples.map(of));
  const all = calls.answered + calls.refused + calls.failed;
  return [
    ['', 'p50', 'p95', 'p99', 'max'],
    ['From the payment to `paid`: the shopper waits', ...spread(certainty.watched)],
    ['… the tab was closed', ...spread(certainty.closedTab)],
    ['From the row in the list to `paid`', ...spread(certainty.sinceListed)],
    ['From a refund to its event', ...spread(certainty.refund)],
    ['From the change to a shop that answers', ...spread(events.answering)],
    ['… to a shop that hung for a day', ...spread(events.hanging)],
    [],
    ['', 'Measured'],
    ['Days', days.toFixed(1)],
    [
      'Checkouts, paid, refunded',
      [counts.opened, counts.paid, counts.refunded].map(count).join(', '),
    ],
    ['Payments and refunds never seen', `${count(missed.payments)}, ${count(missed.refunds)}`],
    [
      'List calls',
      `${count(all)}: ${count(all / days)} a day, ${count(calls.mostInAMinute)} in the busiest minute`,
    ],
    [
      '… that failed in an outage, or were refused',
      `${count(calls.failed)}, ${count(calls.refused)}`,
    ],
    ['Longest backfill, seen once an hour', duration(most(({ backfillAge }) => backfillAge))],
    [
      'Longest wait of an event for its first try, seen once an hour',
      duration(most(({ untriedEventAge }) => untriedEventAge)),
    ],
    ['Most events that waited for a shop', count(most(({ pendingEvents }) => pendingEvents))],
    ['Attempts watched at the end', count(last?.watchedAttempts ?? 0)],
    [
      'Data file',
      `${megabytes(last?.bytes ?? 0)} MB, ${count((last?.bytes ?? 0) / counts.opened)} bytes a checkout`,
    ],
    ['Errors in the log', result.errors.join('; ') || 'none'],
  ];
}

/** What the run took on the machine: the only figures that another machine or day changes. */
export function describeCost({
  cpuSeconds,
  residentMegabytes,
  transactions,
  counts,
}: SimulationResult): Table {
  return [
    [
      'Processor time',
      `${cpuSeconds.toFixed(0)} s, ${((cpuSeconds * 1000) / counts.opened).toFixed(1)} ms a checkout`,
    ],
    ['Transactions', count(transactions)],
    ['Resident memory at most, with the models', `${residentMegabytes.toFixed(0)} MB`],
  ];
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

function spread(values: readonly number[]): string[] {
  return [0.5, 0.95, 0.99, 1].map((share) => duration(percentile(values, share)));
}

export function duration(ms: number): string {
  if (Number.isNaN(ms)) return '–';
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${(ms / 60_000).toFixed(1)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-GB');
}

export function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

/** An empty row ends one table, and the next row heads another. */
export function toMarkdown(table: Table): string {
  return table
    .map((row, index) => {
      if (row.length === 0) return '';
      const line = `| ${row.join(' | ')} |`;
      const isHead = index === 0 || table[index - 1]?.length === 0;
      return isHead ? `${line}\n|${' --- |'.repeat(row.length)}` : line;
    })
    .join('\n');
}

/** The first colour of the light theme cannot be seen on white. */
const COLOURS =
  '%%{init: {"themeVariables": {"xyChart": {"plotColorPalette": "#3b82f6, #16a34a"}}}}%%';

/** A chart of Mermaid, which documents draw in the colours of their theme. */
export function toChart(options: {
  readonly title: string;
  readonly x: { readonly title: string; readonly labels: readonly (string | number)[] };
  readonly y: string;
  readonly lines: readonly (readonly number[])[];
}): string {
  const { title, x, y, lines } = options;
  return [
    '```mermaid',
    COLOURS,
    'xychart-beta',
    `  title "${title}"`,
    `  x-axis "${x.title}" [${x.labels.map((label) => `"${label}"`).join(', ')}]`,
    `  y-axis "${y}" 0 --> ${niceMax(Math.max(...lines.flat()))}`,
    ...lines.map(
      (line) => `  line [${line.map((value) => Number(value.toPrecision(4))).join(', ')}]`,
    ),
    '```',
  ].join('\n');
}

function niceMax(value: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(value, 1))) / 2;
  return Math.ceil(value / step) * step;
}
