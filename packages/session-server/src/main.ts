#!/usr/bin/env node
import { readCrashHook } from './crash-points.js';
import { AppError, ConfigError, isOurs, NOT_STARTED } from './errors.js';
import { VERSION } from './version.js';
import { loadOperator } from './operator-package.js';

const JSON_OPTION = '--json';

const USAGE = `Usage:
  pay-session-server                              run the server
  pay-session-server init                         moved: npm create @pay-checkout my-shop
  pay-session-server check                        check settings, merchants file and scripts
  pay-session-server explain <order> [merchant]   show what is known about an order, and why
  pay-session-server events dead-lettered [merchant]
                                                  list dead-lettered events
  pay-session-server events redeliver <event id>… | --merchant <id> [--retrying] | --all
                                                  deliver dead-lettered events again; with
                                                  --retrying also those that are being retried;
                                                  by id also those that were delivered
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
explain, report, events and webhooks are of the package @pay-checkout/operator.
With --json each prints JSON, and an error is JSON in one line.
Settings come from the environment: see docs/settings.md.
Exit codes: 0 done, 1 refused or failed, 2 wrong use, 78 the server did not start, and will not until
the configuration is changed.
`;

// A command loads what it needs: the whole server takes half a second.
const loadMerchantsCommand = () => import('./cli/merchants-command.js');
const loadOrderCommands = () => import('./cli/order-commands.js');

/** \`EX_CONFIG\` of sysexits.h. Supervisors can be configured not to restart on it. */
const EXIT_CONFIGURATION = 78;

async function main(args: readonly string[]): Promise<void> {
  const [command, ...words] = args;
  if (args.includes('--help') || args.includes('-h')) {
    const usage = command === 'merchants' ? (await loadMerchantsCommand()).MERCHANTS_USAGE : USAGE;
    process.stdout.write(usage);
    return;
  }
  if (command === '--version') {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  if (command === undefined) {
    const { checkStart } = await import('./start-checks.js');
    const config = await checkStart(process.env);
    const { runSessionServer } = await import('./running-server.js');
    return runSessionServer(config, { onStep: readCrashHook(process.env) });
  }
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
  args: readonly string[],
): Promise<readonly string[] | undefined> {
  if (command === 'merchants') {
    return (await loadMerchantsCommand()).runMerchants(process.env, args);
  }
  const isJson = args.includes(JSON_OPTION);
  const words = args.filter((word) => word !== JSON_OPTION);
  const [order, merchant, ...more] = words;
  const { parseConfig } = await import('./config.js');
  const config = () => parseConfig(process.env);
  // These print the same text for people and for programs.
  const asMessages = (lines: readonly string[]) =>
    isJson ? [JSON.stringify({ messages: lines })] : lines;

  if (command === 'check' && words.length === 0) {
    return (await import('./start-checks.js')).runCheck(process.env, isJson);
  }
  if (order !== undefined && more.length === 0) {
    if (command === 'explain') {
      return (await loadOperator(command)).runExplain(config(), order, merchant, isJson);
    }
    if (command === 'export')
      return (await loadOrderCommands()).runExport(config(), order, merchant);
    if (command === 'erase') {
      return (await loadOrderCommands()).runErase(config(), order, merchant, isJson);
    }
  }
  if (command === 'restore') {
    const { runRestore } = await import('./cli/restore-command.js');
    return asMessages(await runRestore(config(), words, { onStep: readCrashHook(process.env) }));
  }
  if (command === 'move-store') {
    const { runMoveStore } = await import('./cli/move-store-command.js');
    return asMessages(await runMoveStore(config(), words));
  }
  if (command === 'init') {
    const message = 'init has moved: npm create @pay-checkout my-shop -- --help';
    throw new AppError(400, 'invalid_request', message);
  }
  if (command === 'events') return (await loadOperator(command)).runEvents(config(), words, isJson);
  if (command === 'report') return (await loadOperator(command)).runReport(config(), words, isJson);
  if (command === 'webhooks' && words.length === 0) {
    return (await loadOperator(command)).runWebhooks(config(), isJson);
  }
  return undefined;
}

function toJson(error: unknown): { code: string; message: string; mistakes?: readonly string[] } {
  if (error instanceof ConfigError) {
    const { source: message, mistakes } = error;
    return { code: 'configuration', message, mistakes };
  }
  return {
    code: error instanceof AppError ? error.code : 'internal_error',
    message: describe(error),
  };
}

/** Shows the stack of an internal error only at `PAY_LOG_LEVEL=debug`. */
function describe(error: unknown): string {
  if (isOurs(error)) return error.message;
  const { name, stack } = error instanceof Error ? error : { name: typeof error, stack: '' };
  return process.env['PAY_LOG_LEVEL'] === 'debug'
    ? String(stack)
    : `internal error (${name}); run it again with PAY_LOG_LEVEL=debug for the stack`;
}

/** The message begins with the same words, whichever stage failed. */
function describeStart(error: unknown): string {
  const text = describe(error);
  return text.startsWith(NOT_STARTED) ? text : `${NOT_STARTED}: ${text}`;
}

/** Without a command. */
const isStart = process.argv.length === 2;

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(
    process.argv.includes(JSON_OPTION)
      ? `${JSON.stringify({ error: toJson(error) })}\n`
      : `pay-session-server: ${isStart ? describeStart(error) : describe(error)}\n`,
  );
  if (error instanceof ConfigError && error.isFinal && isStart) {
    process.exitCode = EXIT_CONFIGURATION;
  } else {
    process.exitCode = error instanceof AppError && error.status === 400 ? 2 : 1;
  }
});
