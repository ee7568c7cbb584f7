import type { Command } from 'commander';

import type { Cli } from '../cli.js';
import { toPlainText } from '../output/plain-text.js';
import { renderFields } from '../output/table.js';
import { fieldText } from '../../exact-text.js';
import type { GlobalOptions } from '../settings/global-options.js';
import { parseInteger } from '../settings/parse-option.js';
import { addCreateCommand } from './webhooks-create.js';
import { addSolveCommand } from './webhooks-solve.js';
import { addVerifyCommand } from './webhooks-verify.js';

interface TestOptions extends GlobalOptions {
  readonly resellerId?: number;
}

const EXAMPLES = `
The provider waits 10 s for the endpoint; what the endpoint answered is an answer, whatever it was.

Examples:
  $ pay-partner webhooks test wh_1 --reseller-id 7001`;

/** `webhooks create`, `test`, `solve` and `verify` (spec 4.7, 4.8, 6). */
export function addWebhookCommands(program: Command, cli: Cli): void {
  const group = program.command('webhooks').description('webhook endpoints and their signatures');
  addCreateCommand(group, cli);
  group
    .command('test')
    .description('have the provider send a test delivery, and show what the endpoint answered')
    .argument('<webhookId>', 'the webhook')
    .option('--reseller-id <id>', 'the reseller', parseInteger)
    .addHelpText('after', EXAMPLES)
    .action(async (webhookId: string, _options: TestOptions, command: Command) => {
      const { resellerId, json } = command.optsWithGlobals<TestOptions>();
      const { client } = await cli.open(command);
      const params = { webhookId, resellerId };
      const reply = await client.webhooks.test(params, { signal: cli.world.signal });
      if (json === true) return cli.terminal.printJson(reply);
      const { data } = reply;
      const fields = Object.keys(data).map((name) => [name, fieldText(data, name)] as const);
      cli.terminal.print(...renderFields(fields));
      const { status_code: status } = data;
      if (status === undefined || status < 200 || status > 299) {
        cli.terminal.note(toPlainText(`The endpoint did not answer 2xx (${status ?? 'none'}).`));
      }
    });
  addSolveCommand(group, cli);
  addVerifyCommand(group, cli);
}
