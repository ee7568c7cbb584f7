import type { Command } from 'commander';

import type { Cli } from '../cli.js';
import { collectFields, type GlobalOptions } from '../options.js';
import { toPlainText } from '../terminal.js';

interface AssociateOptions extends GlobalOptions {
  readonly action: string;
  readonly extraField?: Record<string, unknown>;
}

const EXAMPLES = `
The merchants interface has its own address: --merchants-base-url, with its path prefix.

Examples:
  $ pay-partner merchants associate 1001
  $ pay-partner merchants associate 1001 --action reactivate --json`;

/** `merchants associate` (spec 4.3). */
export function addMerchantCommands(program: Command, cli: Cli): void {
  const group = program.command('merchants').description("merchants' signup links");
  group
    .command('associate')
    .description("make a merchant's signup link valid again, extended by 14 days")
    .argument('<merchantId>', 'the merchant')
    .option('--action <action>', 'action', 'reactivate')
    .option('--extra-field <name=value>', 'a field outside the specification', collectFields)
    .addHelpText('after', EXAMPLES)
    .action(async (merchantId: string, _options: AssociateOptions, command: Command) => {
      const { action, extraField, json } = command.optsWithGlobals<AssociateOptions>();
      const { client } = await cli.open(command);
      const options = { signal: cli.context.signal, extraFields: extraField };
      const reply = await client.merchants.associate({ action, merchantId }, options);
      if (json === true) cli.terminal.printJson(reply);
      else cli.terminal.print(toPlainText(reply.message));
    });
}
