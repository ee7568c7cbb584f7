import type { Command } from 'commander';

import { TRANSACTION_COLUMNS } from '../../csv.js';
import { fieldText, toJsonText } from '../../decimal.js';
import { endOfPage } from '../../resources/transaction-pages.js';
import type { Transaction } from '../../resources/transaction.js';
import { LIST_TRANSACTIONS, type ListTransactionsParams } from '../../resources/transactions.js';
import {
  addUnreadable,
  NO_UNREADABLE_ROWS,
  unreadableRowsOf,
} from '../../resources/unreadable-rows.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../exit-codes.js';
import {
  addFields,
  collectNames,
  type FieldHelp,
  fieldsOf,
  type GlobalOptions,
} from '../options.js';
import { openConsole } from '../open-console.js';
import { noteRepeatedRows, warnOfUnreadableRows } from '../print-error.js';
import { renderTable, toLocalTime } from '../render.js';
import { escapeControls, toPlainText } from '../terminal.js';
import { addExportCommand, FILTERS, makeCsv, unknownColumn } from './transactions-export.js';

interface ListOptions extends GlobalOptions {
  readonly all?: true;
  readonly columns?: readonly string[];
  readonly csv?: true;
  readonly web?: true;
}

const DEFAULT_COLUMNS: readonly string[] = [
  'transactionTime',
  'id',
  'amount',
  'currencyCode',
  'status',
  'paymentMethod',
  'merchantId',
  'orderRef',
];

/** Which of them matter most, on a terminal that is too narrow for all. */
const BY_RANK: readonly string[] = [
  ...['id', 'transactionTime', 'amount', 'status', 'currencyCode', 'orderRef', 'merchantId'],
  'paymentMethod',
];

const EXAMPLES = `
Times in a table are those of your zone; JSON and CSV have them as the provider sends them.

Examples:
  $ pay-partner transactions list --from-date 2026-03-01 --limit 20
  $ pay-partner transactions list --status REFUND --columns id,amount,amountRefunded
  $ pay-partner transactions list --all --json --columns id,amount,status
  $ pay-partner transactions list --all --json | jq -r 'select(.amount > 100) | .id'`;

/** `transactions list` and `transactions export` (spec 4.1). */
export function addTransactionCommands(program: Command, cli: Cli): void {
  const group = program.command('transactions').description('payment transactions, newest first');
  const page: FieldHelp = {
    limit: ['<rows>', 'rows in a page'],
    cursor: ['<cursor>', 'continue after an earlier page'],
  };
  addFields(group.command('list'), LIST_TRANSACTIONS.request, { ...FILTERS, ...page })
    .description('one page of transactions, or --all of them')
    .option('--all', 'every page; with --json one line for each row')
    .option('--csv', 'CSV on stdout, as of transactions export')
    .option('--web', 'open the list in the partner console instead (PAY_PARTNER_CONSOLE_URL)')
    .option('--columns <names>', 'fields to show, in this order; also with --json', collectNames)
    .addHelpText('after', EXAMPLES)
    .action((_options: ListOptions, command: Command) => list(cli, command));
  addExportCommand(group, cli);
}

/** Only the fields that are wanted, with every digit of their numbers. */
function pick(row: Transaction, { columns }: ListOptions): Transaction {
  if (!columns) return row;
  const others = Object.keys(row).filter((name) => !columns.includes(name));
  return { ...row, ...Object.fromEntries(others.map((name) => [name, undefined])) };
}

/** The same JSON, in which nothing can move a cursor: it may end on a terminal after all. */
function toJsonLine(row: Transaction): string {
  return `${escapeControls(toJsonText(row))}\n`;
}

async function list(cli: Cli, command: Command): Promise<void> {
  const options = command.optsWithGlobals<ListOptions>();
  const params: ListTransactionsParams = fieldsOf(LIST_TRANSACTIONS.request, options);
  if (options.web === true) {
    const { cursor: _, limit: __, ...filters } = params;
    openConsole(cli, '/transactions', filters);
    return;
  }
  const { client } = await cli.open(command);
  const { terminal } = cli;
  const { signal } = cli.context;
  if (options.csv === true && options.json === true) {
    throw new UsageError('Give --csv or --json, not both.');
  }
  const csv = options.csv === true ? makeCsv(options.columns) : undefined;
  let isFirst = true;
  const print = async (rows: readonly Transaction[]): Promise<void> => {
    if (csv !== undefined) await terminal.write((isFirst ? csv.header : '') + csv.toText(rows));
    isFirst = false;
  };
  if (options.all === true) {
    let unreadable = NO_UNREADABLE_ROWS;
    let repeatedRows = 0;
    try {
      for await (const page of client.transactions.pages(params, { signal })) {
        unreadable = addUnreadable(unreadable, unreadableRowsOf(page), page.cursor);
        repeatedRows += page.repeatedRows;
        const { transactions } = page.data;
        if (csv !== undefined) await print(transactions);
        else if (options.json !== true) showTable(cli, transactions, options);
        else
          await terminal.write(transactions.map((row) => toJsonLine(pick(row, options))).join(''));
      }
    } finally {
      warnOfUnreadableRows(terminal, unreadable);
      noteRepeatedRows(terminal, repeatedRows);
    }
    return;
  }
  const page = await client.transactions.list(params, { signal });
  const unreadable = unreadableRowsOf(page);
  warnOfUnreadableRows(terminal, addUnreadable(NO_UNREADABLE_ROWS, unreadable, params.cursor));
  if (options.json === true) {
    const transactions = page.data.transactions.map((row) => pick(row, options));
    return terminal.printJson({ ...page, data: { ...page.data, transactions } });
  }
  if (csv === undefined) showTable(cli, page.data.transactions, options);
  else await print(page.data.transactions);
  const end = endOfPage(page);
  if (end.kind === 'more') {
    terminal.note(`There is more: --cursor '${toPlainText(end.cursor)}', or --all.`);
  }
  if (end.kind === 'incomplete') {
    terminal.warn('Warning: there may be more rows; the answer does not say how to request them.');
  }
}

function showTable(
  { terminal }: Cli,
  rows: readonly Transaction[],
  { columns: chosen }: ListOptions,
): void {
  const columns = chosen ?? DEFAULT_COLUMNS;
  if (rows.length === 0) return terminal.note('No transactions.');
  for (const name of columns) {
    if (!TRANSACTION_COLUMNS.includes(name) && !rows.some((row) => Object.hasOwn(row, name))) {
      throw unknownColumn(name);
    }
  }
  const textOf = (row: Transaction, column: string): string =>
    terminal.isRead ? toLocalTime(fieldText(row, column)) : fieldText(row, column);
  const texts = rows.map((row) => columns.map((column) => textOf(row, column)));
  const titles = columns.map((title, at) => {
    const isNumber = rows.some(
      (row) => typeof (row as Record<string, unknown>)[title] === 'number',
    );
    const rank = chosen ? at : BY_RANK.indexOf(title);
    return { title, align: isNumber ? ('right' as const) : ('left' as const), rank };
  });
  terminal.print(...renderTable(titles, texts, terminal.tableWidth));
}
