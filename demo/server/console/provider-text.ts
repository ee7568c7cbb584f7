/** What the provider sent, as text for people: exact numbers, and every field that came. */
import { decimalOf } from '@pay-checkout/partner-api';
import type { ProviderFields } from '../../shared/console-view.js';

const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** All fields of an object, in its order. */
export function toFields(holder: object): ProviderFields {
  return Object.fromEntries(Object.keys(holder).map((name) => [name, fieldText(holder, name)]));
}

/** The same without fields that are shown in another place. */
export function otherFields(holder: object, shown: readonly string[]): ProviderFields {
  return Object.fromEntries(
    Object.entries(toFields(holder)).filter(([name]) => !shown.includes(name)),
  );
}

/** One field; nothing for what is missing or `null`. A number that is not known exactly says so. */
export function fieldText(holder: object, field: string): string {
  const value: unknown = (holder as Record<string, unknown>)[field];
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return decimalOf(holder, field) ?? '(not exact)';
  return JSON.stringify(value, keepDigits);
}

/** Numbers that are too long for a double are written from the text that came. */
function keepDigits(this: object, key: string, item: unknown): unknown {
  if (typeof item !== 'number') return item;
  const exact = decimalOf(this, key);
  return exact === undefined || exact === String(item) ? item : rawJSON(exact);
}
