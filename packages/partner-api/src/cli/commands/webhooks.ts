import type { Command } from 'commander';

import { isPartnerApiError, type KeyNotStoredError } from '../../errors.js';
import type { Secret } from '../../secret.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../exit-codes.js';
import { KeySink, storeElsewhere } from '../files.js';
import { CREATE_WEBHOOK } from '../../resources/webhooks.js';
import { addFields, fieldsOf, type GlobalOptions } from '../options.js';
import { addTestCommand } from './operations.js';
import { configPathOf } from '../profiles.js';
import { toPlainText } from '../terminal.js';
import { addSolveCommand, addVerifyCommand } from './webhook-deliveries.js';

/** `webhooks create`, `test`, `solve` and `verify` (spec 4.7, 4.8, 6). */
export function addWebhookCommands(program: Command, cli: Cli): void {
  const group = program.command('webhooks').description('webhook endpoints and their signatures');
  addCreateCommand(group, cli);
  addTestCommand(group, cli);
  addSolveCommand(group, cli);
  addVerifyCommand(group, cli);
}

interface CreateOptions extends GlobalOptions {
  readonly hmacKeyFile?: string;
  readonly keyFile?: string;
  readonly printKey?: true;
}

const HELP = `
The provider gives the key in full only once. It is written to --key-file (0600, never overwritten)
before anything is printed; --print-key shows it on stdout instead, or too. The
specification does not show the names of events: ask the provider.

When the answer is lost (exit code 3), a webhook may exist whose key was lost: find its
address at the provider and have it removed before you create it again.

Examples:
  $ pay-partner webhooks create https://shop.example/hooks --events payment.paid --key-file hook.key
  $ pay-partner webhooks create https://shop.example/hooks --hmac-key-file own.key --key-file hook.key`;

/** `webhooks create` (spec 4.7). */
function addCreateCommand(group: Command, cli: Cli): void {
  addFields(group.command('create'), CREATE_WEBHOOK.request, {
    description: ['<text>', 'a note for people'],
    events: ['<names>', 'events to deliver'],
  })
    .description('create a webhook and store its key')
    .argument('<url>', 'address that receives deliveries')
    .option('--hmac-key-file <file>', 'your own key (default: the provider generates one)')
    .option('--key-file <file>', 'new file for the key')
    .option('--print-key', 'show the key on stdout')
    .addHelpText('after', HELP)
    .action((url: string, _options: CreateOptions, command: Command) => create(cli, url, command));
}

async function create(cli: Cli, url: string, command: Command): Promise<void> {
  const options = command.optsWithGlobals<CreateOptions>();
  if (options.keyFile === undefined && options.printKey !== true) {
    throw new UsageError('The key must go somewhere: give --key-file <file> (or --print-key).');
  }
  const hmacKey =
    options.hmacKeyFile === undefined ? undefined : await cli.readHidden(options.hmacKeyFile);
  const { client } = await cli.open(command);
  const sink = options.keyFile === undefined ? undefined : await KeySink.open(options.keyFile);
  const params = { ...fieldsOf(CREATE_WEBHOOK.request, options), url, hmac_key: hmacKey };
  try {
    const created = await client.webhooks.create(params, {
      signal: cli.context.signal,
      storeKey: async (key) => {
        if (options.printKey !== true) cli.terminal.hide(key);
        await sink?.store(key);
      },
    });
    await show(cli, created.data, options);
  } catch (error) {
    if (isKeyNotStored(error)) await rescue(cli, error, options);
    throw error;
  } finally {
    await sink?.close();
  }
}

async function show(
  { terminal }: Cli,
  data: { webhook_id: string; hmac_key: Secret },
  { json, printKey, keyFile }: CreateOptions,
): Promise<void> {
  const shown = printKey === true ? data.hmac_key.reveal() : undefined;
  if (json === true) {
    const key = { ...(shown === undefined ? {} : { hmac_key: shown }), key_file: keyFile };
    return terminal.write(`${JSON.stringify({ webhook_id: data.webhook_id, ...key }, null, 2)}\n`);
  }
  await terminal.write(
    `${toPlainText(data.webhook_id)}\n${shown === undefined ? '' : `${shown}\n`}`,
  );
  if (keyFile !== undefined) terminal.note(`The key is in ${keyFile}, readable by you only.`);
}

function isKeyNotStored(error: unknown): error is KeyNotStoredError {
  return isPartnerApiError(error) && error.name === 'KeyNotStoredError';
}

/** The webhook exists and its key has no place yet: any private place is better than none. */
async function rescue(
  { terminal, context }: Cli,
  { hmacKey, webhookId }: KeyNotStoredError,
  options: GlobalOptions,
): Promise<void> {
  try {
    const path = await storeElsewhere(hmacKey, webhookId, configPathOf(options, context.env));
    terminal.warn(
      `The webhook ${toPlainText(webhookId)} exists. Its key could not be written where you said; it is in ${path}.`,
    );
  } catch {
    terminal.warn(
      `The webhook ${toPlainText(webhookId)} exists, and its key could be written nowhere. Have it ` +
        'removed at the provider and create it again.',
    );
  }
}
