#!/usr/bin/env node
import { parseConfig } from './config.js';
import { armCrashPoint, parseCrashPlan } from './crash-points.js';
import { VERSION } from './version.js';
import { runEvents, runExplain, runWebhooks } from './cli/commands.js';
import { runRestore } from './cli/restore-command.js';
import { runSessionServer } from './serve.js';
import { checkStart, isOurs } from './start-checks.js';

const USAGE = `Usage:
  pay-session-server                              run the server
  pay-session-server explain <order> [merchant]   say what is known of an order, and why
  pay-session-server events dead-lettered [merchant]
                                                  list dead-lettered events
  pay-session-server events redeliver <event id>… | --merchant <id> [--retrying] | --all
                                                  deliver dead-lettered events again, and those of
                                                  a merchant that wait for their next try
  pay-session-server webhooks                     count the provider's webhooks by result
  pay-session-server restore <backup file>        put a backup in the place of the data file
  pay-session-server restore --since <time>       say that a backup of this time is in its place
  pay-session-server restore                      finish a restore that was not finished
  pay-session-server --help | --version
Settings come from the environment: see docs/operations/configure.md.
`;

async function main(args: readonly string[]): Promise<void> {
  const [command, ...words] = args;
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE);
    return;
  }
  if (command === '--version') {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  armCrashPoint(parseCrashPlan(process.env));
  if (command === undefined) return runSessionServer(await checkStart(process.env));
  const lines = await runCommand(command, words);
  if (lines) {
    process.stdout.write(`${lines.join('\n')}\n`);
    return;
  }
  process.stderr.write(USAGE);
  process.exitCode = 2;
}

/** The lines that a command prints; undefined for an unknown command. */
async function runCommand(
  command: string,
  words: readonly string[],
): Promise<readonly string[] | undefined> {
  const [order, merchant] = words;
  if (command === 'explain' && order !== undefined) {
    return runExplain(parseConfig(process.env), order, merchant);
  }
  if (command === 'events') return runEvents(parseConfig(process.env), words);
  if (command === 'restore') return runRestore(parseConfig(process.env), words);
  if (command === 'webhooks') return runWebhooks(parseConfig(process.env));
  return undefined;
}

/** A mistake of ours has a stack for those who look for it, and no one else. */
function describe(error: unknown): string {
  if (isOurs(error)) return error.message;
  const { name, stack } = error instanceof Error ? error : { name: typeof error, stack: '' };
  return process.env['PAY_LOG_LEVEL'] === 'debug'
    ? String(stack)
    : `a mistake of ours (${name}); run it again with PAY_LOG_LEVEL=debug to see where`;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`pay-session-server: ${describe(error)}\n`);
  process.exitCode = 1;
});
