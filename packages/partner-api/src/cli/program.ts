import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';

import type { Cli } from './cli.js';
import { EXIT, UsageError } from './exit-codes.js';
import { addGlobalOptions, type GlobalOptions } from './options.js';
import { noteDrift, printError } from './print-error.js';

const EXAMPLES = `
Examples:
  $ pay-partner profiles set sandbox --base-url http://127.0.0.1:4300 --environment sandbox --store-key
  $ pay-partner transactions list --from-date 2026-03-01 --status SUCCESS
  $ pay-partner transactions export --from-date 2026-01-01 --to-date 2026-03-31 --output q1.csv
  $ pay-partner analytics harbour-lane --timeframe weekly
  $ pay-partner doctor

Exit codes: 0 done, 1 refused, 2 usage error, 3 may exist, 4 may be repeated, 5 a check failed,
6 a local file, 130 interrupted.`;

type AddCommands = (program: Command, cli: Cli) => void;

/** Commands in the order of the help. Each loads only what it needs, so that all start quickly. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommands>>> = {
  transactions: async () => (await import('./commands/transactions.js')).addTransactionCommands,
  reports: async () => (await import('./commands/operations.js')).OPERATION_COMMANDS.reports,
  merchants: async () => (await import('./commands/operations.js')).OPERATION_COMMANDS.merchants,
  transfers: async () => (await import('./commands/operations.js')).OPERATION_COMMANDS.transfers,
  analytics: async () => (await import('./commands/operations.js')).OPERATION_COMMANDS.analytics,
  'checkout-sessions': async () =>
    (await import('./commands/operations.js')).OPERATION_COMMANDS['checkout-sessions'],
  webhooks: async () => (await import('./commands/webhooks.js')).addWebhookCommands,
  doctor: async () => (await import('./commands/doctor.js')).addDoctorCommand,
  conformance: async () => (await import('./commands/conformance.js')).addConformanceCommand,
  profiles: async () => (await import('./commands/profiles.js')).addProfileCommands,
  completion: async () => (await import('./commands/completion.js')).addCompletionCommand,
  complete: async () => {
    const { addCompleteCommand } = await import('./commands/completion.js');
    return (program, cli) => {
      addCompleteCommand(program, cli, () => createProgram(cli));
    };
  },
};

/** How a program is put together. */
interface ProgramOptions {
  /** Loads only what this first word of the arguments needs. Default: all commands. */
  readonly first?: string | undefined;
  /** The caller reports wrong use. */
  readonly silent?: boolean;
  readonly onCommand?: (command: Command) => void;
}

/** Puts the command line together. */
export async function createProgram(
  cli: Cli,
  { first = '', silent = false, onCommand }: ProgramOptions = {},
): Promise<Command> {
  const program = new Command('pay-partner')
    .description("The provider's partner API on the command line: every operation.")
    .version(readVersion(), '--version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => cli.terminal.print(text.replace(/\n$/, '')),
      writeErr: (text) => {
        if (!silent) cli.terminal.warn(hideValues(text.replace(/\n$/, '')));
      },
    })
    .addHelpText('after', EXAMPLES);
  addGlobalOptions(program);
  program.hook('preAction', (_program, command) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    onCommand?.(command);
    cli.terminal.quiet = options.quiet === true;
  });
  program.addHelpText('afterAll', ({ command }) =>
    command === program ? '' : '\nOptions of every command: pay-partner --help',
  );
  for (const add of await Promise.all(commandsFor(first).map((load) => load()))) {
    add(program, cli);
  }
  return program;
}

function commandsFor(first: string): readonly (() => Promise<AddCommands>)[] {
  if (first === '--version') return [];
  const only = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  return only === undefined ? Object.values(COMMANDS) : [only];
}

/** Runs one command line and gives its exit code. It never throws. */
export async function runCli(cli: Cli, args: readonly string[]): Promise<number> {
  // A command line that cannot be read has no options yet.
  const asJson = args.includes('--json');
  let running: Command | undefined;
  const program = await createProgram(cli, {
    first: args[0],
    silent: asJson,
    onCommand: (command) => (running = command),
  });
  try {
    refuseUnknownSubcommand(program, args);
    await program.parseAsync(args, { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      return printError(error, cli, program.opts<GlobalOptions>(), running);
    }
    // Help that was asked for is no failure. Commander has printed the message already.
    if (error.exitCode === 0) return EXIT.ok;
    return asJson ? printError(usageErrorOf(error), cli, { json: true }) : EXIT.usage;
  } finally {
    const hasOwnReport = running?.name() === 'conformance';
    if (!hasOwnReport && cli.opened !== undefined) noteDrift(cli.opened.client, cli.terminal);
    cli.close();
  }
}

/** Help that was asked for hides that its command is not there. */
function refuseUnknownSubcommand(program: Command, args: readonly string[]): void {
  const words = args[0] === 'help' ? args.slice(1) : args;
  let command = program;
  for (const word of words) {
    const child = command.commands.find((one) => one.name() === word);
    const isGroup = command.commands.length > 0 && (command !== program || words !== args);
    if (child === undefined && isGroup && !word.startsWith('-') && word !== 'help') {
      program.error(`error: unknown command '${word}'`, { code: 'commander.unknownCommand' });
    }
    if (child === undefined) return;
    command = child;
  }
}

function usageErrorOf({ code, message }: CommanderError): UsageError {
  const isHelp = code.startsWith('commander.help');
  const words = isHelp ? 'A command is missing; --help lists them.' : hideValues(message);
  return new UsageError(words.replace(/^error: /, ''));
}

/** An unknown option is quoted with its value, which a mistyped --api-key=… would be. */
function hideValues(text: string): string {
  return text.replace(/(--[\w-]+)=[^']*/g, '$1=…');
}

function readVersion(): string {
  const manifest = createRequire(import.meta.url)('../../package.json') as { version: string };
  return manifest.version;
}
