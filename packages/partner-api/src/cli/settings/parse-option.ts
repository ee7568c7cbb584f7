import { InvalidArgumentError } from 'commander';

import { UsageError } from '../exit-codes.js';
import { isTimezone } from '../schedule-words.js';
import { parseExactJson } from './exact-json.js';

export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new InvalidArgumentError('Expected a number of seconds above 0.');
}

export function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number, 0 or more.');
}

export function parseInteger(text: string): number {
  const value = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('Expected a whole number.');
}

export function parseTimezone(text: string): string {
  if (isTimezone(text)) return text;
  throw new InvalidArgumentError('Expected the name of a time zone, such as Europe/London.');
}

/** For options that may be given several times, each with several values parted by commas. */
export function collectNames(text: string, before: readonly string[] = []): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.some((name) => name === '')) throw new InvalidArgumentError('Expected names.');
  return [...before, ...names];
}

/** `name=value`: the value is JSON where it reads as JSON, else text. */
export function collectFields(
  text: string,
  before: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected name=value.');
  return { ...before, [text.slice(0, at)]: parseValue(text.slice(at + 1)) };
}

function parseValue(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof UsageError) throw new InvalidArgumentError(error.message);
    return text;
  }
}
