import type { Command } from 'commander';

import { fieldText } from '../../decimal.js';
import type { ScheduledTransfer } from '../../resources/scheduled-transfers.js';
import type { Cli } from '../cli.js';
import { type GlobalOptions, parseTimezone, readBody } from '../options.js';
import { renderTable } from '../render.js';
import { describeSchedule } from '../schedule-words.js';

interface ListOptions extends GlobalOptions {
  readonly body?: string;
  readonly scheduleTimezone: string;
}

const HELP = `
No key is sent unless --transfers-api-key-file or PAY_PARTNER_TRANSFERS_API_KEY is set. The
specification shows neither a key nor the time zone of a schedule, nor what a body does: with --body
the request is sent once and never repeated.

Examples:
  $ pay-partner transfers list 1001
  $ pay-partner transfers list 1001 --schedule-timezone Europe/London --json`;

/** `transfers list` (spec 4.4). */
export function addTransferCommands(program: Command, cli: Cli): void {
  const group = program.command('transfers').description('scheduled transfers');
  group
    .command('list')
    .description('scheduled transfers of a merchant, with their schedules in words')
    .argument('<mid>', 'the merchant')
    .option('--body <file>', 'file with a JSON body to send with the GET, - for stdin')
    .option('--schedule-timezone <name>', 'zone to read schedules in', parseTimezone, 'UTC')
    .addHelpText('after', HELP)
    .action((mid: string, _options: ListOptions, command: Command) => list(cli, mid, command));
}

async function list(cli: Cli, mid: string, command: Command): Promise<void> {
  const options = command.optsWithGlobals<ListOptions>();
  const body = options.body === undefined ? undefined : await readBody(options.body, cli.context);
  const { client } = await cli.open(command);
  const transfers = await client.scheduledTransfers.list(mid, body, { signal: cli.context.signal });
  const { terminal } = cli;
  const { scheduleTimezone: timezone } = options;
  if (options.json === true) return terminal.printJson(transfers);
  if (transfers.length === 0) return terminal.note('No scheduled transfers.');
  const titles = [
    'id',
    'merchantAccount',
    'currency',
    'status',
    'schedule',
    'in words',
    'next run',
  ];
  const rows = transfers.map((transfer) => rowOf(transfer, timezone));
  terminal.print(
    ...renderTable(
      titles.map((title) => ({ title })),
      rows,
      terminal.tableWidth,
    ),
  );
  terminal.note(`Next runs are computed in ${timezone}; the provider does not show its zone.`);
}

function rowOf(transfer: ScheduledTransfer, timezone: string): string[] {
  const words = describeSchedule(fieldText(transfer, 'schedule'), timezone);
  const fields = ['id', 'merchantAccount', 'currency', 'status', 'schedule'];
  const texts = fields.map((field) => fieldText(transfer, field));
  return [...texts, words?.words ?? '', words?.nextRuns[0] ?? ''];
}
