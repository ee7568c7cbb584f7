/** The answer of an operation, of any names and types, as fields and as groups of bars. */
import { fieldText } from '@pay-checkout/partner-api';
import type { AnswerView, MetricBar, MetricGroup } from './console-view.js';
import { otherFields } from './provider-call.js';

/**
 * Maps of numbers and lists of records become groups; everything else is a field, as text. Nothing is
 * left out.
 *
 * @param isInData whether `data` of the answer is what was asked for
 */
export function describeAnswer(answer: object, isInData = false): Omit<AnswerView, 'request'> {
  const { data } = answer as { readonly data?: unknown };
  const shown = isInData && isObject(data) ? data : (answer as Record<string, unknown>);
  const fields: [string, string][] = [];
  const groups: MetricGroup[] = [];
  for (const name of Object.keys(shown)) {
    const found = findGroups(name, shown[name]);
    if (found.length > 0) groups.push(...found);
    else fields.push([name, writeField(shown, name)]);
  }
  const others = shown === data ? otherFields(answer, ['data']) : {};
  return { fields: Object.fromEntries(fields), groups, others };
}

/** A list of texts reads as one; everything else is what came. */
function writeField(data: Readonly<Record<string, unknown>>, name: string): string {
  const value = data[name];
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isList ? value.join(', ') : fieldText(data, name);
}

function findGroups(name: string, value: unknown): readonly MetricGroup[] {
  if (Array.isArray(value)) return findSeries(name, value);
  if (!isObject(value)) return [];
  const bars = Object.keys(value).map((label) => barOf(value, label, label));
  return bars.length > 0 && bars.every((bar) => bar !== undefined)
    ? [{ name, isSeries: false, bars }]
    : [];
}

/**
 * One group for each number of the records, labelled by their first text. Records with anything
 * else in them stay together as a field: a picture would leave that out.
 */
function findSeries(name: string, list: readonly unknown[]): readonly MetricGroup[] {
  const first = list[0];
  if (!isObject(first) || !list.every(isObject)) return [];
  const fields = Object.keys(first);
  const labelField = fields.find((field) => typeof first[field] === 'string');
  const numbers = fields.filter((field) => field !== labelField);
  const groups = numbers.map((field): MetricGroup | undefined => {
    const bars = list.map((record, index) =>
      barOf(
        record,
        field,
        labelField === undefined ? `${index + 1}` : fieldText(record, labelField),
      ),
    );
    if (!bars.every((bar) => bar !== undefined)) return undefined;
    return { name: `${name}: ${field}`, isSeries: true, bars };
  });
  const isAlike = list.every((record) =>
    Object.keys(record).every((field) => fields.includes(field)),
  );
  return isAlike && groups.every((group) => group !== undefined) ? groups : [];
}

function barOf(holder: object, field: string, label: string): MetricBar | undefined {
  const value: unknown = (holder as Record<string, unknown>)[field];
  if (typeof value !== 'number') return undefined;
  return { label, value, text: fieldText(holder, field) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
