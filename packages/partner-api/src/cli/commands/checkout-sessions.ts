import * as z from 'zod';
import { type Command, InvalidArgumentError, Option } from 'commander';

import {
  CREATE_CHECKOUT_SESSION,
  type CreateCheckoutSessionParams,
  type SplitFee,
} from '../../resources/checkout-sessions.js';
import type { Cli } from '../cli.js';
import { collectFields, type GlobalOptions, parseInteger, readBody } from '../options.js';
import { toPlainText } from '../terminal.js';

interface CreateOptions extends GlobalOptions {
  readonly body?: string;
  readonly splitFee?: readonly SplitFee[];
  readonly extraField?: Record<string, unknown>;
}

const HELP = `
Every request that arrives creates another session, so it is never sent again once it may have
arrived. Exit code 3: a session may exist whose id was lost; it cannot be paid.

Examples:
  $ pay-partner checkout-sessions create --merchant-id 1001 --order-id 71 --amount 12.34 \\
      --merchant-reference A1001.71 --redirect-url https://shop.example/thanks
  $ pay-partner checkout-sessions create --body session.json --split-fee 501:1:0.30`;

/** `checkout-sessions create` (spec 4.6). */
export function addCheckoutSessionCommands(program: Command, cli: Cli): void {
  const group = program.command('checkout-sessions').description('sessions for the client SDK');
  addSessionFields(group.command('create'))
    .description('create a session and print its id')
    .option(
      '--body <file>',
      'JSON file, - for stdin, with fields as the provider spells them; options override it',
    )
    .option(
      '--split-fee <partner:type:value[:value_type]>',
      'a share; may be repeated',
      collectSplit,
    )
    .option('--extra-field <name=value>', 'a field outside the specification', collectFields)
    .addHelpText('after', HELP)
    .action((_options: CreateOptions, command: Command) => create(cli, command));
}

async function create(cli: Cli, command: Command): Promise<void> {
  const options = command.optsWithGlobals<CreateOptions>();
  const params = {
    ...(options.body === undefined ? {} : await readBody(options.body, cli.context)),
    ...sessionFieldsOf(command.opts()),
    ...(options.splitFee === undefined ? {} : { SplitFee: options.splitFee }),
  };
  const { client } = await cli.open(command);
  const session = await client.checkoutSessions.create(params as CreateCheckoutSessionParams, {
    signal: cli.context.signal,
    extraFields: options.extraField,
  });
  if (options.json === true) cli.terminal.printJson(session);
  else cli.terminal.print(toPlainText(session.session_id));
}

function collectSplit(text: string, before: readonly SplitFee[] = []): SplitFee[] {
  const parts = /^(\d+):(\d+):(\d+(?:\.\d+)?)(?::(\w+))?$/.exec(text);
  if (parts === null) throw new InvalidArgumentError('Expected partner:type:value, as 501:1:0.30.');
  const [, partner, type, value = '', valueType = 'amount'] = parts;
  if (value.replace('.', '').length > 15) {
    throw new InvalidArgumentError('A value of more than 15 digits would be changed on its way.');
  }
  const split = {
    partner_merchant_id: Number(partner),
    type_id: Number(type),
    value: Number(value),
    value_type: valueType,
  };
  return [...before, split];
}

const FIELDS = Object.entries(CREATE_CHECKOUT_SESSION.request.shape).filter(
  ([name]) => name !== 'SplitFee',
);

/** An option for each field of spec 4.6, but for the shares: `AvsPostcode`, `--avs-postcode`. */
function addSessionFields(command: Command): Command {
  for (const [name, schema] of FIELDS) {
    const help = `${name}: ${schema.meta()?.description ?? ''}`;
    const isNumber = schema instanceof z.ZodNumber;
    const option = new Option(`--${dashed(name)} <${isNumber ? 'number' : 'text'}>`, help);
    command.addOption(isNumber ? option.argParser(parseInteger) : option);
  }
  return command;
}

/** The fields that were given, by the provider's names. */
function sessionFieldsOf(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = FIELDS.map(([name]) => [name, options[camelled(dashed(name))]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function dashed(field: string): string {
  return field
    .replaceAll('_', '-')
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase();
}

function camelled(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
