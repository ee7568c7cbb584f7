import type { Command } from 'commander';

import { InvalidRequestError } from '../../errors.js';
import type { Cli, OpenClient } from '../cli.js';
import {
  checkAccess,
  checkAddresses,
  checkHost,
  checkKey,
  checkScheme,
  fail,
  type Finding,
  listHosts,
  ok,
  skip,
} from '../doctor-checks.js';
import { checkEndpoint } from '../doctor-endpoint.js';
import { EXIT, throwIfInterrupted, UsageError } from '../exit-codes.js';
import type { GlobalOptions } from '../options.js';
import { type Terminal, toPlainText } from '../terminal.js';
import { readScheme } from './webhook-deliveries.js';

interface DoctorOptions extends GlobalOptions {
  readonly merchantId?: string;
  readonly webhookUrl?: string;
  readonly webhookKeyFile?: string;
  readonly scheme?: string;
}

const HELP = `
It reads one transaction (and, with --merchant-id, scheduled transfers) and changes nothing. With
--webhook-url it sends test deliveries, {"event": "test"}, to that address of yours.

Examples:
  $ pay-partner doctor
  $ pay-partner doctor --webhook-url https://shop.example/hooks --webhook-key-file hook.key \\
      --scheme standardWebhooks`;

/** `doctor`: what is set up wrongly, and the fix for each. */
export function addDoctorCommand(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description('find configuration mistakes, with a fix for each')
    .option('--merchant-id <id>', 'also read the scheduled transfers of this merchant')
    .option('--webhook-url <url>', 'an endpoint of yours to send test deliveries to')
    .option('--webhook-key-file <file>', 'the key of that webhook')
    .option('--scheme <name|file>', 'how deliveries are signed: a preset, or a JSON file')
    .addHelpText('after', HELP)
    .action((_options: DoctorOptions, command: Command) => examine(cli, command));
}

async function examine(cli: Cli, command: Command): Promise<void> {
  const options = command.optsWithGlobals<DoctorOptions>();
  const { terminal } = cli;
  const findings: Finding[] = [];
  const report = (...found: Finding[]): void => {
    // What an interrupted check found does not count.
    throwIfInterrupted(cli.context.signal);
    findings.push(...found);
    if (options.json !== true) for (const finding of found) print(terminal, finding);
  };
  await examineConnection(cli, command, options, report);
  await examineWebhooks(cli, options, report);
  const failed = findings.filter(({ result }) => result === 'fail').length;
  if (failed > 0) cli.exitCode = EXIT.checksFailed;
  if (options.json === true) return terminal.printJson({ ok: failed === 0, findings });
  terminal.note(failed === 0 ? 'Nothing is wrong.' : `${failed} to fix.`);
}

async function examineConnection(
  cli: Cli,
  command: Command,
  { merchantId }: DoctorOptions,
  report: (...found: Finding[]) => void,
): Promise<void> {
  const { signal } = cli.context;
  let opened: OpenClient;
  try {
    opened = await cli.open(command);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof InvalidRequestError)) throw error;
    return report(fail('settings', error.message, 'The rest can be checked once this is right.'));
  }
  const { client, connection, apiKey } = opened;
  const { profileName, configPath, addresses } = connection;
  report(
    ok('settings', profileName === undefined ? 'no profile' : `${profileName} of ${configPath}`),
  );
  report(checkKey(apiKey));
  report(...checkAddresses(addresses));
  for (const host of listHosts(addresses)) report(...(await checkHost(host, signal)));
  report(...(await checkAccess(client, merchantId, signal)));
}

async function examineWebhooks(
  cli: Cli,
  { webhookUrl, webhookKeyFile, scheme: schemeName }: DoctorOptions,
  report: (...found: Finding[]) => void,
): Promise<void> {
  if (webhookKeyFile === undefined || schemeName === undefined) {
    const fix = 'Give --webhook-key-file and --scheme; webhooks solve finds the scheme.';
    return report(skip('signature scheme', 'not checked', fix));
  }
  const key = await cli.readHidden(webhookKeyFile);
  const scheme = await readScheme(schemeName);
  const finding = await checkScheme(scheme, key);
  report(finding);
  if (finding.result === 'fail') return;
  if (webhookUrl === undefined) {
    return report(skip('webhook endpoint', 'not checked', 'Give --webhook-url.'));
  }
  if (!URL.canParse(webhookUrl)) throw new UsageError('--webhook-url must be an address.');
  report(...(await checkEndpoint({ url: webhookUrl, scheme, key }, cli.context.signal)));
}

function print(terminal: Terminal, { check, result, detail, fix }: Finding): void {
  terminal.print(`${terminal.mark(result)}  ${check}: ${toPlainText(detail)}`);
  if (fix !== undefined) terminal.print(`      → ${fix}`);
}
