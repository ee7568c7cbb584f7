import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { integer, knownCurrency, text } from './schemas.js';
import { isPathPrefix, type SandboxOptions } from './settings.js';
import { mapSwitches, toVariable, type Switches } from './switches.js';
import { MAX_HISTORY_COUNT } from './transactions/history.js';

/** What the process is started with. */
export interface SandboxConfig extends SandboxOptions {
  readonly host: string;
  readonly port: number;
}

const EXPECTED_KEY = 'expected the key that callers will send. Choose any';

const prefix = text.refine(
  isPathPrefix,
  'expected a path such as /merchants-sandbox, without a last slash, or nothing',
);

/** What cannot change while the sandbox runs. */
export const START_SETTINGS = {
  apiKey: z.string(EXPECTED_KEY).min(1, EXPECTED_KEY),
  host: text.default('127.0.0.1'),
  port: wholeNumber(0, 65_535, 'a port, 0 to 65535 (0 takes a free one)').default(4300),
  publicUrl: text.regex(/^https?:\/\//, 'expected an http or https address').optional(),
  merchants: z
    .array(
      z.strictObject({
        id: integer,
        name: text.min(1, 'expected a name'),
        currency: knownCurrency,
        resellerId: integer.optional(),
      }),
      'expected [{"id": 1001, "name": "…", "currency": "GBP"}]',
    )
    .min(1, 'expected at least one merchant')
    .optional(),
  requestLog: text.min(1, 'expected the path of a file').optional(),
  adversarial: text.min(1, 'expected a seed: any text').optional(),
  seed: text.optional(),
  transactions: wholeNumber(0, MAX_HISTORY_COUNT, `a number up to ${MAX_HISTORY_COUNT}`).optional(),
  transactionsUntil: z.iso
    .datetime('expected an ISO 8601 timestamp in UTC, such as 2026-01-01T00:00:00.000Z')
    .optional(),
  transactionsDays: wholeNumber(1, 3650, 'a number of days, 1 to 3650').optional(),
  fixedTime: z.iso.datetime('expected an ISO 8601 timestamp in UTC').optional(),
  merchantsPrefix: prefix.optional(),
  transfersPrefix: prefix.optional(),
};

/** Everything that the environment and the file can set. A switch without a value is left out. */
const SETTINGS = {
  ...START_SETTINGS,
  ...(mapSwitches((schema) => schema.unwrap().optional()) as {
    [Name in keyof Switches]: z.ZodType<Switches[Name] | undefined>;
  }),
};

/**
 * Reads the environment and, below it, a JSON file with the same names in camel case: `SANDBOX_MAX_LIMIT`
 * is `maxLimit`. Throws an error that names every invalid value.
 *
 * @param path the file; default `SANDBOX_CONFIG`, otherwise none
 */
export function parseConfig(
  environment: NodeJS.ProcessEnv,
  path = environment['SANDBOX_CONFIG'],
): SandboxConfig {
  const file = path === undefined ? {} : readFile(path);
  const problems = Object.keys(file)
    .filter((name) => !(name in SETTINGS))
    .map((name) => `${name}: is not a setting; expected ${Object.keys(SETTINGS).join(', ')}`);
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(SETTINGS)) {
    const variable = toVariable(name);
    const given = environment[variable];
    const result = given === undefined ? schema.safeParse(file[name]) : parseText(schema, given);
    if (result.success) {
      if (result.data !== undefined) values[name] = result.data;
      continue;
    }
    for (const issue of result.error.issues) {
      problems.push(`${[variable, ...issue.path].join('.')}: ${issue.message}`);
    }
  }
  if (problems.length > 0) {
    throw new Error(
      `The sandbox cannot start:\n${problems.map((line) => `- ${line}.`).join('\n')}`,
    );
  }
  const { seed, transactions, transactionsUntil, transactionsDays, ...config } = values;
  const history = leaveOutUndefined({
    seed,
    count: transactions,
    until: transactionsUntil,
    days: transactionsDays,
  });
  const isEmpty = Object.keys(history).length === 0;
  return { ...config, ...(!isEmpty && { history }) } as unknown as SandboxConfig;
}

/** Variables that look like settings and are none: misspelt, or those of another version. */
export function findUnknownVariables(environment: NodeJS.ProcessEnv): string[] {
  // The file of the settings, and where the commands find a sandbox.
  const known = [...Object.keys(SETTINGS).map(toVariable), 'SANDBOX_CONFIG', 'SANDBOX_URL'];
  return Object.keys(environment).filter(
    (name) => name.startsWith('SANDBOX_') && !known.includes(name),
  );
}

function readFile(path: string): Readonly<Record<string, unknown>> {
  const content = parseJson(readFileSync(path, 'utf8'));
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) {
    return content as Readonly<Record<string, unknown>>;
  }
  throw new Error(`The sandbox cannot start: ${path} is not a JSON object.`);
}

/** The text itself where the setting is a text, otherwise as JSON. */
function parseText(schema: z.ZodType, given: string): z.ZodSafeParseResult<unknown> {
  const asText = schema.safeParse(given);
  const value = asText.success ? undefined : parseJson(given);
  return value === undefined ? asText : schema.safeParse(value);
}

function wholeNumber(min: number, max: number, expected: string) {
  return z
    .int(`expected ${expected}`)
    .min(min, `expected ${expected}`)
    .max(max, `expected ${expected}`);
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

function leaveOutUndefined(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
