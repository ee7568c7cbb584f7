import type { Command } from 'commander';

import type { Cli } from '../cli.js';
import { collectFields, type GlobalOptions } from '../options.js';
import { renderMetrics } from '../render.js';

interface AnalyticsOptions extends GlobalOptions {
  readonly timeframe?: string;
  readonly fromDate?: string;
  readonly toDate?: string;
  readonly extraField?: Record<string, unknown>;
}

const EXAMPLES = `
Examples:
  $ pay-partner analytics harbour-lane --timeframe weekly
  $ pay-partner analytics harbour-lane --from-date 2026-01-01 --to-date 2026-03-31
  $ pay-partner analytics harbour-lane --timeframe monthly --json | jq .data`;

/** `analytics` (spec 4.5): metrics of any name as lists and bars. */
export function addAnalyticsCommand(program: Command, cli: Cli): void {
  program
    .command('analytics')
    .description('analytics of a partner, as bars')
    .argument('<partner>', 'name of the partner')
    .option('--timeframe <name>', 'weekly, monthly, quarterly, custom; custom when dates are given')
    .option('--from-date <day>', 'first day of a custom range, YYYY-MM-DD')
    .option('--to-date <day>', 'last day; at most 90 days, both ends counted')
    .option('--extra-field <name=value>', 'a field outside the specification', collectFields)
    .addHelpText('after', EXAMPLES)
    .action((partner: string, _options: AnalyticsOptions, command: Command) =>
      show(cli, partner, command),
    );
}

async function show(cli: Cli, partner: string, command: Command): Promise<void> {
  const options = command.optsWithGlobals<AnalyticsOptions>();
  const { fromDate, toDate } = options;
  const hasDates = fromDate !== undefined || toDate !== undefined;
  const { client } = await cli.open(command);
  const analytics = await client.analytics.partner(
    {
      partner_name: partner,
      timeframe: options.timeframe ?? (hasDates ? 'custom' : undefined),
      from_date: fromDate,
      to_date: toDate,
    },
    { signal: cli.context.signal, extraFields: options.extraField },
  );
  const { terminal } = cli;
  if (options.json === true) return terminal.printJson(analytics);
  const lines = renderMetrics(analytics.data, terminal.drawingWidth);
  if (lines.length === 0) terminal.note('The answer holds no metrics.');
  else terminal.print(...lines);
}
