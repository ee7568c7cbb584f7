#!/usr/bin/env node
import { parseConfig } from './config.js';
import { armCrashPoint, parseCrashPlan } from './crash-points.js';
import { AppError } from './errors.js';
import { VERSION } from './version.js';
import { runEvents, runExplain, runWebhooks } from './cli/commands.js';
import { runInit } from './cli/init-command.js';
import { MERCHANTS_USAGE, runMerchants } from './cli/merchants-command.js';
import { runErase, runExport } from './cli/order-commands.js';
import { runMoveStore } from './cli/move-store-command.js';
import { runReport } from './cli/report-command.js';
import { runRestore } from './cli/restore-command.js';
import { runSessionServer } from './running-server.js';
import { checkStart, isOurs, runCheck } from './start-checks.js';

const USAGE = `Usage:
  pay-session-server                              run the server
  pay-session-server init <folder>                write a folder with a sandbox, to pay a first order
  pay-session-server check                        check settings, merchants file and scripts
  pay-session-server explain <order> [merchant]   show what is known about an order, and why
  pay-session-server events dead-lettered [merchant]
                                                  list dead-lettered events
  pay-session-server events redeliver <event id>… | --merchant <id> [--retrying] | --all
                                                  deliver dead-lettered events again; with
                                                  --retrying also those that are being retried
  pay-session-server export <order> [merchant]    print all that is stored of an order, as JSON
  pay-session-server erase <order> [merchant]     erase what is stored of an order, but for its payments
  pay-session-server merchants list | show | add | rotate | disable | enable
                                                  edit the merchants file; merchants --help
  pay-session-server report --day <YYYY-MM-DD> [--merchant <id>] [--csv <file>]
                                                  a day of the provider's list against the orders
  pay-session-server webhooks                     count the provider's webhooks by result
  pay-session-server restore <backup file>        replace the data file with a backup
  pay-session-server restore --since <time>       reconcile a backup of this time that is in place
  pay-session-server restore [--accept-unread-days]
                                                  finish an interrupted restore; the option gives up
                                                  days of the provider's list that cannot be read
  pay-session-server move-store                   copy the data file into an empty PostgreSQL database
  pay-session-server --help | --version
Settings come from the environment: see docs/operations/configure.md.
Exit codes: 0 done, 1 refused or failed, 2 wrong use.
`;

async function main(args: readonly string[]): Promise<void> {
  const [command, ...words] = args;
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(command === 'merchants' ? MERCHANTS_USAGE : USAGE);
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
  if (command === 'check') return runCheck(process.env);
  if (command === 'explain' && order !== undefined) {
    return runExplain(parseConfig(process.env), order, merchant);
  }
  if (command === 'export' && order !== undefined) {
    return runExport(parseConfig(process.env), order, merchant);
  }
  if (command === 'erase' && order !== undefined) {
    return runErase(parseConfig(process.env), order, merchant);
  }
  if (command === 'events') return runEvents(parseConfig(process.env), words);
  if (command === 'restore') return runRestore(parseConfig(process.env), words);
  if (command === 'move-store') return runMoveStore(parseConfig(process.env), words);
  if (command === 'init') return runInit(words);
  if (command === 'merchants') return runMerchants(process.env, words);
  if (command === 'report') return runReport(parseConfig(process.env), words);
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
  process.exitCode = error instanceof AppError && error.status === 400 ? 2 : 1;
});
