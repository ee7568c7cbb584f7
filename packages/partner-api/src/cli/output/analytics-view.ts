import { renderBars, type Bar } from './bars.js';
import { fieldText, toJsonText } from '../../exact-text.js';
import { renderFields } from './table.js';

/**
 * Metrics of any name and type for a terminal (their names are not shown, spec 2.7): single values
 * as a list, maps of numbers and lists of records as bars, anything else as JSON.
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
