import type { Command } from 'commander';

import { OPERATIONS, type PartnerClient } from '../client.js';
import { type InvalidRequestError, isPartnerApiError, type PartnerApiError } from '../errors.js';
import { Addresses } from '../http/addresses.js';
import type { UnreadableRows } from '../resources/unreadable-rows.js';
import type { Cli } from './cli.js';
import {
  type Aftermath,
  aftermathOf,
  EXIT,
  exitCodeOf,
  InterruptedError,
  LocalError,
  UsageError,
} from './exit-codes.js';
import type { GlobalOptions } from './options.js';
import { formatCount } from './render.js';
import { type Terminal, toPlainText } from './terminal.js';

const AFTERMATH_WORDS: Readonly<Record<Aftermath, string>> = {
  refused: 'The provider did nothing.',
  nothing_sent: 'Nothing was sent. You may repeat it.',
  nothing_changed: 'It only reads. You may repeat it.',
  may_be_set: 'It may have been carried out. You may repeat it: the result is the same.',
  may_exist: 'It may have been carried out. Do not repeat it blindly.',
};

/** Says on stderr why a command failed, and gives its exit code. */
export function printError(
  error: unknown,
  cli: Cli,
  options: GlobalOptions,
  command?: Command,
): number {
  const { terminal } = cli;
  const exitCode = codeFor(error);
  const hint = isPartnerApiError(error) ? hintFor(error, cli) : undefined;
  terminal.progress('');
  if (options.json === true) {
    terminal.warn(JSON.stringify({ error: { ...describe(error), hint, exitCode } }));
  } else if (exitCode === EXIT.interrupted) {
    terminal.warn('Stopped.');
  } else {
    terminal.warn(`Error: ${messageOf(error, command)}`);
    if (isPartnerApiError(error)) printDetails(error, terminal);
    if (hint !== undefined) terminal.warn(hint);
  }
  if (options.showBody === true && isPartnerApiError(error)) {
    const body = error.rawBody();
    if (body !== undefined) terminal.warn(`Body of the answer:\n${toPlainText(body)}`);
  }
  return exitCode;
}

function codeFor(error: unknown): number {
  if (isPartnerApiError(error)) return exitCodeOf(error);
  if (error instanceof InterruptedError) return EXIT.interrupted;
  return error instanceof UsageError ? EXIT.usage : EXIT.local;
}

function describe(error: unknown): object {
  if (isPartnerApiError(error)) {
    return { ...error.toJSON(), providerMessage: error.providerMessage };
  }
  return { name: error instanceof Error ? error.name : 'Error', message: messageOf(error) };
}

/** Messages of the client and of ours hold no secret; of others only the name is shown. */
function messageOf(error: unknown, command?: Command): string {
  if (isPartnerApiError(error)) return toPlainText(withOptionName(error, command));
  if (error instanceof UsageError || error instanceof LocalError) return error.message;
  if (error instanceof InterruptedError) return error.message;
  const name = error instanceof Error ? error.name : typeof error;
  const at = error instanceof Error ? (error.stack?.split('\n')[1]?.trim() ?? '') : '';
  return `something unexpected happened (${name} ${at}). This is a bug in pay-partner.`;
}

/** Options whose names differ from what they set. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  limit: 'pageSize',
  timeoutSeconds: 'timeout',
  maxRetries: 'retries',
};

/** The client speaks of its fields and options; on a command line they have other names. */
function withOptionName(error: PartnerApiError, command: Command | undefined): string {
  const { message } = error;
  const { field } = error as Partial<InvalidRequestError>;
  const flag = field === undefined ? undefined : flagOf(field, command);
  if (flag !== undefined) return message.replace(`: ${field} `, `: ${flag} `);
  return message.replace(
    /\b(baseUrl|merchantsBaseUrl|transfersBaseUrl|apiKey)\b/g,
    (name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
  );
}

function flagOf(field: string, command: Command | undefined): string | undefined {
  const name = field
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
    .replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  const options = [...(command?.options ?? []), ...(rootOf(command)?.options ?? [])];
  const find = (wanted: string | undefined): string | undefined =>
    options.find((option) => option.attributeName() === wanted)?.long ?? undefined;
  return find(name) ?? find(Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined);
}

function rootOf(command: Command | undefined): Command | undefined {
  return command?.parent ? rootOf(command.parent) : command;
}

function printDetails(error: PartnerApiError, terminal: Terminal): void {
  const { name, attempt, requestId, retryAfterSeconds, providerMessage } = error;
  if (name === 'InvalidRequestError') return;
  if (providerMessage !== undefined) {
    terminal.warn(`The provider says: ${toPlainText(providerMessage)}`);
  }
  const details = [
    name,
    attempt > 1 ? `${attempt} attempts` : undefined,
    requestId === undefined ? undefined : `request id ${requestId}`,
    retryAfterSeconds === undefined ? undefined : `try again in ${retryAfterSeconds} s`,
  ].filter((detail) => detail !== undefined);
  terminal.warn(`${AFTERMATH_WORDS[aftermathOf(error)]} (${details.join(', ')})`);
}

const BASE_FLAGS = {
  api: ['--base-url', 'PAY_PARTNER_BASE_URL'],
  merchants: ['--merchants-base-url', 'PAY_PARTNER_MERCHANTS_BASE_URL'],
  transfers: ['--transfers-base-url', 'PAY_PARTNER_TRANSFERS_BASE_URL'],
} as const;

/** What to check after a 401 or a 404: the key and where it came from, or the address in use. */
function hintFor({ name, operation }: PartnerApiError, { opened }: Cli): string | undefined {
  if (opened === undefined) return undefined;
  const base = OPERATIONS.find((one) => one.name === operation)?.base ?? 'api';
  if (name === 'AuthenticationError') {
    return base === 'transfers'
      ? 'Scheduled transfers carry the key of --transfers-api-key-file, or none. Does yours need one?'
      : `The key came from ${opened.apiKey.from}. Set another one with PAY_PARTNER_API_KEY, ` +
          '--api-key-file, or: pay-partner profiles set <name> --store-key';
  }
  if (name !== 'NotFoundError') return undefined;
  const [flag, variable] = BASE_FLAGS[base];
  const address = new Addresses(opened.connection.addresses).textOf(base);
  return `The address in use is ${address}. Is its path prefix right? Set it with ${flag} or ${variable}.`;
}

/** Says in one line on stderr that answers differed from the provider's document. */
export function noteDrift(client: PartnerClient, terminal: Terminal): void {
  const operations = Object.values(client.driftReport());
  const unlisted = operations.flatMap(({ unknownFields }) => Object.keys(unknownFields));
  const ofOtherType = operations.flatMap(({ unexpectedTypes }) => Object.keys(unexpectedTypes));
  if (unlisted.length + ofOtherType.length === 0) return;
  terminal.note(
    `Drift: ${unlisted.length} fields that the provider's document does not list, ` +
      `${ofOtherType.length} of another type. List them with: pay-partner conformance`,
  );
}

/** Reports on stderr how many rows were duplicates. */
export function noteRepeatedRows(terminal: Terminal, count: number): void {
  if (count === 0) return;
  const rows = count === 1 ? '1 row' : `${formatCount(count)} rows`;
  terminal.note(`${rows} came twice, because the list grew: left out once.`);
}

/** Says on stderr how many rows could not be read, and where the first of them stood. */
export function warnOfUnreadableRows(terminal: Terminal, { count, first }: UnreadableRows): void {
  if (count === 0) return;
  const places = first.map(({ cursor, index, kind }) => {
    const page = cursor === undefined ? 'the first page' : `--cursor '${toPlainText(cursor)}'`;
    return `index ${index} of ${page} (${kind})`;
  });
  if (count > first.length) places.push(`${formatCount(count - first.length)} more`);
  const rows =
    count === 1
      ? '1 row is no object and was'
      : `${formatCount(count)} rows are no objects and were`;
  terminal.warn(
    `Warning: ${rows} left out; nothing is known of what they are about: ${places.join(', ')}.`,
  );
}
