import * as z from 'zod';
import { type Command, InvalidArgumentError, Option } from 'commander';

import { countSignificantDigits, EXACT_DIGITS } from '../decimal.js';
import { UsageError } from './exit-codes.js';
import { readInput, type Stdin } from './files.js';
import { isTimezone } from './schedule-words.js';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly config?: string;
  readonly baseUrl?: string;
  readonly environment?: string;
  readonly merchantsBaseUrl?: string;
  readonly transfersBaseUrl?: string;
  readonly apiKey?: string;
  readonly apiKeyFile?: string;
  readonly transfersApiKeyFile?: string;
  readonly timeout?: number;
  readonly retries?: number;
  readonly validation?: 'off' | 'warn' | 'strict';
  readonly json?: true;
  readonly quiet?: true;
  readonly verbose?: true;
  readonly showBody?: true;
}

export function addGlobalOptions(program: Command): void {
  program
    .option('-p, --profile <name>', 'profile to use (or PAY_PARTNER_PROFILE, or the default one)')
    .option('--config <file>', 'file with the profiles (or PAY_PARTNER_CONFIG, or the XDG path)')
    .option('--base-url <url>', 'address of the API (or PAY_PARTNER_BASE_URL)')
    .addOption(
      new Option(
        '--environment <name>',
        'environment of that address (or PAY_PARTNER_ENVIRONMENT)',
      ).choices(['sandbox', 'production']),
    )
    .option(
      '--merchants-base-url <url>',
      'address of the merchants interface, with its path prefix (or PAY_PARTNER_MERCHANTS_BASE_URL)',
    )
    .option(
      '--transfers-base-url <url>',
      'address of scheduled transfers (or PAY_PARTNER_TRANSFERS_BASE_URL; in the sandbox the host of the API)',
    )
    .option(
      '--api-key-file <file>',
      'file that holds the API key, - for stdin (or PAY_PARTNER_API_KEY, or the profile, or a hidden prompt)',
    )
    .option('--api-key <key>', 'the key itself; other users can see it in the process list')
    .option(
      '--transfers-api-key-file <file>',
      'key to send with scheduled transfers (default: none is sent, as the provider shows it)',
    )
    .option('--timeout <seconds>', 'limit of a whole call (default 30)', parseSeconds)
    .option('--retries <count>', 'retries, where it is safe to retry (default 2)', parseCount)
    .addOption(
      new Option(
        '--validation <how>',
        'how to treat answers that differ from the specification (default warn)',
      ).choices(['off', 'warn', 'strict']),
    )
    .option('--json', 'print JSON on stdout, one line for each row of a list; all else on stderr')
    .option('-q, --quiet', 'only errors and warnings on stderr')
    .option('-v, --verbose', 'print every attempt on stderr: no bodies, no keys')
    .option(
      '--show-body',
      'print the body of an error response on stderr; it may hold personal data',
    );
}

/** What a field takes and what it is, and its default, by the provider's name of the field. */
export type FieldHelp = Readonly<
  Record<string, readonly [placeholder: string, help: string, byDefault?: string]>
>;

/** Adds an option for each of these fields of a request, of its type: `AvsPostcode`, `--avs-postcode`. */
export function addFields(command: Command, request: z.ZodObject, help: FieldHelp): Command {
  for (const [name, [placeholder, text, byDefault]] of Object.entries(help)) {
    const type = withoutWrappers(request.shape[name]);
    const isNumber = type instanceof z.ZodNumber;
    const takes = placeholder || (isNumber ? '<number>' : '<text>');
    const option = new Option(`--${dashed(name)} ${takes}`, text).default(byDefault);
    if (isNumber) option.argParser(parseInteger);
    if (type instanceof z.ZodArray) option.argParser(collectNames);
    command.addOption(option);
  }
  return command;
}

/** The fields of a request that were given as options, by the provider's names. */
export function fieldsOf(request: z.ZodObject, options: object): Record<string, unknown> {
  const given = new Map(Object.entries(options));
  return Object.fromEntries(
    Object.keys(request.shape).flatMap((name) => {
      const value: unknown = given.get(new Option(`--${dashed(name)}`).attributeName());
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function withoutWrappers(schema: unknown): unknown {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly;
  return isWrapped ? withoutWrappers(schema.unwrap()) : schema;
}

function dashed(field: string): string {
  return field
    .replaceAll('_', '-')
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase();
}

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

/** `name=value`: the value is JSON where it reads as JSON, otherwise text. */
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

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;
/** As it is where the platform gives the text of each number. */
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

/**
 * Reads JSON that a person wrote to be sent.
 *
 * @throws {UsageError} when a number in it would lose digits on its way, or it has too many levels
 * @throws {SyntaxError} when it is no JSON
 */
export function parseExactJson(text: string): unknown {
  try {
    return parseWithSource(text, refuseLongNumber);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError('The JSON has too many levels to be sent.', { cause: error });
  }
}

/** The JSON object in a file, `-` for stdin. */
export async function readBody(file: string, from: Stdin): Promise<object> {
  const text = await readInput(file, from);
  try {
    const body = parseExactJson(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // Reported below, like any other text that is no object.
  }
  throw new UsageError(`${file === '-' ? 'stdin' : file} does not hold a JSON object.`);
}

const refuseLongNumber: Reviver = (_key, value, context) => {
  if (typeof value === 'number' && !keepsDigits(value, context?.source ?? String(value))) {
    throw new UsageError(
      'A number of more than 15 digits would be changed on its way: write it as a text, in quotes.',
    );
  }
  return value;
};

function keepsDigits(value: number, source: string): boolean {
  const [digits = ''] = source.split(/e/i);
  return Number.isFinite(value) && countSignificantDigits(digits) <= EXACT_DIGITS;
}
