import type { Command } from 'commander';

import { solveWebhookScheme, type SolvedWebhookSchemes } from '../../solve-webhook-scheme.js';
import type { Secret } from '../../secret.js';
import type { WebhookDelivery } from '../../webhook-signature.js';
import type { Cli } from '../cli.js';
import { EXIT } from '../exit-codes.js';
import { readDelivery } from '../settings/delivery-file.js';
import type { GlobalOptions } from '../settings/global-options.js';
import { replacePrivateFile } from '../settings/private-file.js';

interface SolveOptions extends GlobalOptions {
  readonly delivery: string;
  readonly keyFile: string;
  readonly url?: string;
  readonly save?: string;
}

const HELP = `
Works offline. The delivery is JSON {"headers": {…}, "body": "the raw text", "url": "…"} (or
bodyBase64), or the HTTP request as it came over the line. It tries headers, encodings, algorithms
and templates; do it once, by hand, and write the scheme down.

Examples:
  $ pay-partner webhooks solve --delivery captured.http --key-file hook.key --save scheme.json`;

/** `webhooks solve`: how deliveries are signed, from one captured delivery and its key. */
export function addSolveCommand(group: Command, cli: Cli): void {
  group
    .command('solve')
    .description('find out, offline, how a captured delivery was signed')
    .requiredOption('--delivery <file>', 'the captured delivery')
    .requiredOption('--key-file <file>', 'its key')
    .option('--url <url>', 'address that it was sent to, for schemes that sign it')
    .option('--save <file>', 'write the first scheme found')
    .addHelpText('after', HELP)
    .action((_options: SolveOptions, command: Command) => solve(cli, command));
}

async function solve(cli: Cli, command: Command): Promise<void> {
  const options = command.optsWithGlobals<SolveOptions>();
  const { url } = options;
  const delivery = {
    ...(await readDelivery(options.delivery)),
    ...(url === undefined ? {} : { url }),
  };
  const key = await cli.readHidden(options.keyFile);
  const { schemes, tried, trimmed } = await solveEitherWay(delivery, key);
  const { terminal } = cli;
  if (options.json === true) terminal.printJson({ schemes, tried });
  const [first] = schemes;
  if (first === undefined) {
    cli.exitCode = EXIT.refused;
    return terminal.warn(
      `None of ${tried} schemes verifies it. Is the body raw, byte for byte? Is it the key of this ` +
        'webhook? Are all headers there?',
    );
  }
  if (options.json !== true)
    terminal.print(...schemes.map((scheme) => JSON.stringify(scheme, null, 2)));
  terminal.note(`${schemes.length} of ${tried} schemes verify it; the first is the likeliest.`);
  if (trimmed) terminal.note('The line break at the end of the captured body was left out.');
  if (options.save !== undefined) {
    await replacePrivateFile(options.save, `${JSON.stringify(first, null, 2)}\n`);
  }
}

/** Editors and shells add a line break to the body that they save. */
async function solveEitherWay(
  delivery: WebhookDelivery,
  key: Secret,
): Promise<SolvedWebhookSchemes & { trimmed: boolean }> {
  const solved = await solveWebhookScheme(delivery, key);
  const body = Buffer.from(delivery.body);
  if (solved.schemes.length > 0 || body.at(-1) !== 0x0a) return { ...solved, trimmed: false };
  const end = body.at(-2) === 0x0d ? -2 : -1;
  const again = await solveWebhookScheme({ ...delivery, body: body.subarray(0, end) }, key);
  return { ...again, tried: solved.tried + again.tried, trimmed: true };
}
