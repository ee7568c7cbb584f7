import { z } from 'zod';
import { maskSecret } from './inspector/mask.js';
import { createSessionRequest } from './resources/session-store.js';
import { isTimezone } from './transactions/find-rows.js';
import { pauseSeconds, seconds, text } from './schemas.js';
import { TRANSACTION_VARIANTS } from './transactions/transaction.js';
import { webhookSigningSchema } from './webhooks/webhook-signing.js';

const rows = z
  .int('expected a number of rows')
  .min(1, 'expected at least 1 row')
  .max(100_000, 'expected at most 100000 rows');

/** What can become of a session. */
export const WEBHOOK_OUTCOMES = ['paid', 'declined', 'refunded', 'cancelled', 'expired'] as const;

export type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number];

const eventName = text.min(1, 'expected a name');

const webhookEvents = z.strictObject(
  {
    paid: eventName.default('payment.paid'),
    declined: eventName.default('payment.declined'),
    refunded: eventName.default('payment.refunded'),
    cancelled: eventName.default('payment.cancelled'),
    expired: eventName.default('payment.expired'),
  } satisfies Record<WebhookOutcome, z.ZodType>,
  'expected names such as {"paid": "payment.paid"}',
);

function oneOf<const Words extends readonly [string, ...string[]]>(...words: Words) {
  return z.enum(words, `expected ${words.join(', ')}`);
}

/** One switch: where the spec leaves it open, what it decides, its values and its default. */
function define<Schema extends z.ZodType>(
  section: string,
  what: string,
  schema: Schema,
  preset: z.input<Schema> & z.core.util.NoUndefined<z.output<Schema>>,
) {
  return schema.default(preset).meta({ section, description: what });
}

/**
 * What the spec does not show, as switches. From this one schema derive the options of a sandbox, the
 * environment variables, the configuration file, `/_sandbox/switches` and the page of the reference. All
 * of them can change while the sandbox runs.
 */
const SWITCHES = {
  requiredFields: define(
    '4.6',
    'fields required beyond `merchant_id`, `order_id`, `Amount`',
    z.array(createSessionRequest.keyof(), 'expected an array of field names'),
    [],
  ),
  sessionLifetimeSeconds: define('2.4', 'how long a session can be paid', seconds, 86_400),
  listingDelaySeconds: define('4.1', 'how long the list hides new approvals', seconds, 0),
  transactionVariant: define(
    '2.1',
    'which fields a row has',
    oneOf(...TRANSACTION_VARIANTS),
    'every-field',
  ),
  omittedTransactionFields: define(
    '2.1',
    'fields left out of every row beyond that',
    z.array(text, 'expected an array of field names'),
    [],
  ),
  defaultLimit: define('8', '`limit` when none is sent', rows, 20),
  maxLimit: define('8', 'a larger `limit` gets this many rows', rows, 1000),
  defaultTimezone: define(
    '4.1',
    '`timezone` when none is sent; `fromDate` and `toDate` are whole days in it',
    text.refine(isTimezone, 'expected the name of a time zone'),
    'UTC',
  ),
  cursorLifetimeSeconds: define(
    '8',
    'how long a cursor is valid',
    z.union([seconds, z.literal('forever')], 'expected a number of seconds, or forever'),
    'forever',
  ),
  emptyScheduleFields: define(
    '2.2',
    'schedule fields without a value',
    oneOf('omit', 'null'),
    'omit',
  ),
  transfersKey: define(
    '5',
    'key of the scheduled-transfer read',
    oneOf('ignored', 'required'),
    'ignored',
  ),
  webhookOutcomes: define(
    '6',
    'what is sent to `WebhookUrl` and to the endpoints',
    z.array(oneOf(...WEBHOOK_OUTCOMES), `expected an array of ${WEBHOOK_OUTCOMES.join(', ')}`),
    [...WEBHOOK_OUTCOMES],
  ),
  webhookEvents: define(
    '6',
    'the `event` of each outcome; an endpoint with `events` gets only those that it names',
    webhookEvents,
    webhookEvents.parse({}),
  ),
  webhookCopies: define(
    '6',
    'how many times each webhook is sent; 0: never',
    z.int('expected a number').min(0, 'expected at least 0').max(100, 'expected at most 100'),
    1,
  ),
  webhookDelaySeconds: define('6', 'how late a webhook is sent', seconds, 0),
  webhookUrlKey: define(
    '6',
    'the key that signs webhooks to `WebhookUrl`; `none`: unsigned',
    text.min(1, 'expected a key, or none').meta({ writeOnly: true }),
    'none',
  ),
  webhookSigning: define(
    '6',
    'how webhooks are signed; a scheme is data',
    z.union(
      [z.literal('none'), z.literal('standard-webhooks'), webhookSigningSchema],
      'expected none, standard-webhooks, or a scheme such as {"header": "x-signature"}',
    ),
    'none',
  ),
  hmacKeyFormat: define(
    '4.7',
    'form of a generated `hmac_key`',
    oneOf('hex', 'base64', 'whsec'),
    'hex',
  ),
  webhookPausesSeconds: define(
    '6',
    'pauses before the second, third… attempt at a webhook without a 2xx',
    z.array(pauseSeconds, 'expected an array of seconds'),
    [1, 2, 5, 15, 60, 300],
  ),
  webhookTimeoutSeconds: define(
    '6',
    'how long a receiver may take; 10 in 4.8',
    pauseSeconds.positive('expected more than 0 seconds'),
    10,
  ),
  noAnswerStatusCode: define(
    '4.8',
    '`status_code` of an unanswered webhook test',
    z.int('expected an integer'),
    0,
  ),
};

export const switchesSchema = z.strictObject(SWITCHES, 'expected an object of switches');

/** The switches of a sandbox. They can change at any time: read them when you need them. */
export type Switches = z.output<typeof switchesSchema>;

/** Switches with those left out that keep their default. */
export type SwitchesInput = z.input<typeof switchesSchema>;

export const SWITCH_NAMES = Object.keys(SWITCHES) as readonly (keyof Switches)[];

/** A change of some switches. `null` sets one back to the value at the start. */
export type SwitchesChange = {
  readonly [Name in keyof Switches]?: Switches[Name] | null | undefined;
};

export const switchesChange = z
  .strictObject(
    mapSwitches((schema): z.ZodType => schema.unwrap().nullish()),
    'expected an object of switches',
  )
  .meta({
    description: '`null` sets a switch back to its value at the start',
  }) as unknown as z.ZodType<SwitchesChange>;

/** Another value for each switch, made from its schema. */
export function mapSwitches<Value>(
  change: (schema: (typeof SWITCHES)[keyof Switches]) => Value,
): Record<keyof Switches, Value> {
  return Object.fromEntries(SWITCH_NAMES.map((name) => [name, change(SWITCHES[name])])) as Record<
    keyof Switches,
    Value
  >;
}

/** The switches among the settings. */
export function switchesOf(settings: Switches): Switches {
  return Object.fromEntries(SWITCH_NAMES.map((name) => [name, settings[name]])) as Switches;
}

/** A switch as the page and `GET /_sandbox/switches` show it. */
export interface DescribedSwitch {
  readonly name: string;
  /** A secret (`writeOnly` in the schema) is masked. */
  readonly value: unknown;
  readonly default: unknown;
  /** Section of the spec that leaves it open. */
  readonly section: string;
  readonly what: string;
  /** Its environment variable. */
  readonly environment: string;
  /** Its values as JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export function describeSwitches(values: Switches): DescribedSwitch[] {
  return SWITCH_NAMES.map((name) => {
    const {
      $schema: _version,
      default: preset,
      section,
      description,
      ...schema
    } = z.toJSONSchema(SWITCHES[name], { io: 'input' });
    const value = values[name];
    const isSecret = schema.writeOnly === true && typeof value === 'string';
    return {
      name,
      value: isSecret && value !== preset ? maskSecret(value) : value,
      default: preset,
      section: String(section),
      what: description ?? '',
      environment: toVariable(name),
      schema,
    };
  });
}

/** `maxLimit` → `SANDBOX_MAX_LIMIT`. */
export function toVariable(name: string): string {
  return `SANDBOX_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
}
