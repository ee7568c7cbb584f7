import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';

import type { Cli } from './cli.js';
import { addAnalyticsCommand } from './commands/analytics.js';
import { addCheckoutSessionCommands } from './commands/checkout-sessions.js';
import { addConformanceCommand } from './commands/conformance.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addMerchantCommands } from './commands/merchants.js';
import { addProfileCommands } from './commands/profiles.js';
import { addReportCommands } from './commands/reports.js';
import { addTransactionCommands } from './commands/transactions.js';
import { addTransferCommands } from './commands/transfers.js';
import { addWebhookCommands } from './commands/webhooks.js';
import { EXIT } from './exit-codes.js';
import { addGlobalOptions, type GlobalOptions } from './settings/global-options.js';
import { tellAttempts } from './tell-attempts.js';
import { tellError } from './tell-error.js';

const EXAMPLES = `
Examples:
  $ pay-partner profiles set sandbox --base-url http://127.0.0.1:4300 --environment sandbox --store-key
  $ pay-partner transactions list --from-date 2026-03-01 --status SUCCESS
  $ pay-partner transactions export --from-date 2026-01-01 --to-date 2026-03-31 --output q1.csv
  $ pay-partner analytics harbour-lane --timeframe weekly
  $ pay-partner doctor

Exit codes: 0 done, 1 refused, 2 wrong use, 3 outcome unknown, 4 not sent, 5 a check failed,
6 a file of this machine, 130 interrupted.`;

/** Puts the command line together. */
export function createProgram(cli: Cli): Command {
  const program = new Command('pay-partner')
    .description("The provider's partner API on the command line: every operation.")
    .version(readVersion(), '--version', 'print the version')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => cli.terminal.print(text.replace(/\n$/, '')),
      // An unknown option is quoted with its value, which a mistyped --api-key=… would be.
      writeErr: (text) =>
        cli.terminal.warn(text.replace(/\n$/, '').replace(/(--[\w-]+)=[^']*/g, '$1=…')),
    })
    .addHelpText('after', EXAMPLES);
  addGlobalOptions(program);
  program.hook('preAction', (_program, command) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    cli.terminal.quiet = options.quiet === true;
    if (options.verbose === true) cli.onClose(tellAttempts(cli.terminal));
  });
  addTransactionCommands(program, cli);
  addReportCommands(program, cli);
  addMerchantCommands(program, cli);
  addTransferCommands(program, cli);
  addAnalyticsCommand(program, cli);
  addCheckoutSessionCommands(program, cli);
  addWebhookCommands(program, cli);
  addDoctorCommand(program, cli);
  addConformanceCommand(program, cli);
  addProfileCommands(program, cli);
  return program;
}

/** Runs one command line and gives its exit code. It never throws. */
export async function runCli(cli: Cli, args: readonly string[]): Promise<number> {
  const program = createProgram(cli);
  try {
    await program.parseAsync(args, { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    // Commander has told it already; help that was asked for is no failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return tellError(error, cli.terminal, program.opts<GlobalOptions>());
  } finally {
    cli.close();
  }
}

function readVersion(): string {
  const manifest = createRequire(import.meta.url)('../../package.json') as { version: string };
  return manifest.version;
}
