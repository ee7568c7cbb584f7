import { type Command, Option } from 'commander';

import { TRANSACTION_COLUMNS, TransactionCsv, type TransactionCsvOptions } from '../../csv.js';
import { isPartnerApiError } from '../../errors.js';
import { LIST_TRANSACTIONS, type ListTransactionsParams } from '../../resources/transactions.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../exit-codes.js';
import { ExportFile } from '../export-file.js';
import {
  addFields,
  collectNames,
  type FieldHelp,
  fieldsOf,
  type GlobalOptions,
  parseCount,
} from '../options.js';
import { warnOfUnreadableRows } from '../print-error.js';
import {
  chooseFormat,
  type ExportFormat,
  type ExportJob,
  type SaveOptions,
  type FormatName,
  makeFormat,
  runExport,
  streamExport,
} from '../run-export.js';
import { type Terminal, toPlainText } from '../terminal.js';
import { formatBytes, formatCount } from '../render.js';

interface ExportOptions extends GlobalOptions {
  readonly output: string;
  readonly format?: FormatName;
  readonly columns?: readonly string[];
  readonly extra: boolean;
  readonly formulas: 'guard' | 'keep';
  readonly pageSize: number;
  readonly checkpointSeconds: number;
  readonly restart?: true;
  readonly overwrite?: true;
}

const HELP = `
Rows go to <file>.partial, which is renamed when it is complete. After Ctrl-C or a crash, the same
command resumes where it stopped, and the file is the same byte for byte, as long as the provider
accepts the cursor and the data has not changed. Give --to-date, so that payments of today do not
change it. While it runs, <file>.lock keeps a second export away from the file.

CSV is RFC 4180 in UTF-8: the fields of the specification in its order, then "extra" with all
other fields as JSON. Amounts keep every digit. Texts that begin with = + - @ get an
apostrophe before them, because spreadsheets would run them; --formulas keep leaves them as they are.

Examples:
  $ pay-partner transactions export --from-date 2026-01-01 --to-date 2026-03-31 --output q1.csv
  $ pay-partner transactions export --output all.ndjson
  $ pay-partner transactions export --format csv --columns id,amount,status --output - | gzip > t.gz`;

const PAGE_SIZE = 1000;
/** Answers to an old cursor: the provider's document shows none, so any that is about the request. */
const ABOUT_THE_KEY = new Set([401, 403, 408, 425, 429]);

/** `transactions export`: a list of any length as a file. */
export function addExportCommand(group: Command, cli: Cli): void {
  addFields(group.command('export'), LIST_TRANSACTIONS.request, FILTERS)
    .description('all transactions of a range as CSV or NDJSON; can be interrupted and resumed')
    .requiredOption('-o, --output <file>', 'where to write, - for stdout')
    .addOption(
      new Option('--format <name>', 'default: what the name of the file says').choices([
        'csv',
        'ndjson',
      ]),
    )
    .option('--columns <names>', 'CSV: these fields, in this order', collectNames)
    .option('--no-extra', 'CSV: leave out the column of other fields')
    .addOption(
      new Option('--formulas <how>', 'CSV: texts that spreadsheets would run')
        .choices(['guard', 'keep'])
        .default('guard'),
    )
    .option('--page-size <rows>', 'rows in a request', parseCount, PAGE_SIZE)
    .option(
      '--checkpoint-seconds <seconds>',
      'seconds of work that a crash may lose',
      parseCount,
      1,
    )
    .option('--restart', 'start over instead of resuming')
    .option('--overwrite', 'replace a file of that name')
    .addHelpText('after', HELP)
    .action((_options: ExportOptions, command: Command) => exportTransactions(cli, command));
}

async function exportTransactions(cli: Cli, command: Command): Promise<void> {
  const options = command.optsWithGlobals<ExportOptions>();
  const { terminal } = cli;
  const { signal } = cli.context;
  const csv = csvOptionsOf(options.columns, options.extra, options.formulas === 'guard');
  const name = chooseFormat(options.format, options.output);
  if (name !== 'csv' && options.columns !== undefined) {
    throw new UsageError('--columns is for CSV: NDJSON holds every field as it came.');
  }
  const format = makeFormat(name, csv);
  const filters: ListTransactionsParams = fieldsOf(LIST_TRANSACTIONS.request, options);
  const params = { ...filters, limit: options.pageSize };
  const { client, connection } = await cli.open(command);
  // Filters that cannot be right are refused before there is anything to leave behind.
  client.transactions.iterate(params);
  const job = { client, params, format, signal, terminal };
  if (options.output === '-') {
    const { summary, unreadable } = await streamExport(job);
    warnOfUnreadableRows(terminal, unreadable);
    warnOfInexactNumbers(terminal, format);
    return terminal.note(summary);
  }
  const request = JSON.stringify({
    address: connection.addresses.baseUrl,
    format: name,
    ...(name === 'csv' ? csv : {}),
    filters,
  });
  const file = await ExportFile.open({
    output: options.output,
    request,
    restart: options.restart === true,
    overwrite: options.overwrite === true,
  });
  if (file === undefined) return terminal.note(`${options.output} is whole already.`);
  const save = { request, checkpointSeconds: options.checkpointSeconds };
  await exportToFile(cli, job, file, save, { format: name, json: options.json === true });
}

async function exportToFile(
  cli: Cli,
  job: ExportJob,
  file: ExportFile,
  save: SaveOptions,
  { format, json }: { format: FormatName; json: boolean },
): Promise<void> {
  const { terminal } = cli;
  const { output, resumed } = file;
  if (resumed !== undefined) {
    terminal.note(`Going on after ${formatCount(resumed.rows)} rows of ${output}.`);
  }
  try {
    const { rows, bytes, reached, summary, unreadable } = await runExport(job, file, save);
    warnOfUnreadableRows(terminal, unreadable);
    warnOfInexactNumbers(terminal, job.format);
    if (json)
      terminal.printJson({ output, format, rows, unreadable: unreadable.count, bytes, reached });
    else terminal.note(`${output}: ${summary}, ${formatBytes(bytes)}.`);
  } catch (error) {
    await file.close().catch(() => undefined);
    tellHowToGoOn(cli, job.params, file, error);
    throw error;
  }
}

function warnOfInexactNumbers(terminal: Terminal, { inexactNumbers }: ExportFormat): void {
  if (inexactNumbers === 0) return;
  terminal.warn(`Warning: ${inexactNumbers} numbers have no exact text; their cells are empty.`);
}

function tellHowToGoOn(
  { terminal, context }: Cli,
  params: ListTransactionsParams,
  { output, bytes, saved }: ExportFile,
  error: unknown,
): void {
  if (!isPartnerApiError(error)) return;
  const size = `${formatBytes(bytes)} in ${output}.partial`;
  const { status = 0 } = error;
  const isAboutCursor = error.outcome === 'refused' && status >= 400 && !ABOUT_THE_KEY.has(status);
  if (context.signal.aborted) {
    terminal.warn(`Kept ${size}. The same command goes on there.`);
  } else if (isAboutCursor && saved !== undefined && saved.rows > 0) {
    const upTo = toPlainText(saved.reached ?? '');
    terminal.warn(
      `The provider no longer takes the cursor of the checkpoint (${status}); how long it takes ` +
        `one is not shown. What there is stays in ${output}.partial (${formatCount(saved.rows)} ` +
        `rows, back to ${upTo || 'an unknown time'}). Start again with --restart, or export what is ` +
        `missing into another file with --to-date ${upTo.slice(0, 10) || '<day>'} and drop the ids ` +
        `that you have${params.toDate === undefined ? '' : ` (instead of ${params.toDate})`}.`,
    );
  } else {
    terminal.warn(`Kept ${size}. The same command goes on there.`);
  }
}

export function unknownColumn(name: string): UsageError {
  const names = TRANSACTION_COLUMNS.join(', ');
  return new UsageError(
    `--columns: a transaction has no field ${name}; there are ${names}, extra.`,
  );
}

/** `extra` is a column, too: all fields without one of their own. */
function csvOptionsOf(
  names: readonly string[] | undefined,
  extra: boolean,
  guardFormulas: boolean,
): Required<TransactionCsvOptions> {
  const unknown = names?.find((name) => name !== 'extra' && !TRANSACTION_COLUMNS.includes(name));
  if (unknown !== undefined) throw unknownColumn(unknown);
  return {
    columns: names?.filter((name) => name !== 'extra') ?? TRANSACTION_COLUMNS,
    extra: names?.includes('extra') ?? extra,
    guardFormulas,
  };
}

/** The CSV of `transactions list --csv`. */
export function makeCsv(names: readonly string[] | undefined): TransactionCsv {
  return new TransactionCsv(csvOptionsOf(names, true, true));
}

/** Filters that list and export share (spec 4.1). */
export const FILTERS: FieldHelp = {
  fromDate: ['<day>', 'first day, YYYY-MM-DD'],
  toDate: ['<day>', 'last day, YYYY-MM-DD'],
  status: ['<names>', 'SUCCESS or REFUND (rows then say REFUNDED)'],
  merchantId: ['<id>', 'only this merchant'],
  resellerId: ['<id>', 'only this reseller'],
  timezone: ['<name>', 'zone that the days are in, such as Europe/London'],
};
