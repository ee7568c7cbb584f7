import { decimalOf } from './decimal.js';

const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/**
 * JSON text of an answer or of a part of it, numbers with every digit that they came with: those that
 * are too long for a double are written from their source text.
 *
 * @param indent - As of `JSON.stringify`. Default: one line.
 */
export function toJsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, keepDigits, indent);
}

function keepDigits(this: object, key: string, item: unknown): unknown {
  if (typeof item !== 'number') return item;
  const exact = decimalOf(this, key);
  return exact === undefined || exact === String(item) ? item : rawJSON(exact);
}

/**
 * A field of an answer as text for people: exact numbers, nested values as JSON, nothing for what is
 * missing or `null`, and `(not exact)` for a number whose exact text is not known.
 */
export function fieldText(row: object, field: string): string {
  const value: unknown = Object.hasOwn(row, field)
    ? (row as Record<string, unknown>)[field]
    : undefined;
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return decimalOf(row, field) ?? '(not exact)';
  return toJsonText(value);
}
