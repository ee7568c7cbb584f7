import type { Command } from 'commander';

import { isPartnerApiError, type InvalidRequestError, type PartnerApiError } from '../errors.js';
import { EXIT, exitCodeOf, InterruptedError, LocalError, UsageError } from './exit-codes.js';
import { toPlainText } from './output/plain-text.js';
import type { Terminal } from './output/terminal.js';
import type { GlobalOptions } from './settings/global-options.js';

const OUTCOME_WORDS = {
  not_sent: 'Nothing was sent.',
  refused: 'The provider did nothing.',
  unknown: 'It is not known whether it was carried out.',
} as const;

/** Says on stderr why a command failed, and gives its exit code. */
export function tellError(
  error: unknown,
  terminal: Terminal,
  options: GlobalOptions,
  command?: Command,
): number {
  const exitCode = codeFor(error);
  terminal.progress('');
  if (options.json === true) {
    terminal.warn(JSON.stringify({ error: { ...describe(error), exitCode } }));
  } else if (exitCode === EXIT.interrupted) {
    terminal.warn('Stopped.');
  } else {
    terminal.warn(`Error: ${messageOf(error, command)}`);
    if (isPartnerApiError(error)) tellDetails(error, terminal);
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
  if (isPartnerApiError(error)) return error.toJSON();
  return { name: error instanceof Error ? error.name : 'Error', message: messageOf(error) };
}

/** Messages of the client and of ours hold no secret; of others only the name is told. */
function messageOf(error: unknown, command?: Command): string {
  if (isPartnerApiError(error)) return toPlainText(withOptionName(error, command));
  if (error instanceof UsageError || error instanceof LocalError) return error.message;
  if (error instanceof InterruptedError) return error.message;
  const name = error instanceof Error ? error.name : typeof error;
  const at = error instanceof Error ? (error.stack?.split('\n')[1]?.trim() ?? '') : '';
  return `something unexpected happened (${name} ${at}). This is a mistake of pay-partner.`;
}

/** Options that are called otherwise than what they set. */
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

function tellDetails(error: PartnerApiError, terminal: Terminal): void {
  const { name, outcome, attempt, requestId, retryAfterSeconds } = error;
  if (name === 'InvalidRequestError') return;
  const details = [
    name,
    attempt > 1 ? `${attempt} attempts` : undefined,
    requestId === undefined ? undefined : `request id ${requestId}`,
    retryAfterSeconds === undefined ? undefined : `try again in ${retryAfterSeconds} s`,
  ].filter((detail) => detail !== undefined);
  terminal.warn(`${OUTCOME_WORDS[outcome]} (${details.join(', ')})`);
}
