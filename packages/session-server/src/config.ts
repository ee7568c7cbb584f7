import { Secret } from '@pay-checkout/partner-api';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { ConfigError } from './errors.js';
import { BODY_KEY_EXPECTED, parseEncryptionKeys } from './webhooks/encryption.js';

const seconds = z.coerce.number('expected a number of seconds above 0').positive();
const wholeNumber = z.coerce.number('expected a whole number above 0').int().positive();
const httpUrl = z.url({
  protocol: /^https?$/,
  error: 'expected an absolute http or https address',
  abort: true,
});

/** An address whose path is ours to choose: the origin alone. */
const originUrl = httpUrl.refine((text) => new URL(text).origin === text, {
  error: 'expected an origin alone, such as "https://pay.example", with no path or final slash',
  abort: true,
});

/** Addresses that only programs of the same machine reach. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;
const port = z.coerce.number('expected a port number from 0 to 65535').int().min(0).max(65_535);

/** Paths of files, parted by commas. */
const paths = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((path) => path.trim())
      .filter((path) => path !== ''),
  );

/** Host names, without ports. */
const hostNames = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
  )
  .refine((names) => names.every((name) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name)), {
    error: 'expected host names without ports, parted by commas: "pay-1.internal"',
  });

const WEBHOOK_BOUNDS = [
  'PAY_WEBHOOK_BYTES_PER_ATTEMPT',
  'PAY_WEBHOOK_BYTES_PER_HOUR_PER_ENDPOINT',
] as const;
const ADDRESSES = ['PAY_PUBLIC_URL', 'PAY_WEBHOOK_BASE_URL', 'PAY_PARTNER_API_URL'] as const;

const PROXIES_EXPECTED =
  'expected how many proxies stand before the server, or their addresses: "1" or "10.0.0.0/8"; "0" when there is none';

/** How many proxies stand before us, or their addresses. */
const trustProxy = z
  .string()
  .refine((text) => /^\d$/.test(text) || text.split(',').every(isProxyAddress), {
    error: PROXIES_EXPECTED,
  })
  .transform((text) =>
    /^\d$/.test(text) ? Number(text) : text.split(',').map((part) => part.trim()),
  );

/** An address or a range; not one of all there is, since anybody could then choose an address. */
function isProxyAddress(text: string): boolean {
  const part = text.trim();
  // A number alone would be read as an address, too.
  if (/^\d+$/.test(part)) return false;
  return ipaddr.isValid(part) || (ipaddr.isValidCIDR(part) && !part.endsWith('/0'));
}

const environmentSchema = z
  .object({
    PAY_ENVIRONMENT: z.enum(['sandbox', 'production'], 'expected "sandbox" or "production"'),
    PAY_HOST: z.string().default('127.0.0.1'),
    PAY_PORT: port.default(4200),
    PAY_OPERATOR_HOST: z.string().default('127.0.0.1'),
    PAY_OPERATOR_PORT: port.optional(),
    PAY_OPERATOR_KEY: z
      .string()
      .min(32, 'expected at least 32 characters of random text')
      .optional(),
    PAY_OPERATOR_NAMES: hostNames,
    PAY_PUBLIC_URL: originUrl,
    PAY_WEBHOOK_BASE_URL: originUrl.optional(),
    PAY_DATABASE_FILE: z.string('expected the path of the data file').min(1),
    PAY_MERCHANTS_FILE: z.string('expected the path of the merchants file').min(1),
    PAY_WIDGET_SCRIPT: z.string('expected the path of pay-checkout.js').min(1),
    PAY_EARLIER_WIDGET_SCRIPTS: paths,
    PAY_PARTNER_API_URL: httpUrl,
    PAY_PARTNER_API_KEY: z.string('expected the provider’s API key').min(1),
    PAY_LOG_LEVEL: z
      .enum(
        ['silent', 'error', 'warn', 'info', 'debug'],
        'expected silent, error, warn, info or debug',
      )
      .default('info'),
    PAY_EXPIRE_AFTER_SECONDS: seconds.default(3600),
    PAY_SETTLE_WINDOW_SECONDS: seconds.default(300),
    PAY_READ_INTERVAL_SECONDS: seconds.default(3),
    // One for what is fresh, one for what is deep.
    PAY_READ_PAGES_PER_MINUTE: wholeNumber.min(2, 'expected a whole number above 1').default(60),
    PAY_CREATE_SESSION_TIMEOUT_SECONDS: seconds.default(10),
    PAY_FOLLOW_SECONDS: seconds.default(10),
    PAY_RENEWALS_PER_HOUR: wholeNumber.default(3),
    PAY_WATCH_DAYS: wholeNumber.default(14),
    PAY_REFUND_WATCH_DAYS: wholeNumber.default(90),
    PAY_TRUST_PROXY: trustProxy.optional(),
    PAY_OPENS_PER_MINUTE_PER_ADDRESS: wholeNumber.default(60),
    PAY_OPENS_PER_MINUTE_PER_ORDER: wholeNumber.default(30),
    PAY_OPENS_PER_MINUTE_PER_MERCHANT: wholeNumber.default(3000),
    PAY_QUESTIONS_PER_MINUTE_PER_ADDRESS: wholeNumber.default(600),
    PAY_PAGES_PER_MINUTE_PER_ADDRESS: wholeNumber.default(600),
    PAY_BAD_KEYS_PER_MINUTE_PER_ADDRESS: wholeNumber.default(20),
    PAY_BODY_KEY: z
      .string()
      .refine((text) => parseEncryptionKeys(text) !== undefined, { error: BODY_KEY_EXPECTED })
      .optional(),
    PAY_BODY_KEEP_DAYS: wholeNumber.default(30),
    PAY_WEBHOOK_MAX_BYTES: wholeNumber.default(256 * 1024),
    PAY_WEBHOOK_BYTES_PER_ATTEMPT: wholeNumber.default(4 * 1024 * 1024),
    PAY_WEBHOOK_BYTES_PER_HOUR_PER_ENDPOINT: wholeNumber.default(256 * 1024 * 1024),
    PAY_WEBHOOK_MOST_PARKED: wholeNumber.default(1000),
    PAY_WEBHOOK_PARKED_HOURS: wholeNumber.default(72),
    PAY_MAX_ORDER_ID: wholeNumber.default(2 ** 31 - 1),
  })
  .superRefine(
    (env, context) => {
      for (const name of WEBHOOK_BOUNDS) {
        if (env[name] < 2 * env.PAY_WEBHOOK_MAX_BYTES) {
          const message = 'expected at least twice PAY_WEBHOOK_MAX_BYTES';
          context.addIssue({ code: 'custom', path: [name], message });
        }
      }
      if (env.PAY_ENVIRONMENT !== 'production') return;
      if (env.PAY_BODY_KEY === undefined) {
        const message = `production needs a key for the bodies of webhooks; ${BODY_KEY_EXPECTED}`;
        context.addIssue({ code: 'custom', path: ['PAY_BODY_KEY'], message });
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
          'production expects a loopback address such as "127.0.0.1", or PAY_OPERATOR_KEY beside it';
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

/** Settings of the server process, in the units that their names say. Printed, they show no secret. */
export type Config = ReturnType<typeof parseConfig>;

/**
 * Reads the environment once. An empty variable counts as absent, as compose files write it.
 *
 * @throws {ConfigError} naming every bad variable; values are not quoted
 */
export function parseConfig(env: Readonly<Record<string, string | undefined>>) {
  const given = Object.entries(env).filter(([, value]) => value !== '');
  const parsed = environmentSchema.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    throw new ConfigError(
      'environment',
      parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
    );
  }
  const values = parsed.data;
  return {
    environment: values.PAY_ENVIRONMENT,
    host: values.PAY_HOST,
    port: values.PAY_PORT,
    operator:
      values.PAY_OPERATOR_PORT === undefined
        ? undefined
        : {
            host: values.PAY_OPERATOR_HOST,
            port: values.PAY_OPERATOR_PORT,
            key: hidden(values.PAY_OPERATOR_KEY),
            names: values.PAY_OPERATOR_NAMES,
          },
    publicUrl: values.PAY_PUBLIC_URL,
    webhookBaseUrl: values.PAY_WEBHOOK_BASE_URL ?? values.PAY_PUBLIC_URL,
    databaseFile: values.PAY_DATABASE_FILE,
    merchantsFile: values.PAY_MERCHANTS_FILE,
    widgetScript: values.PAY_WIDGET_SCRIPT,
    earlierWidgetScripts: values.PAY_EARLIER_WIDGET_SCRIPTS,
    partnerApiUrl: values.PAY_PARTNER_API_URL,
    partnerApiKey: new Secret(values.PAY_PARTNER_API_KEY),
    logLevel: values.PAY_LOG_LEVEL,
    expireAfterSeconds: values.PAY_EXPIRE_AFTER_SECONDS,
    settleWindowSeconds: values.PAY_SETTLE_WINDOW_SECONDS,
    readIntervalSeconds: values.PAY_READ_INTERVAL_SECONDS,
    readPagesPerMinute: values.PAY_READ_PAGES_PER_MINUTE,
    createSessionTimeoutSeconds: values.PAY_CREATE_SESSION_TIMEOUT_SECONDS,
    ownerWaitSeconds: values.PAY_FOLLOW_SECONDS,
    renewalsPerHour: values.PAY_RENEWALS_PER_HOUR,
    watchDays: values.PAY_WATCH_DAYS,
    refundWatchDays: values.PAY_REFUND_WATCH_DAYS,
    maxOrderId: values.PAY_MAX_ORDER_ID,
    bodyKeys:
      values.PAY_BODY_KEY === undefined ? undefined : parseEncryptionKeys(values.PAY_BODY_KEY),
    webhooks: {
      maxBytes: values.PAY_WEBHOOK_MAX_BYTES,
      bytesPerAttempt: values.PAY_WEBHOOK_BYTES_PER_ATTEMPT,
      bytesPerHourPerEndpoint: values.PAY_WEBHOOK_BYTES_PER_HOUR_PER_ENDPOINT,
      keepDays: values.PAY_BODY_KEEP_DAYS,
      maxUnmatched: values.PAY_WEBHOOK_MOST_PARKED,
      unmatchedHours: values.PAY_WEBHOOK_PARKED_HOURS,
    },
    trustProxy: values.PAY_TRUST_PROXY ?? 0,
    rateLimits: {
      createPerAddress: values.PAY_OPENS_PER_MINUTE_PER_ADDRESS,
      createPerOrder: values.PAY_OPENS_PER_MINUTE_PER_ORDER,
      createPerMerchant: values.PAY_OPENS_PER_MINUTE_PER_MERCHANT,
      statusPerAddress: values.PAY_QUESTIONS_PER_MINUTE_PER_ADDRESS,
      pagesPerAddress: values.PAY_PAGES_PER_MINUTE_PER_ADDRESS,
      wrongKeysPerAddress: values.PAY_BAD_KEYS_PER_MINUTE_PER_ADDRESS,
    },
  };
}

function hidden(text: string | undefined): Secret | undefined {
  return text === undefined ? undefined : new Secret(text);
}
