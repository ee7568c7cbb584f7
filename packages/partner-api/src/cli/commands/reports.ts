import type { Command } from 'commander';

import { fieldText } from '../../decimal.js';
import type { Cli } from '../cli.js';
import { collectFields, type GlobalOptions, parseTimezone } from '../options.js';
import { renderFields } from '../render.js';
import { describeSchedule } from '../schedule-words.js';

interface UpdateOptions extends GlobalOptions {
  readonly status?: string;
  readonly scheduleType?: string;
  readonly notificationEmail?: string;
  readonly scheduleTimezone: string;
  readonly extraField?: Record<string, unknown>;
}

const EXAMPLES = `
Examples:
  $ pay-partner reports update-schedule sch_1001_daily --status active --schedule-type daily
  $ pay-partner reports update-schedule sch_1001_daily --notification-email reports@shop.example`;

/** `reports update-schedule` (spec 4.2). */
export function addReportCommands(program: Command, cli: Cli): void {
  const group = program.command('reports').description('scheduled reports');
  group
    .command('update-schedule')
    .description('set fields of a report schedule and show it')
    .argument('<id>', 'the schedule')
    .option('--status <status>', 'status, such as active')
    .option('--schedule-type <type>', 'type, such as daily')
    .option('--notification-email <address>', 'address to notify')
    .option('--schedule-timezone <name>', 'zone to read a cadence in', parseTimezone, 'UTC')
    .option('--extra-field <name=value>', 'a field outside the specification', collectFields)
    .addHelpText('after', EXAMPLES)
    .action((id: string, _options: UpdateOptions, command: Command) => update(cli, id, command));
}

async function update(cli: Cli, id: string, command: Command): Promise<void> {
  const options = command.optsWithGlobals<UpdateOptions>();
  const { client } = await cli.open(command);
  const schedule = await client.reports.updateSchedule(
    {
      id,
      status: options.status,
      schedule_type: options.scheduleType,
      notification_email: options.notificationEmail,
    },
    { signal: cli.context.signal, extraFields: options.extraField },
  );
  const { terminal } = cli;
  if (options.json === true) return terminal.printJson(schedule);
  const fields = Object.keys(schedule).map((name) => [name, fieldText(schedule, name)] as const);
  const { scheduleTimezone: timezone } = options;
  const words = describeSchedule(schedule.cadence ?? '', timezone);
  const runs =
    words === undefined
      ? []
      : ([
          ['in words', words.words],
          [`next runs (${timezone})`, words.nextRuns.join(', ')],
        ] as const);
  terminal.print(...renderFields([...fields, ...runs]));
}
