import type { Command } from 'commander';

import { isPartnerApiError } from '../../errors.js';
import type { PartnerClient } from '../../client.js';
import type { DriftReport } from '../../http/reply.js';
import { endOfPage } from '../../resources/transaction-pages.js';
import type { Transaction } from '../../resources/transaction.js';
import type { Cli } from '../cli.js';
import {
  type ConformanceCheck,
  type ConformanceTarget,
  Deviation,
  OTHER_READ_CHECKS,
  Skipped,
  TRANSACTION_CHECKS,
  WRITE_CHECKS,
} from '../conformance-checks.js';
import { EXIT, throwIfInterrupted } from '../exit-codes.js';
import type { GlobalOptions } from '../options.js';
import { type Terminal, toPlainText } from '../terminal.js';

interface ConformanceOptions extends GlobalOptions {
  readonly write?: true;
  readonly strict?: true;
  readonly merchantId?: string;
  readonly partnerName?: string;
  readonly scheduleId?: string;
  readonly webhookUrl?: string;
  readonly keyFile?: string;
}

const HELP = `
The same checks run against the sandbox and the real provider, whichever the address names. Without
--write they only read. With --write they create a session (never paid), extend a signup link,
activate a schedule and create a webhook (which stays). The drift report counts fields that the
specification does not list and fields of another type; it quotes no values.

Exit code 5: something deviates or could not be checked, or a field has another type; with --strict
also if there are fields that the specification does not list.

Examples:
  $ pay-partner conformance --partner-name harbour-lane
  $ pay-partner conformance --write --merchant-id 1001 --schedule-id sch_1001_daily --json`;

const NEWEST = 50;

/** `conformance`: whether the provider does what its document says. */
export function addConformanceCommand(program: Command, cli: Cli): void {
  program
    .command('conformance')
    .description('compare the provider with its specification; read-only by default')
    .option('--write', 'also run checks that change something')
    .option('--strict', 'treat unlisted fields as failures too')
    .option('--merchant-id <id>', 'merchant to use')
    .option('--partner-name <name>', 'partner whose analytics to read')
    .option('--schedule-id <id>', 'report schedule to activate')
    .option('--webhook-url <url>', 'address of the webhook to create')
    .option('--key-file <file>', 'new file for the key of that webhook')
    .addHelpText('after', HELP)
    .action((_options: ConformanceOptions, command: Command) => conform(cli, command));
}

async function conform(cli: Cli, command: Command): Promise<void> {
  const options = command.optsWithGlobals<ConformanceOptions>();
  const { client } = await cli.open(command);
  const { signal } = cli.context;
  const { merchantId, partnerName, scheduleId, webhookUrl, keyFile } = options;
  const given = { merchantId, partnerName, scheduleId, webhookUrl, keyFile };
  const { newest, ...first } = await readFirstPage(client, signal);
  const target: ConformanceTarget = { client, signal, newest, ...given };
  const checks = [...TRANSACTION_CHECKS, ...OTHER_READ_CHECKS, ...WRITE_CHECKS];
  const results: CheckResult[] = [first];
  if (options.json !== true) printResult(cli.terminal, first);
  for await (const result of runChecks(checks, target, options.write === true)) {
    results.push(result);
    if (options.json !== true) printResult(cli.terminal, result);
  }
  const drift = client.driftReport();
  if (!conforms(results, drift, options.strict === true)) cli.exitCode = EXIT.checksFailed;
  if (options.json === true) return cli.terminal.printJson({ results, drift });
  printDrift(cli.terminal, drift);
  const count = (kind: CheckResult['result']): number =>
    results.filter(({ result }) => result === kind).length;
  cli.terminal.note(
    `${count('conforms')} conform, ${count('deviates')} deviate, ${count('error')} in error, ` +
      `${count('skipped')} skipped.`,
  );
}

/** The page that other checks build on. A provider that does not answer at all is an error. */
async function readFirstPage(
  client: PartnerClient,
  signal: AbortSignal,
): Promise<CheckResult & { readonly newest: readonly Transaction[] }> {
  const check = { section: '4.1', title: 'gives a page, and says whether more follows' } as const;
  try {
    const page = await client.transactions.list({ limit: NEWEST }, { signal });
    const end = endOfPage(page);
    const newest = page.data.transactions;
    if (end.kind !== 'incomplete') return { ...check, kind: 'read', result: 'conforms', newest };
    return { ...check, kind: 'read', result: 'deviates', reason: end.problem, newest };
  } catch (error) {
    if (!isPartnerApiError(error) || error.name !== 'InvalidResponseError') throw error;
    return { ...check, kind: 'read', result: 'deviates', reason: error.message, newest: [] };
  }
}

function conforms(results: readonly CheckResult[], drift: DriftReport, strict: boolean): boolean {
  const hasFailed = results.some(({ result }) => result === 'deviates' || result === 'error');
  const operations = Object.values(drift);
  const hasTypes = operations.some((one) => Object.keys(one.unexpectedTypes).length > 0);
  const hasFields = operations.some((one) => Object.keys(one.unknownFields).length > 0);
  return !hasFailed && !hasTypes && !(strict && hasFields);
}

function printResult(terminal: Terminal, { section, title, result, reason }: CheckResult): void {
  const why = reason === undefined ? '' : ` (${toPlainText(reason)})`;
  terminal.print(`${terminal.mark(result)}  ${section}  ${title}${why}`);
}

function printDrift(terminal: Terminal, drift: DriftReport): void {
  const lines = Object.entries(drift).flatMap(([operation, one]) => [
    `${operation} (${one.answers} answers)`,
    ...Object.entries(one.unknownFields).map(
      ([at, times]) => `  not listed: ${at}, ${times} times`,
    ),
    ...Object.entries(one.unexpectedTypes).map(
      ([at, times]) => `  another type: ${at}, ${times} times`,
    ),
  ]);
  terminal.print('', 'Drift from the document', ...(lines.length === 0 ? ['none'] : lines));
}

/** How a check ended. `deviates`: the provider does not do it; `error`: it could not be checked. */
export interface CheckResult {
  readonly section: string;
  readonly title: string;
  readonly kind: 'read' | 'write';
  readonly result: 'conforms' | 'deviates' | 'error' | 'skipped';
  readonly reason?: string;
}

/** Runs checks one after the other; a failing one does not end the others. */
export async function* runChecks(
  checks: readonly ConformanceCheck[],
  target: ConformanceTarget,
  allowsWrites: boolean,
): AsyncGenerator<CheckResult> {
  for (const { section, title, kind, run } of checks) {
    throwIfInterrupted(target.signal);
    const facts = { section, title, kind };
    if (kind === 'write' && !allowsWrites) {
      yield { ...facts, result: 'skipped', reason: 'it changes something: give --write' };
      continue;
    }
    try {
      await run(target);
      yield { ...facts, result: 'conforms' };
    } catch (error) {
      yield { ...facts, ...resultOf(error) };
    }
  }
}

function resultOf(error: unknown): Pick<CheckResult, 'result' | 'reason'> {
  if (error instanceof Skipped) return { result: 'skipped', reason: error.message };
  if (error instanceof Deviation) return { result: 'deviates', reason: error.message };
  if (!isPartnerApiError(error)) throw error;
  if (error.name === 'CallAbortedError') throw error;
  const { name, message } = error;
  if (name === 'InvalidRequestError') return { result: 'skipped', reason: message };
  const isShape = ['InvalidResponseError', 'PaginationError', 'NotFoundError'].includes(name);
  return { result: isShape ? 'deviates' : 'error', reason: message };
}
