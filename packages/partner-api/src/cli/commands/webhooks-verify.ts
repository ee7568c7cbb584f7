import type { Command } from 'commander';

import { verifyWebhook, type WebhookRefusal } from '../../webhook-signature.js';
import type { Cli } from '../cli.js';
import { EXIT } from '../exit-codes.js';
import { readDelivery } from '../settings/delivery-file.js';
import type { GlobalOptions } from '../settings/global-options.js';
import { readScheme } from '../settings/scheme-file.js';

interface VerifyOptions extends GlobalOptions {
  readonly delivery: string;
  readonly keyFile: readonly string[];
  readonly scheme: string;
  readonly url?: string;
  readonly anyAge?: true;
}

const EXAMPLES = `
Examples:
  $ pay-partner webhooks verify --delivery captured.http --key-file hook.key --scheme scheme.json
  $ pay-partner webhooks verify --delivery d.json --key-file hook.key --scheme standardWebhooks --any-age`;

/** What to do about each reason. */
export const REFUSAL_WORDS: Readonly<Record<WebhookRefusal, string>> = {
  missing_signature: 'the header of the signature is missing, or has another prefix',
  missing_id: 'the header of the id is missing',
  missing_timestamp: 'the header of the timestamp is missing',
  missing_url: 'the scheme signs the address: give --url',
  bad_timestamp: 'the timestamp is not written as the scheme says',
  too_old: 'the timestamp is too old; --any-age looks at the signature only',
  too_new: 'the timestamp is in the future: compare the clocks',
  body_not_raw: 'the body is not raw',
  no_key: 'no key counts now',
  bad_key: 'the key is not written as keyEncoding says',
  key_too_short: 'the key has fewer than 16 bytes once decoded: is keyEncoding right?',
  no_match: 'no key made this signature over this body',
};

/** `webhooks verify`: whether a captured delivery was signed with a key. */
export function addVerifyCommand(group: Command, cli: Cli): void {
  group
    .command('verify')
    .description('verify a captured delivery, offline')
    .requiredOption('--delivery <file>', 'the captured delivery, as for solve')
    .requiredOption(
      '--key-file <file>',
      'a key; may be repeated',
      (file: string, before: readonly string[]) => [...before, file],
      [],
    )
    .requiredOption('--scheme <name|file>', 'a preset, or a JSON file')
    .option('--url <url>', 'address that it was sent to, for schemes that sign it')
    .option('--any-age', 'do not look at how old it is')
    .addHelpText('after', EXAMPLES)
    .action((_options: VerifyOptions, command: Command) => verify(cli, command));
}

async function verify(cli: Cli, command: Command): Promise<void> {
  const options = command.optsWithGlobals<VerifyOptions>();
  const delivery = await readDelivery(options.delivery);
  const { url = delivery.url } = options;
  const scheme = await readScheme(options.scheme);
  const keys = [];
  for (const file of options.keyFile) keys.push({ key: await cli.readHidden(file), id: file });
  const verdict = await verifyWebhook(
    options.anyAge === true ? { ...scheme, toleranceSeconds: 'off' } : scheme,
    keys,
    { ...delivery, ...(url === undefined ? {} : { url }) },
  );
  const { terminal } = cli;
  if (!verdict.valid) cli.exitCode = EXIT.refused;
  if (options.json === true) return terminal.printJson(verdict);
  if (verdict.valid) terminal.print(`valid, signed with ${verdict.keyId ?? 'the key'}`);
  else terminal.print(`not valid: ${verdict.reason} (${REFUSAL_WORDS[verdict.reason]})`);
}
