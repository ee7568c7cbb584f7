import { z } from 'zod';
import { isPathPrefix, type SandboxOptions } from './settings.js';
import { MAX_HISTORY_COUNT } from './transactions/history.js';
import { TRANSACTION_VARIANTS } from './transactions/transaction.js';
import { STANDARD_WEBHOOKS, webhookSigningSchema } from './webhooks/webhook-signing.js';

/** What the process reads from its environment. */
export interface SandboxConfig extends SandboxOptions {
  readonly host: string;
  readonly port: number;
}

const merchantList = z
  .array(
    z.strictObject({
      id: z.int(),
      name: z.string().min(1),
      currency: z.string().regex(/^[A-Z]{3}$/),
      resellerId: z.int().optional(),
    }),
  )
  .min(1);

const prefix = z
  .string()
  .refine(
    isPathPrefix,
    'expected a path such as /merchants-sandbox, without a last slash, or nothing',
  );

/** Each environment variable: what it becomes, and what to say when it is invalid. */
const VARIABLES = {
  SANDBOX_HOST: z.string().default('127.0.0.1'),
  SANDBOX_PORT: wholeNumber(0, 65_535, 'a port, 0 to 65535 (0 takes a free one)').default(4300),
  SANDBOX_API_KEY: z
    .string('expected the key that callers will send. Choose any')
    .min(1, 'expected the key that callers will send. Choose any'),
  SANDBOX_PUBLIC_URL: z
    .string()
    .regex(/^https?:\/\//, 'expected an http or https address')
    .optional(),
  SANDBOX_REQUEST_LOG: z.string().min(1, 'expected the path of a file').optional(),
  SANDBOX_MERCHANTS: json(
    merchantList,
    '[{"id": 1001, "name": "…", "currency": "GBP"}]',
  ).optional(),
  SANDBOX_SEED: z.string().optional(),
  SANDBOX_TRANSACTIONS: wholeNumber(
    0,
    MAX_HISTORY_COUNT,
    `a number up to ${MAX_HISTORY_COUNT}`,
  ).optional(),
  SANDBOX_TRANSACTIONS_UNTIL: z.iso
    .datetime('expected an ISO 8601 timestamp in UTC, such as 2026-01-01T00:00:00.000Z')
    .optional(),
  SANDBOX_TRANSACTIONS_DAYS: wholeNumber(1, 3650, 'a number of days, 1 to 3650').optional(),
  SANDBOX_VARIANT: z
    .enum(TRANSACTION_VARIANTS, `expected ${TRANSACTION_VARIANTS.join(', ')}`)
    .optional(),
  SANDBOX_DEFAULT_LIMIT: wholeNumber(1, 100_000, 'a number of rows').optional(),
  SANDBOX_MAX_LIMIT: wholeNumber(1, 100_000, 'a number of rows').optional(),
  SANDBOX_CURSOR_LIFETIME_SECONDS: wholeNumber(0, 1e9, 'a number of seconds').optional(),
  SANDBOX_MERCHANTS_PREFIX: prefix.optional(),
  SANDBOX_TRANSFERS_PREFIX: prefix.optional(),
  SANDBOX_TRANSFERS_KEY: z.enum(['required', 'ignored'], 'expected required or ignored').optional(),
  SANDBOX_WEBHOOK_SIGNING: z
    .union(
      [
        z.literal('none').transform(() => undefined),
        z.literal('standard-webhooks').transform(() => STANDARD_WEBHOOKS),
        json(webhookSigningSchema, 'a scheme'),
      ],
      'expected none, standard-webhooks, or a scheme such as {"header": "x-signature"}',
    )
    .optional(),
};

/** Reads the environment. Throws an error that names every invalid value. */
export function parseConfig(environment: NodeJS.ProcessEnv): SandboxConfig {
  const result = z.object(VARIABLES).safeParse(environment);
  if (!result.success) {
    const lines = result.error.issues.map(
      ({ path, message }) => `- ${path.join('.')}: ${message}.`,
    );
    throw new Error(`The sandbox cannot start:\n${lines.join('\n')}`);
  }
  const read = result.data;
  const history = leaveOutUndefined({
    seed: read.SANDBOX_SEED,
    count: read.SANDBOX_TRANSACTIONS,
    until: read.SANDBOX_TRANSACTIONS_UNTIL,
    days: read.SANDBOX_TRANSACTIONS_DAYS,
  });
  return {
    host: read.SANDBOX_HOST,
    port: read.SANDBOX_PORT,
    apiKey: read.SANDBOX_API_KEY,
    ...(Object.keys(history).length === 0 ? {} : { history }),
    ...leaveOutUndefined({
      publicUrl: read.SANDBOX_PUBLIC_URL,
      requestLog: read.SANDBOX_REQUEST_LOG,
      merchants: read.SANDBOX_MERCHANTS,
      transactionVariant: read.SANDBOX_VARIANT,
      defaultLimit: read.SANDBOX_DEFAULT_LIMIT,
      maxLimit: read.SANDBOX_MAX_LIMIT,
      cursorLifetimeSeconds: read.SANDBOX_CURSOR_LIFETIME_SECONDS,
      merchantsPrefix: read.SANDBOX_MERCHANTS_PREFIX,
      transfersPrefix: read.SANDBOX_TRANSFERS_PREFIX,
      transfersKey: read.SANDBOX_TRANSFERS_KEY,
      webhookSigning: read.SANDBOX_WEBHOOK_SIGNING,
    }),
  };
}

function wholeNumber(min: number, max: number, expected: string) {
  return z
    .string()
    .regex(/^\d{1,12}$/, `expected ${expected}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `expected ${expected}`);
}

/** A variable that holds JSON. Its mistakes are one line. */
function json<Schema extends z.ZodType>(schema: Schema, example: string) {
  return z.string().transform((text, context): z.output<Schema> => {
    const value = parseJson(text);
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const fields = result.error.issues.map(({ path }) => path.join('.') || 'it');
    const problem = value === undefined ? 'is not JSON' : `${fields.join(', ')} is invalid`;
    context.addIssue({ code: 'custom', message: `${problem}; expected ${example}` });
    return z.NEVER;
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Present<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> };

function leaveOutUndefined<Values extends object>(values: Values): Present<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Present<Values>;
}
