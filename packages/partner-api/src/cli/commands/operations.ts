import type * as z from 'zod';
import { type Command, InvalidArgumentError, Option } from 'commander';

import type { PartnerClient } from '../../client.js';
import { fieldText } from '../../decimal.js';
import type { CallOptions } from '../../http/operation.js';
import { PARTNER_ANALYTICS, type PartnerAnalytics } from '../../resources/analytics.js';
import {
  type CheckoutSession,
  CREATE_CHECKOUT_SESSION,
  type CreateCheckoutSessionParams,
  type SplitFee,
} from '../../resources/checkout-sessions.js';
import {
  ASSOCIATE_MERCHANT,
  type AssociateMerchantParams,
  type MerchantAssociation,
} from '../../resources/merchants.js';
import { type ReportSchedule, UPDATE_SCHEDULE } from '../../resources/reports.js';
import {
  LIST_SCHEDULED_TRANSFERS,
  type ScheduledTransfer,
} from '../../resources/scheduled-transfers.js';
import { TEST_WEBHOOK, type WebhookTest } from '../../resources/webhooks.js';
import type { Cli } from '../cli.js';
import { EXIT } from '../exit-codes.js';
import {
  addFields,
  collectFields,
  type FieldHelp,
  fieldsOf,
  type GlobalOptions,
  parseTimezone,
  readBody,
} from '../options.js';
import { renderFields, renderMetrics, renderTable } from '../render.js';
import { describeSchedule } from '../schedule-words.js';
import { type Terminal, toPlainText } from '../terminal.js';

/** Options that are no fields of a request. */
interface ExtraOptions extends GlobalOptions {
  readonly body?: string;
  readonly extraField?: Record<string, unknown>;
  readonly scheduleTimezone?: string;
  readonly fail?: true;
}

/** What was given on the command line. */
interface Given {
  readonly argument: string;
  /** The JSON of `--body`. */
  readonly body: object | undefined;
  /** From options, by the provider's names. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** One operation of the provider as a command: its options are the fields of the request. */
interface OperationCommand<Reply> {
  readonly request: z.ZodObject;
  /** The command that it is below, and what that is about. */
  readonly group?: readonly [name: string, description: string];
  readonly name: string;
  readonly description: string;
  readonly argument?: readonly [name: string, help: string];
  readonly fields: FieldHelp;
  readonly more?: readonly Option[];
  readonly help: string;
  readonly call: (client: PartnerClient, given: Given, options: CallOptions) => Promise<Reply>;
  readonly print: (terminal: Terminal, reply: Reply, options: ExtraOptions) => void;
  /** Of an answer that is no error. Default 0. */
  readonly exitCode?: (reply: Reply, options: ExtraOptions) => number;
}

const EXTRA_FIELD = new Option(
  '--extra-field <name=value>',
  'a field outside the specification',
).argParser(collectFields);

function scheduleTimezone(help: string): Option {
  return new Option('--schedule-timezone <name>', help).argParser(parseTimezone).default('UTC');
}

const UPDATE_SCHEDULE_COMMAND: OperationCommand<ReportSchedule> = {
  request: UPDATE_SCHEDULE.request,
  group: ['reports', 'scheduled reports'],
  name: 'update-schedule',
  description: 'set fields of a report schedule and show it',
  argument: ['<id>', 'the schedule'],
  fields: {
    status: ['<status>', 'status, such as active'],
    schedule_type: ['<type>', 'type, such as daily'],
    notification_email: ['<address>', 'address to notify'],
  },
  more: [scheduleTimezone('zone to read a cadence in'), EXTRA_FIELD],
  help: `
Examples:
  $ pay-partner reports update-schedule sch_1001_daily --status active --schedule-type daily
  $ pay-partner reports update-schedule sch_1001_daily --notification-email reports@shop.example`,
  call: ({ reports }, { argument, fields }, options) =>
    reports.updateSchedule({ ...fields, id: argument }, options),
  print: (terminal, schedule, { scheduleTimezone: timezone = 'UTC' }) => {
    const words = describeSchedule(schedule.cadence ?? '', timezone);
    terminal.print(
      ...renderFields([
        ...textsOf(schedule),
        ['in words', words?.words ?? ''],
        [`next runs (${timezone})`, words?.nextRuns.join(', ') ?? ''],
      ]),
    );
  },
};

const ASSOCIATE_COMMAND: OperationCommand<MerchantAssociation> = {
  request: ASSOCIATE_MERCHANT.request,
  group: ['merchants', "merchants' signup links"],
  name: 'associate',
  description: "make a merchant's signup link valid again, extended by 14 days",
  argument: ['<merchantId>', 'the merchant'],
  fields: { action: ['<action>', 'action', 'reactivate'] },
  more: [EXTRA_FIELD],
  help: `
The merchants interface has its own address: --merchants-base-url, with its path prefix.

Examples:
  $ pay-partner merchants associate 1001
  $ pay-partner merchants associate 1001 --action reactivate --json`,
  call: ({ merchants }, { argument, fields }, options) =>
    merchants.associate({ ...fields, merchantId: argument } as AssociateMerchantParams, options),
  print: (terminal, { message }) => terminal.print(toPlainText(message)),
};

const TRANSFER_FIELDS = ['id', 'merchantAccount', 'currency', 'status', 'schedule'];

const LIST_TRANSFERS_COMMAND: OperationCommand<readonly ScheduledTransfer[]> = {
  request: LIST_SCHEDULED_TRANSFERS.request,
  group: ['transfers', 'scheduled transfers'],
  name: 'list',
  description: 'scheduled transfers of a merchant, with their schedules in words',
  argument: ['<mid>', 'the merchant'],
  fields: {},
  more: [
    new Option('--body <file>', 'file with a JSON body to send with the GET, - for stdin'),
    scheduleTimezone('zone to read schedules in'),
  ],
  help: `
No key is sent unless --transfers-api-key-file or PAY_PARTNER_TRANSFERS_API_KEY is set. The
specification shows neither a key nor the time zone of a schedule, nor what a body does: with --body
the request is sent once and never repeated.

Examples:
  $ pay-partner transfers list 1001
  $ pay-partner transfers list 1001 --schedule-timezone Europe/London --json`,
  call: ({ scheduledTransfers }, { argument, body }, options) =>
    scheduledTransfers.list(argument, body, options),
  print: (terminal, transfers, { scheduleTimezone: timezone = 'UTC' }) => {
    if (transfers.length === 0) return terminal.note('No scheduled transfers.');
    const rows = transfers.map((transfer) => {
      const words = describeSchedule(fieldText(transfer, 'schedule'), timezone);
      const texts = TRANSFER_FIELDS.map((field) => fieldText(transfer, field));
      return [...texts, words?.words ?? '', words?.nextRuns[0] ?? ''];
    });
    const columns = [...TRANSFER_FIELDS, 'in words', 'next run'].map((title) => ({ title }));
    terminal.print(...renderTable(columns, rows, terminal.tableWidth));
    terminal.note(`Next runs are computed in ${timezone}; the provider does not show its zone.`);
  },
};

const ANALYTICS_COMMAND: OperationCommand<PartnerAnalytics> = {
  request: PARTNER_ANALYTICS.request,
  name: 'analytics',
  description: 'analytics of a partner, as bars',
  argument: ['<partner>', 'name of the partner'],
  fields: {
    timeframe: ['<name>', 'weekly, monthly, quarterly, custom; custom when dates are given'],
    from_date: ['<day>', 'first day of a custom range, YYYY-MM-DD'],
    to_date: ['<day>', 'last day; at most 90 days, both ends counted'],
  },
  more: [EXTRA_FIELD],
  help: `
Examples:
  $ pay-partner analytics harbour-lane --timeframe weekly
  $ pay-partner analytics harbour-lane --from-date 2026-01-01 --to-date 2026-03-31
  $ pay-partner analytics harbour-lane --timeframe monthly --json | jq .data`,
  call: ({ analytics }, { argument, fields }, options) => {
    const hasDates = 'from_date' in fields || 'to_date' in fields;
    const timeframe = hasDates ? { timeframe: 'custom' } : {};
    const params = { ...timeframe, ...fields, partner_name: argument };
    return analytics.partner(params, options);
  },
  print: (terminal, { data }) => {
    const lines = renderMetrics(data, terminal.drawingWidth);
    if (lines.length === 0) terminal.note('The answer holds no metrics.');
    else terminal.print(...lines);
  },
};

const { SplitFee: _, ...SESSION_FIELDS } = CREATE_CHECKOUT_SESSION.request.shape;

const CREATE_SESSION_COMMAND: OperationCommand<CheckoutSession> = {
  request: CREATE_CHECKOUT_SESSION.request,
  group: ['checkout-sessions', 'sessions for the client SDK'],
  name: 'create',
  description: 'create a session and print its id',
  fields: Object.fromEntries(
    Object.entries(SESSION_FIELDS).map(([name, schema]) => [
      name,
      ['', `${name}: ${schema.meta()?.description ?? ''}`],
    ]),
  ),
  more: [
    new Option(
      '--body <file>',
      'JSON file, - for stdin, with fields as the provider spells them; options override it',
    ),
    new Option(
      '--split-fee <partner:type:value[:value_type]>',
      'a share; may be repeated',
    ).argParser(collectSplit),
    EXTRA_FIELD,
  ],
  help: `
Every request that arrives creates another session, so it is never sent again once it may have
arrived. Exit code 3: a session may exist whose id was lost; it cannot be paid.

Examples:
  $ pay-partner checkout-sessions create --merchant-id 1001 --order-id 71 --amount 12.34 \\
      --merchant-reference A1001.71 --redirect-url https://shop.example/thanks
  $ pay-partner checkout-sessions create --body session.json --split-fee 501:1:0.30`,
  call: ({ checkoutSessions }, { body, fields }, options) =>
    checkoutSessions.create({ ...body, ...fields } as CreateCheckoutSessionParams, options),
  print: (terminal, { session_id: id }) => terminal.print(toPlainText(id)),
};

const TEST_WEBHOOK_COMMAND: OperationCommand<WebhookTest> = {
  request: TEST_WEBHOOK.request,
  name: 'test',
  description: 'ask the provider to send a test delivery, and show the endpoint’s answer',
  argument: ['<webhookId>', 'the webhook'],
  fields: { resellerId: ['<id>', 'the reseller'] },
  more: [new Option('--fail', 'exit code 1 when the endpoint did not answer 2xx')],
  help: `
The provider waits 10 s for the endpoint. Any answer of the endpoint is a result, not an error.

Examples:
  $ pay-partner webhooks test wh_1 --reseller-id 7001`,
  call: ({ webhooks }, { argument, fields }, options) =>
    webhooks.test({ ...fields, webhookId: argument }, options),
  print: (terminal, { data }) => {
    terminal.print(...renderFields(textsOf(data)));
    if (isSuccess(data)) return;
    terminal.note(toPlainText(`The endpoint did not answer 2xx (${data.status_code ?? 'none'}).`));
  },
  exitCode: ({ data }, { fail }) => (fail === true && !isSuccess(data) ? EXIT.refused : EXIT.ok),
};

function isSuccess({ status_code: status }: WebhookTest['data']): boolean {
  return status !== undefined && status >= 200 && status <= 299;
}

function textsOf(reply: object): [string, string][] {
  return Object.keys(reply).map((name) => [name, fieldText(reply, name)]);
}

/** The commands of one operation each, by their first word. */
export const OPERATION_COMMANDS = {
  reports: adder(UPDATE_SCHEDULE_COMMAND),
  merchants: adder(ASSOCIATE_COMMAND),
  transfers: adder(LIST_TRANSFERS_COMMAND),
  analytics: adder(ANALYTICS_COMMAND),
  'checkout-sessions': adder(CREATE_SESSION_COMMAND),
} as const;

/** `webhooks test`. */
export const addTestCommand = adder(TEST_WEBHOOK_COMMAND);

function adder<Reply>(entry: OperationCommand<Reply>): (parent: Command, cli: Cli) => void {
  const { request, group, name, description, argument, fields, more = [], help } = entry;
  return (parent, cli) => {
    const below = group === undefined ? parent : parent.command(group[0]).description(group[1]);
    const command = addFields(below.command(name), request, fields).description(description);
    if (argument !== undefined) command.argument(...argument);
    for (const option of more) command.addOption(option);
    command.addHelpText('after', help);
    command.action(() => run(cli, entry, command));
  };
}

async function run<Reply>(
  cli: Cli,
  { request, call, print, exitCode }: OperationCommand<Reply>,
  command: Command,
): Promise<void> {
  const options = command.optsWithGlobals<ExtraOptions>();
  const body = options.body === undefined ? undefined : await readBody(options.body, cli.context);
  const fields = fieldsOf(request, options);
  const { client } = await cli.open(command);
  const [argument = ''] = command.args;
  const reply = await call(
    client,
    { argument, body, fields },
    {
      signal: cli.context.signal,
      timeoutSeconds: options.timeout,
      extraFields: options.extraField,
    },
  );
  cli.exitCode = exitCode?.(reply, options) ?? EXIT.ok;
  if (options.json === true) cli.terminal.printJson(reply);
  else print(cli.terminal, reply, options);
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
