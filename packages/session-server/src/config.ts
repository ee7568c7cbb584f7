import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { Secret } from '@pay-checkout/partner-api';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { smallestOrderIdAt } from './checkouts/order-ids.js';
import type { Environment } from './contract.js';
import { origin, providerKey, providerUrl } from './contract-schemas.js';
import { ConfigError } from './errors.js';
import type { RateLimits } from './http/limits.js';
import { describeIssue, findMeant, toFieldErrors } from './field-errors.js';
import { reportAddress } from './security/csp.js';
import { ENCRYPTION_KEY_EXPECTED, parseEncryptionKeys } from './encryption.js';
import {
  OPERATOR_KEYS_EXPECTED,
  OPERATOR_USERS_EXPECTED,
  type OperatorKey,
  readOperatorKeys,
  readOperatorUsers,
  type Role,
} from './metrics/operator-people.js';
import { readSecretFile } from './secret-files.js';

const wholeNumber = z.coerce.number('expected a whole number above 0').int().positive();
/** A century: anything far beyond is a typo, and overflows the range of dates. */
const MAX_DAYS = 36_500;
const days = wholeNumber.max(MAX_DAYS, `expected at most ${MAX_DAYS} days`);

/** Addresses that only programs on the same machine reach. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;
const port = z.coerce.number('expected a port number from 0 to 65535').int().min(0).max(65_535);

/** Texts, separated by commas. */
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

/** Host names, without ports. */
const hostNames = list
  .transform((names) => names.map((name) => name.toLowerCase()))
  .refine((names) => names.every((name) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name)), {
    error: 'expected host names without ports, separated by commas: "pay-1.internal"',
  });

const ADDRESSES = ['PAY_PUBLIC_URL', 'PAY_WEBHOOK_BASE_URL', 'PAY_PARTNER_API_URL'] as const;

const PROXIES_EXPECTED =
  'expected how many proxies stand before the server, or their addresses: "1" or "10.0.0.0/8"; "0" when there is none';

const trustProxy = z
  .string()
  .refine((text) => /^\d$/.test(text) || text.split(',').every(isProxyAddress), {
    error: PROXIES_EXPECTED,
  })
  .transform((text) =>
    /^\d$/.test(text) ? Number(text) : text.split(',').map((part) => part.trim()),
  );

/** An address or a range. Not a range of all: then anyone could choose an address. */
function isProxyAddress(text: string): boolean {
  const part = text.trim();
  // A number alone would be read as an address.
  if (/^\d+$/.test(part)) return false;
  return ipaddr.isValid(part) || (ipaddr.isValidCIDR(part) && !part.endsWith('/0'));
}

const operatorKeys = z.string().transform((text, context) => {
  const keys = readOperatorKeys(text);
  if (!keys) context.addIssue({ code: 'custom', message: OPERATOR_KEYS_EXPECTED });
  return keys ?? [];
});

const operatorUsers = z.string().transform((text, context) => {
  const users = readOperatorUsers(text);
  if (!users) context.addIssue({ code: 'custom', message: OPERATOR_USERS_EXPECTED });
  return users ?? new Map<string, Role>();
});

const DATABASE_URL_EXPECTED =
  'expected the address of a PostgreSQL database: "postgres://user:password@host:5432/database"';

const SEVERAL_HOSTS =
  'it names several hosts, and the driver connects to one; expected an address that leads to the primary server: a DNS name, a proxy or a pooler';

const databaseUrl = z.string().superRefine((text, context) => {
  const hosts = [/^[^/]*\/\/([^/?#]*)/, /[?&]host=([^&]*)/].map(
    (pattern) => pattern.exec(text)?.[1]?.split('@').at(-1) ?? '',
  );
  if (hosts.some((host) => /,|%2c/i.test(host))) {
    context.addIssue({ code: 'custom', message: SEVERAL_HOSTS });
  } else if (!isDatabaseUrl(text)) {
    context.addIssue({ code: 'custom', message: DATABASE_URL_EXPECTED });
  }
});

function isDatabaseUrl(text: string): boolean {
  // Without a host it is a socket's: "postgres://user:password@/database?host=/run/postgresql".
  const url = text.replace('@/', '@socket/');
  return URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol);
}

const ANY_ADDRESS = ['0.0.0.0', '::'];

/** For `/metrics` alone, which has no key. */
const METRICS_HOST = '127.0.0.1';

/** A listener, and the setting of its port. */
interface ListenerSettings {
  readonly setting: string;
  readonly host?: string | undefined;
  readonly port: number;
}

/** What the server is to listen on, itself first: those that are set. */
export function listenersOf(settings: ReturnType<typeof readValidSettings>): ListenerSettings[] {
  const { PAY_HOST, PAY_PORT, PAY_OPERATOR_HOST, PAY_OPERATOR_PORT, PAY_METRICS_PORT } = settings;
  const { PAY_DASHBOARD_HOST, PAY_DASHBOARD_PORT } = settings;
  const listeners = [
    { setting: 'PAY_PORT', host: PAY_HOST, port: PAY_PORT },
    { setting: 'PAY_OPERATOR_PORT', host: PAY_OPERATOR_HOST, port: PAY_OPERATOR_PORT },
    { setting: 'PAY_METRICS_PORT', host: METRICS_HOST, port: PAY_METRICS_PORT },
    {
      setting: 'PAY_DASHBOARD_PORT',
      host: PAY_DASHBOARD_HOST,
      port: PAY_DASHBOARD_PORT,
    },
  ];
  return listeners.flatMap(({ port, ...rest }) => (port === undefined ? [] : [{ ...rest, port }]));
}

/** Those that are to be where one before them is. Port 0 is any that is free. */
export function findTaken(
  listeners: readonly ListenerSettings[],
): (ListenerSettings & { readonly by: ListenerSettings })[] {
  return listeners.flatMap((listener, at) => {
    const by = listeners.slice(0, at).find((other) => isSameAddress(listener, other));
    return by ? [{ ...listener, by }] : [];
  });
}

function isSameAddress(one: ListenerSettings, other: ListenerSettings): boolean {
  const hosts = [one.host ?? '', other.host ?? ''];
  const isAny = hosts.some((address) => ANY_ADDRESS.includes(address));
  return one.port !== 0 && one.port === other.port && (isAny || hosts[0] === hosts[1]);
}

const environmentSchema = z
  .object({
    PAY_ENVIRONMENT: z.enum(['sandbox', 'production'], 'expected "sandbox" or "production"'),
    PAY_HOST: z.string().default('127.0.0.1'),
    PAY_PORT: port.default(4200),
    PAY_OPERATOR_HOST: z.string().default('127.0.0.1'),
    PAY_OPERATOR_PORT: port.optional(),
    PAY_OPERATOR_KEY: operatorKeys.optional(),
    PAY_OPERATOR_NAMES: hostNames,
    PAY_OPERATOR_USER_HEADER: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'expected the name of a header, such as "X-Forwarded-User"')
      .transform((name) => name.toLowerCase())
      .optional(),
    PAY_OPERATOR_USERS: operatorUsers.optional(),
    PAY_OPERATOR_CONSOLE_URL: origin.optional(),
    PAY_METRICS_PORT: port.optional(),
    PAY_DASHBOARD_HOST: z.string().default('127.0.0.1'),
    PAY_DASHBOARD_PORT: port.optional(),
    PAY_PUBLIC_URL: origin,
    PAY_WEBHOOK_BASE_URL: origin.optional(),
    PAY_DATABASE_FILE: z
      .string()
      .min(1)
      .refine((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true, {
        error: 'it is a folder; expected the path of a file in it',
      })
      .optional(),
    DATABASE_URL: databaseUrl.optional(),
    PAY_NAMED_STATEMENTS: z.enum(['on', 'off'], 'expected "on" or "off"').default('off'),
    PAY_MERCHANTS_FILE: z.string('expected the path of the merchants file').min(1),
    PAY_WIDGET_SCRIPT: z.string('expected the path of pay-checkout.js').min(1),
    PAY_EARLIER_WIDGET_SCRIPTS: list,
    PAY_APPLE_PAY_FILE: z.string().min(1).optional(),
    PAY_PARTNER_API_URL: providerUrl,
    PAY_PARTNER_API_KEY: providerKey,
    PAY_SERVER_NAME: z
      .string()
      .regex(/^[\w.:-]{1,100}$/, 'expected letters, digits, dots, colons and dashes')
      .optional(),
    PAY_LOG_LEVEL: z
      .enum(
        ['silent', 'error', 'warn', 'info', 'debug'],
        'expected silent, error, warn, info or debug',
      )
      .default('info'),
    PAY_WATCH_DAYS: days.default(14),
    PAY_REFUND_WATCH_DAYS: days.default(90),
    PAY_TRUST_PROXY: trustProxy.optional(),
    PAY_ENCRYPTION_KEY: z
      .string()
      .refine((text) => parseEncryptionKeys(text) !== undefined, {
        error: ENCRYPTION_KEY_EXPECTED,
      })
      .optional(),
    PAY_CSP_REPORT_TO: reportAddress.optional(),
    PAY_RETENTION_DAYS: days.default(30),
    PAY_ORDER_RETENTION_DAYS: days.optional(),
    PAY_ORDER_REMOVAL_DAYS: days.optional(),
    PAY_MAX_ORDER_ID: wholeNumber
      .refine((max) => max > smallestOrderIdAt(Date.now()), {
        error: () =>
          `no payment could be begun: order ids follow the seconds since 2025; expected more than ${smallestOrderIdAt(Date.now())}`,
      })
      .default(2 ** 31 - 1),
  })
  .superRefine(
    (env, context) => {
      if (env.DATABASE_URL === undefined && env.PAY_DATABASE_FILE === undefined) {
        const message = 'expected the path of the data file, or DATABASE_URL';
        context.addIssue({ code: 'custom', path: ['PAY_DATABASE_FILE'], message });
      }
      if (env.DATABASE_URL !== undefined && env.PAY_ENCRYPTION_KEY === undefined) {
        const message = `servers that share a database share their keys; ${ENCRYPTION_KEY_EXPECTED}`;
        context.addIssue({ code: 'custom', path: ['PAY_ENCRYPTION_KEY'], message });
      }
      for (const { setting, by } of findTaken(listenersOf(env))) {
        const message = `${by.setting} has the same address and port; choose another port`;
        context.addIssue({ code: 'custom', path: [setting], message });
      }
      if (env.PAY_METRICS_PORT !== undefined && env.PAY_OPERATOR_PORT !== undefined) {
        const message = 'PAY_OPERATOR_PORT has /metrics as well; set one of them';
        context.addIssue({ code: 'custom', path: ['PAY_METRICS_PORT'], message });
      }
      if (env.PAY_OPERATOR_USER_HEADER !== undefined && !Array.isArray(env.PAY_TRUST_PROXY)) {
        const message =
          'it needs the addresses of the proxies in PAY_TRUST_PROXY: otherwise anyone who reaches the port could send the header';
        context.addIssue({ code: 'custom', path: ['PAY_OPERATOR_USER_HEADER'], message });
      }
      if ((env.PAY_OPERATOR_USER_HEADER === undefined) !== (env.PAY_OPERATOR_USERS === undefined)) {
        const message = 'PAY_OPERATOR_USER_HEADER and PAY_OPERATOR_USERS go together; set both';
        context.addIssue({ code: 'custom', path: ['PAY_OPERATOR_USERS'], message });
      }
      const watched = Math.max(env.PAY_WATCH_DAYS, env.PAY_REFUND_WATCH_DAYS);
      if (env.PAY_ORDER_REMOVAL_DAYS !== undefined && env.PAY_ORDER_REMOVAL_DAYS <= watched) {
        const message = `attempts are polled for that long by PAY_WATCH_DAYS and PAY_REFUND_WATCH_DAYS; expected more than ${watched} days`;
        context.addIssue({ code: 'custom', path: ['PAY_ORDER_REMOVAL_DAYS'], message });
      }
      if (env.PAY_ENVIRONMENT !== 'production') return;
      if (env.PAY_ENCRYPTION_KEY === undefined && env.DATABASE_URL === undefined) {
        const message = `production needs a key for the bodies of webhooks; ${ENCRYPTION_KEY_EXPECTED}`;
        context.addIssue({ code: 'custom', path: ['PAY_ENCRYPTION_KEY'], message });
      }
      if (env.PAY_TRUST_PROXY === undefined) {
        const message = `production has no default; ${PROXIES_EXPECTED}`;
        context.addIssue({ code: 'custom', path: ['PAY_TRUST_PROXY'], message });
      }
      if (
        env.PAY_OPERATOR_PORT !== undefined &&
        env.PAY_OPERATOR_KEY === undefined &&
        !LOOPBACK.test(env.PAY_OPERATOR_HOST)
      ) {
        const message =
          'production expects a loopback address such as "127.0.0.1", or PAY_OPERATOR_KEY as well';
        context.addIssue({ code: 'custom', path: ['PAY_OPERATOR_HOST'], message });
      }
      for (const name of ADDRESSES) {
        if (env[name]?.startsWith('http:')) {
          context.addIssue({ code: 'custom', path: [name], message: 'production expects https' });
        }
      }
    },
    // Also when something else is wrong, so that every mistake is listed at once.
    { when: () => true },
  );

/** The settings that are right, whatever is wrong with the others. */
export function readValidSettings(
  env: Readonly<Record<string, string | undefined>>,
): Partial<z.output<typeof environmentSchema>> {
  const { texts } = readSecretFiles(env);
  return Object.fromEntries(
    Object.entries(environmentSchema.shape).flatMap(([name, schema]) => {
      const given = texts[name] ?? env[name];
      const { success, data } = schema.safeParse(given === '' ? undefined : given);
      return success ? [[name, data]] : [];
    }),
  );
}

/**
 * The settings of commands that need only the merchants file.
 *
 * @throws {ConfigError} naming both when both are bad
 */
export function parseMerchantsSettings(env: Readonly<Record<string, string | undefined>>) {
  const { PAY_ENVIRONMENT, PAY_MERCHANTS_FILE } = environmentSchema.shape;
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const { data, error } = z
    .object({ PAY_ENVIRONMENT, PAY_MERCHANTS_FILE })
    .safeParse(given, { error: describeIssue });
  if (!data) {
    const mistakes = toFieldErrors(error).map(({ field, message }) => `${field}: ${message}`);
    throw new ConfigError('environment', mistakes);
  }
  return { environment: data.PAY_ENVIRONMENT, file: data.PAY_MERCHANTS_FILE };
}

/** What an operator need not set: constants with their defaults, for programs and tests. */
export interface Tuning {
  /** How long a checkout stays open by our clock. */
  readonly expireAfterSeconds: number;
  /** How long a return may wait for a transaction before it is `unconfirmed`. */
  readonly settleWindowSeconds: number;
  /** Shortest time between two polls of one list: an account’s, or a merchant’s that is read alone. */
  readonly pollIntervalSeconds: number;
  /** Between two questions to the store what is due: what another server stored is seen after this. */
  readonly tickSeconds: number;
  /** Pages a minute of one list; at least 2, and half of them are for the backfill. */
  readonly pollPagesPerMinute: number;
  /** Deadline of a call to the provider, body included. */
  readonly createSessionTimeoutSeconds: number;
  /** How long a request waits for another one that creates a checkout of the same order. */
  readonly ownerWaitSeconds: number;
  /** New sessions of one order after the SDK refused one. */
  readonly renewalsPerHour: number;
  readonly rateLimits: RateLimits;
  readonly webhooks: WebhookLimits;
}

interface WebhookLimits {
  /** Largest body that is taken. */
  readonly maxBytes: number;
  /** Bytes, headers too, that are kept for the address of one attempt. */
  readonly bytesPerAttempt: number;
  /** Bytes, headers too, that are taken in an hour from one registered endpoint. */
  readonly bytesPerHourPerEndpoint: number;
  /** Unmatched webhooks that are kept for each registered endpoint, and for how long. */
  readonly maxUnmatched: number;
  readonly unmatchedHours: number;
}

export const DEFAULT_TUNING: Tuning = {
  expireAfterSeconds: 3600,
  settleWindowSeconds: 300,
  pollIntervalSeconds: 3,
  tickSeconds: 1,
  pollPagesPerMinute: 60,
  createSessionTimeoutSeconds: 10,
  ownerWaitSeconds: 10,
  renewalsPerHour: 3,
  rateLimits: {
    createPerAddress: 60,
    createPerOrder: 30,
    createPerMerchant: 3000,
    statusPerAddress: 600,
    pagesPerAddress: 600,
    apiPerMerchant: 3000,
    wrongKeysPerAddress: 20,
  },
  webhooks: {
    maxBytes: 256 * 1024,
    bytesPerAttempt: 4 * 1024 * 1024,
    bytesPerHourPerEndpoint: 256 * 1024 * 1024,
    maxUnmatched: 1000,
    unmatchedHours: 72,
  },
};

/** Changes to {@link DEFAULT_TUNING}. */
export type TuningChanges = Partial<Omit<Tuning, 'rateLimits' | 'webhooks'>> & {
  readonly rateLimits?: Partial<RateLimits>;
  readonly webhooks?: Partial<WebhookLimits>;
};

/** Settings of the server, in the units that their names say. Printed, they show no secret. */
export interface Config extends Tuning {
  readonly webhooks: WebhookLimits & { readonly keepDays: number };
  readonly environment: Environment;
  readonly host: string;
  readonly port: number;
  /** Undefined without a port for it. */
  readonly operator:
    | {
        readonly host: string;
        readonly port: number;
        readonly keys: readonly OperatorKey[];
        readonly names: readonly string[];
        /** People whom a proxy names in a header, with their roles. */
        readonly people:
          | { readonly header: string; readonly users: ReadonlyMap<string, Role> }
          | undefined;
        readonly consoleUrl: string | undefined;
      }
    | undefined;
  /** For `/metrics` alone. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** For the page of a merchant that signs in with its key. */
  readonly dashboard: { readonly host: string; readonly port: number } | undefined;
  readonly publicUrl: string;
  readonly cspReportTo: string | undefined;
  readonly webhookBaseUrl: string;
  readonly databaseFile: string | undefined;
  readonly databaseUrl: Secret | undefined;
  /** Whether the database keeps the plans of statements: not behind a pooler that knows none. */
  readonly hasNamedStatements: boolean;
  readonly merchantsFile: string;
  readonly widgetScript: string;
  readonly earlierWidgetScripts: readonly string[];
  /** With which the provider registers the domain of the hosted page for Apple Pay. */
  readonly applePayFile: string | undefined;
  readonly partnerApiUrl: string;
  readonly partnerApiKey: Secret;
  /** Of this process, among those that share a database. */
  readonly serverName: string;
  readonly logLevel: string;
  readonly watchDays: number;
  readonly refundWatchDays: number;
  /** When orders are erased, except for their payments; undefined: never. */
  readonly orderRetentionDays: number | undefined;
  /** When the rows of orders are removed; undefined: never. */
  readonly orderRemovalDays: number | undefined;
  readonly maxOrderId: number;
  readonly encryptionKeys: ReturnType<typeof parseEncryptionKeys>;
  readonly trustProxy: number | string[];
  /** The files that secrets were read from, by the names of the settings without `_FILE`. */
  readonly secretFiles: Readonly<Partial<Record<SecretSetting, string>>>;
  /** What was set, for the log: secrets are masked. */
  readonly settings: Readonly<Record<string, string>>;
  /** Variables that begin with `PAY_` but are not settings: the log warns about them. */
  readonly unknownVariables: readonly string[];
}

/**
 * Reads the environment once. An empty variable counts as absent, as compose files write it.
 *
 * @throws {ConfigError} naming every bad variable; values are not quoted
 */
export function parseConfig(
  env: Readonly<Record<string, string | undefined>>,
  tuning: TuningChanges = {},
): Config {
  const given = Object.entries(env).filter(([, value]) => value !== '');
  const { misspelt, unknown } = checkNames(given.map(([name]) => name));
  const { texts, secretFiles, mistakes: ofFiles } = readSecretFiles(env);
  const parsed = environmentSchema.safeParse(
    { ...Object.fromEntries(given), ...texts },
    { error: describeIssue },
  );
  const mistakes = (parsed.success ? [] : toFieldErrors(parsed.error)).filter(
    ({ field }) => !ofFiles.some((mistake) => mistake.startsWith(`${field}_FILE:`)),
  );
  if (!parsed.success || misspelt.length > 0 || ofFiles.length > 0) {
    throw new ConfigError('environment', [
      ...mistakes.map(({ field, message }) =>
        field in texts ? `${field}_FILE: ${message}` : `${field}: ${message}`,
      ),
      ...ofFiles,
      ...misspelt,
    ]);
  }
  const values = parsed.data;
  return {
    ...DEFAULT_TUNING,
    ...tuning,
    rateLimits: { ...DEFAULT_TUNING.rateLimits, ...tuning.rateLimits },
    webhooks: {
      ...DEFAULT_TUNING.webhooks,
      ...tuning.webhooks,
      keepDays: values.PAY_RETENTION_DAYS,
    },
    environment: values.PAY_ENVIRONMENT,
    host: values.PAY_HOST,
    port: values.PAY_PORT,
    operator:
      values.PAY_OPERATOR_PORT === undefined
        ? undefined
        : {
            host: values.PAY_OPERATOR_HOST,
            port: values.PAY_OPERATOR_PORT,
            keys: values.PAY_OPERATOR_KEY ?? [],
            names: values.PAY_OPERATOR_NAMES,
            people:
              values.PAY_OPERATOR_USER_HEADER === undefined
                ? undefined
                : {
                    header: values.PAY_OPERATOR_USER_HEADER,
                    users: values.PAY_OPERATOR_USERS ?? new Map<string, Role>(),
                  },
            consoleUrl: values.PAY_OPERATOR_CONSOLE_URL,
          },
    metrics:
      values.PAY_METRICS_PORT === undefined
        ? undefined
        : { host: METRICS_HOST, port: values.PAY_METRICS_PORT },
    dashboard:
      values.PAY_DASHBOARD_PORT === undefined
        ? undefined
        : { host: values.PAY_DASHBOARD_HOST, port: values.PAY_DASHBOARD_PORT },
    publicUrl: values.PAY_PUBLIC_URL,
    cspReportTo: values.PAY_CSP_REPORT_TO,
    webhookBaseUrl: values.PAY_WEBHOOK_BASE_URL ?? values.PAY_PUBLIC_URL,
    databaseFile: values.PAY_DATABASE_FILE,
    databaseUrl: values.DATABASE_URL === undefined ? undefined : new Secret(values.DATABASE_URL),
    hasNamedStatements: values.PAY_NAMED_STATEMENTS === 'on',
    merchantsFile: values.PAY_MERCHANTS_FILE,
    widgetScript: values.PAY_WIDGET_SCRIPT,
    earlierWidgetScripts: values.PAY_EARLIER_WIDGET_SCRIPTS,
    applePayFile: values.PAY_APPLE_PAY_FILE,
    partnerApiUrl: values.PAY_PARTNER_API_URL,
    partnerApiKey: new Secret(values.PAY_PARTNER_API_KEY),
    serverName: values.PAY_SERVER_NAME ?? `${hostname()}-${process.pid}`,
    logLevel: values.PAY_LOG_LEVEL,
    watchDays: values.PAY_WATCH_DAYS,
    refundWatchDays: values.PAY_REFUND_WATCH_DAYS,
    orderRetentionDays: values.PAY_ORDER_RETENTION_DAYS,
    orderRemovalDays: values.PAY_ORDER_REMOVAL_DAYS,
    maxOrderId: values.PAY_MAX_ORDER_ID,
    encryptionKeys:
      values.PAY_ENCRYPTION_KEY === undefined
        ? undefined
        : parseEncryptionKeys(values.PAY_ENCRYPTION_KEY),
    trustProxy: values.PAY_TRUST_PROXY ?? 0,
    secretFiles,
    settings: maskSecrets(given),
    unknownVariables: unknown,
  };
}

/** Settings that are secret. Each may be in a file, whose path is in a variable with `_FILE` at its end. */
export const SECRETS = [
  'PAY_PARTNER_API_KEY',
  'PAY_OPERATOR_KEY',
  'PAY_ENCRYPTION_KEY',
  'DATABASE_URL',
] as const;

/** Those of which a changed file counts without a restart. */
export type SecretSetting = Exclude<(typeof SECRETS)[number], 'DATABASE_URL'>;

/** The texts of the secrets that are in files, the files, and what is wrong with them. */
function readSecretFiles(env: Readonly<Record<string, string | undefined>>) {
  const texts: Partial<Record<string, string>> = {};
  const secretFiles: Partial<Record<SecretSetting, string>> = {};
  const mistakes: string[] = [];
  for (const name of SECRETS) {
    const variable = `${name}_FILE`;
    const path = env[variable] ?? '';
    if (path === '') continue;
    const found = readSecretFile(path);
    if ((env[name] ?? '') !== '') mistakes.push(`${variable}: ${name} is set as well; remove one`);
    else if ('mistake' in found) mistakes.push(`${variable}: ${found.mistake}`);
    else texts[name] = found.text;
    if (name !== 'DATABASE_URL') secretFiles[name] = path;
  }
  return { texts, secretFiles, mistakes };
}

/** A secret from its file, if it is valid. */
export function readSecretSetting(
  name: SecretSetting,
  path: string,
): { readonly text: string } | { readonly setting: string; readonly mistake: string } {
  const found = readSecretFile(path);
  if ('mistake' in found) return { setting: name, mistake: found.mistake };
  const { error } = environmentSchema.shape[name].safeParse(found.text, { error: describeIssue });
  const mistake = error?.issues[0]?.message;
  return mistake === undefined ? found : { setting: name, mistake: `${path}: ${mistake}` };
}

const SETTINGS = [
  ...Object.keys(environmentSchema.shape),
  ...SECRETS.map((name) => `${name}_FILE`),
  'PAY_CRASH_AT',
];

function checkNames(names: readonly string[]) {
  const others = names.filter((name) => name.startsWith('PAY_') && !SETTINGS.includes(name));
  const isMisspelt = (name: string): boolean => findMeant(name, SETTINGS) !== undefined;
  return {
    misspelt: others
      .filter(isMisspelt)
      .map(
        (name) =>
          `${name}: there is no such setting; did you mean ${findMeant(name, SETTINGS) ?? ''}?`,
      ),
    unknown: others.filter((name) => !isMisspelt(name)),
  };
}

function maskSecrets(given: readonly (readonly [string, string | undefined])[]) {
  const settings = given
    .filter(([name]) => SETTINGS.includes(name))
    .map(([name, value = '']): readonly [string, string] => {
      const isAddress = URL.canParse(value) && new URL(value).password !== '';
      const isSecret = SECRETS.some((secret) => secret === name);
      // Names of people are in no log.
      const isHidden = isSecret || isAddress || name === 'PAY_OPERATOR_USERS';
      return [name, isHidden ? '***' : value];
    });
  return Object.fromEntries(settings) as Readonly<Record<string, string>>;
}
