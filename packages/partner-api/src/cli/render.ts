import { fieldText, toJsonText } from '../decimal.js';
import { pad, toPlainText, widthOf } from './terminal.js';

/** A column of a table: its title, and the side that its texts keep to. */
export interface TableColumn {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Where a table is too wide, the columns with the highest are left out first. Default: its place. */
  readonly rank?: number;
}

const GAP = '  ';

/**
 * Aligned columns under their titles, decimals at their points. No text is cut: an id or a time that is cut
 * is of no use. Where that is wider than `maxWidth`, the columns that matter least are left out, and the
 * last line names them; where even two are too wide, each row becomes a block of lines.
 */
export function renderTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  maxWidth = Number.POSITIVE_INFINITY,
): string[] {
  const plain = rows.map((row) => row.map(toPlainText));
  const cells = alignDecimals(columns, plain);
  const widths = columns.map(({ title }, at) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[at] ?? ''))),
  );
  const shown = findFitting(columns, widths, maxWidth);
  if (shown.length < Math.min(MIN_COLUMNS, columns.length)) return renderBlocks(columns, plain);
  const line = (texts: readonly string[]): string =>
    shown
      .map((at) =>
        pad(texts[at] ?? '', widths[at] ?? 0, columns[at]?.align === 'right' ? 'left' : 'right'),
      )
      .join(GAP)
      .trimEnd();
  const leftOut = columns.filter((_, at) => !shown.includes(at)).map(({ title }) => title);
  return [
    line(columns.map(({ title }) => title)),
    ...cells.map(line),
    ...(leftOut.length > 0 ? [`Too wide, left out: ${leftOut.join(', ')}`] : []),
  ];
}

const MIN_COLUMNS = 2;

/** The places of the columns that fit side by side, those that matter most. */
function findFitting(
  columns: readonly TableColumn[],
  widths: readonly number[],
  maxWidth: number,
): readonly number[] {
  const rankOf = (at: number): number => columns[at]?.rank ?? at;
  const byRank = columns.map((_, at) => at).toSorted((one, other) => rankOf(one) - rankOf(other));
  let end = -GAP.length;
  const tooWide = byRank.findIndex((at) => (end += GAP.length + (widths[at] ?? 0)) > maxWidth);
  return (tooWide === -1 ? byRank : byRank.slice(0, tooWide)).toSorted((one, other) => one - other);
}

/** Fills numbers up on their right, so that their points are below each other. */
function alignDecimals(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
): string[][] {
  const tailOf = (text = ''): number => /\.\d+$/.exec(text)?.[0].length ?? 0;
  const tails = columns.map(({ align }, at) =>
    align === 'right' ? Math.max(0, ...rows.map((row) => tailOf(row[at]))) : 0,
  );
  return rows.map((row) =>
    row.map((text, at) => {
      const missing = (tails[at] ?? 0) - tailOf(text);
      return /^-?\d/.test(text) && missing > 0 ? text + ' '.repeat(missing) : text;
    }),
  );
}

/** `title  text` lines for one thing; what has no text is left out. */
export function renderFields(fields: readonly (readonly [string, string])[]): string[] {
  const shown = fields.filter(([, text]) => text !== '');
  const width = Math.max(0, ...shown.map(([title]) => widthOf(title)));
  return shown.map(([title, text]) => `${pad(title, width, 'right')}${GAP}${toPlainText(text)}`);
}

function renderBlocks(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
): string[] {
  return rows.flatMap((row, number) => [
    ...(number === 0 ? [] : ['']),
    ...renderFields(columns.map(({ title }, at) => [title, row[at] ?? ''])),
  ]);
}

/** A moment of ISO 8601 in the zone of this machine, which it names: `2026-03-01 11:15:00 GMT+1`. Other texts stay. */
export function toLocalTime(text: string): string {
  const at = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? new Date(text) : undefined;
  if (at === undefined || Number.isNaN(at.getTime())) return text;
  localTime ??= new Intl.DateTimeFormat('sv-SE', {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'shortOffset' },
  });
  return localTime.format(at);
}

/** Made when it is needed first: it loads the data of languages. */
let localTime: Intl.DateTimeFormat | undefined;

/** A value to draw: its exact text is shown, its number only sets the length. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const MIN_BAR_WIDTH = 10;

/** Horizontal bars to one scale; what is below zero is drawn lighter. */
export function renderBars(bars: readonly Bar[], width: number): string[] {
  const labels = bars.map(({ label }) => toPlainText(label));
  const labelWidth = Math.max(0, ...labels.map(widthOf));
  const textWidth = Math.max(0, ...bars.map(({ text }) => widthOf(text)));
  const room = Math.max(MIN_BAR_WIDTH, width - labelWidth - textWidth - 4);
  const longest = Math.max(0, ...bars.map(({ value }) => Math.abs(value)));
  return bars.map(({ value, text }, at) => {
    const share = longest === 0 ? 0 : Math.abs(value) / longest;
    const label = pad(labels[at] ?? '', labelWidth, 'right');
    const bar = drawBar(share * room, value < 0);
    return `${label}  ${pad(text, textWidth, 'left')}  ${bar}`.trimEnd();
  });
}

function drawBar(length: number, isNegative: boolean): string {
  const eighths = Math.round(length * 8);
  const full = Math.floor(eighths / 8);
  if (isNegative) return '░'.repeat(Math.max(full, eighths > 0 ? 1 : 0));
  return '█'.repeat(full) + (EIGHTHS[eighths % 8] ?? '');
}

/**
 * Metrics of any name and type for a terminal (their names are not shown, spec 2.7): single values
 * as a list, maps of numbers and lists of records as bars, all others as JSON.
 */
export function renderMetrics(data: Readonly<Record<string, unknown>>, width: number): string[] {
  const names = Object.keys(data);
  const single = names.filter((name) => typeof data[name] !== 'object' || data[name] === null);
  const lines = renderFields(single.map((name) => [name, fieldText(data, name) || '–']));
  for (const name of names.filter((other) => !single.includes(other))) {
    if (lines.length > 0) lines.push('');
    lines.push(...renderGroup(name, data[name] as object, width));
  }
  return lines;
}

function renderGroup(name: string, group: object, width: number): string[] {
  if (Array.isArray(group)) return renderList(name, group, width);
  const entries = Object.keys(group);
  const bars = entries.map((label) => barOf(group, label, label));
  return entries.length > 0 && bars.every((bar) => bar !== undefined)
    ? [name, ...renderBars(bars, width)]
    : renderOther(name, group);
}

/** A list of records: one group of bars for each number in them, named by their first text. */
function renderList(name: string, list: readonly unknown[], width: number): string[] {
  const records = list.filter((item) => typeof item === 'object' && item !== null);
  const first = records[0];
  if (first === undefined || records.length < list.length) return renderOther(name, list);
  const fields = Object.keys(first);
  const labelField = fields.find((field) => typeof valueOf(first, field) === 'string');
  const numberFields = fields.filter((field) => typeof valueOf(first, field) === 'number');
  if (numberFields.length === 0) return renderOther(name, list);
  return numberFields.flatMap((field, at) => {
    const bars = records.flatMap((record, index) => {
      const label = labelField === undefined ? String(index + 1) : fieldText(record, labelField);
      return barOf(record, field, label) ?? [];
    });
    return [...(at === 0 ? [] : ['']), `${name}: ${field}`, ...renderBars(bars, width)];
  });
}

function barOf(holder: object, field: string, label: string): Bar | undefined {
  const value = valueOf(holder, field);
  if (typeof value !== 'number') return undefined;
  return { label, value, text: fieldText(holder, field) };
}

function valueOf(holder: object, field: string): unknown {
  return (holder as Record<string, unknown>)[field];
}

function renderOther(name: string, value: object): string[] {
  return renderFields([[name, toJsonText(value)]]);
}

export function formatCount(count: number): string {
  // Not `toLocaleString`, whose first call loads every language.
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

export function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
