import type { Command } from 'commander';

import { fieldText } from '../../decimal.js';
import { isPartnerApiError, type KeyNotStoredError } from '../../errors.js';
import type { Secret } from '../../secret.js';
import type { Cli } from '../cli.js';
import { EXIT, UsageError } from '../exit-codes.js';
import { KeySink, storeElsewhere } from '../files.js';
import { collectNames, type GlobalOptions, parseInteger } from '../options.js';
import { configPathOf } from '../profiles.js';
import { renderFields } from '../render.js';
import { toPlainText } from '../terminal.js';
import { addSolveCommand, addVerifyCommand } from './webhook-deliveries.js';

interface TestOptions extends GlobalOptions {
  readonly resellerId?: number;
  readonly fail?: true;
}

const EXAMPLES = `
The provider waits 10 s for the endpoint. Any answer of the endpoint is a result, not an error.

Examples:
  $ pay-partner webhooks test wh_1 --reseller-id 7001`;

/** `webhooks create`, `test`, `solve` and `verify` (spec 4.7, 4.8, 6). */
export function addWebhookCommands(program: Command, cli: Cli): void {
  const group = program.command('webhooks').description('webhook endpoints and their signatures');
  addCreateCommand(group, cli);
  group
    .command('test')
    .description('ask the provider to send a test delivery, and show the endpoint’s answer')
    .argument('<webhookId>', 'the webhook')
    .option('--fail', 'exit code 1 when the endpoint did not answer 2xx')
    .option('--reseller-id <id>', 'the reseller', parseInteger)
    .addHelpText('after', EXAMPLES)
    .action(async (webhookId: string, _options: TestOptions, command: Command) => {
      const { resellerId, json, timeout, fail } = command.optsWithGlobals<TestOptions>();
      const { client } = await cli.open(command);
      const params = { webhookId, resellerId };
      const limits = { signal: cli.context.signal, timeoutSeconds: timeout };
      const reply = await client.webhooks.test(params, limits);
      const { data } = reply;
      const { status_code: status } = data;
      const isGood = status !== undefined && status >= 200 && status <= 299;
      if (fail === true && !isGood) cli.exitCode = EXIT.refused;
      if (json === true) return cli.terminal.printJson(reply);
      const fields = Object.keys(data).map((name) => [name, fieldText(data, name)] as const);
      cli.terminal.print(...renderFields(fields));
      if (!isGood) {
        cli.terminal.note(toPlainText(`The endpoint did not answer 2xx (${status ?? 'none'}).`));
      }
    });
  addSolveCommand(group, cli);
  addVerifyCommand(group, cli);
}

interface CreateOptions extends GlobalOptions {
  readonly description?: string;
  readonly events?: readonly string[];
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
export function addCreateCommand(group: Command, cli: Cli): void {
  group
    .command('create')
    .description('create a webhook and store its key')
    .argument('<url>', 'address that receives deliveries')
    .option('--description <text>', 'a note for people')
    .option('--events <names>', 'events to deliver', collectNames)
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
  const { description, events } = options;
  const params = { url, description, events, hmac_key: hmacKey };
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
