/** Reads the partner console's settings from the environment, once, and names every mistake. */
import { Secret } from '@pay-checkout/partner-api';
import { z } from 'zod';
import type { KnownThings } from '../../shared/console-view.js';
import { portSetting, urlSetting } from '../process/setting-checks.js';

/** The console's settings, checked. */
export interface ConsoleConfig {
  readonly port: number;
  /** The address that the platform team uses, without a trailing slash. */
  readonly publicUrl: string;
  /** `{base_url}` of the provider. */
  readonly partnerApiUrl: string;
  /** The merchants interface has an address of its own (spec 4.3). */
  readonly merchantsApiUrl: string;
  /** So have scheduled transfers (spec 4.4). */
  readonly transfersApiUrl: string;
  readonly apiKey: Secret;
  /** Where the keys of new webhooks are kept, a file each. */
  readonly keyDirectory: string;
  /** What the team works with: the spec shows no list of merchants, schedules or partners. */
  readonly known: KnownThings;
}

/** Settings that cannot be used. The message lists each one and what to do, never a value. */
export class ConsoleConfigError extends Error {
  override readonly name = 'ConsoleConfigError';

  constructor(readonly mistakes: readonly string[]) {
    const lines = mistakes.map((mistake) => `  - ${mistake}`);
    super(`The partner console cannot start:\n${lines.join('\n')}`);
  }
}

const NOTHING_KNOWN = '{"partners":[],"merchants":[],"reportSchedules":[]}';

const known = z
  .string()
  .default(NOTHING_KNOWN)
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: `must be JSON such as ${NOTHING_KNOWN}` });
      return z.NEVER;
    }
  })
  .pipe(
    z.strictObject({
      partners: z.array(z.string().min(1)),
      merchants: z.array(z.strictObject({ id: z.int(), name: z.string().min(1) })),
      reportSchedules: z.array(z.string().min(1)),
    }),
  );

const environment = z.object({
  CONSOLE_PORT: portSetting('4400'),
  CONSOLE_PUBLIC_URL: urlSetting('http://partner.localhost:4400'),
  CONSOLE_PARTNER_API_URL: urlSetting('http://127.0.0.1:4300'),
  CONSOLE_MERCHANTS_API_URL: urlSetting('http://127.0.0.1:4300/merchants-sandbox'),
  CONSOLE_TRANSFERS_API_URL: urlSetting('http://127.0.0.1:4300'),
  CONSOLE_PARTNER_API_KEY: z
    .string({ error: 'is missing: give the API key of the platform team' })
    .regex(/^[!-~]{8,}$/, 'must be 8 or more printable ASCII characters without spaces'),
  CONSOLE_KEY_DIRECTORY: z
    .string({ error: 'is missing: give the folder for the keys of webhooks' })
    .min(1, 'must be the folder for the keys of webhooks'),
  CONSOLE_KNOWN: known,
});

/** Reads the settings. Throws a {@link ConsoleConfigError} that names every mistake. */
export function readConsoleConfig(
  env: Readonly<Record<string, string | undefined>>,
): ConsoleConfig {
  const result = environment.safeParse(env);
  if (!result.success) {
    throw new ConsoleConfigError(
      result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`),
    );
  }
  const values = result.data;
  return {
    port: values.CONSOLE_PORT,
    publicUrl: values.CONSOLE_PUBLIC_URL,
    partnerApiUrl: values.CONSOLE_PARTNER_API_URL,
    merchantsApiUrl: values.CONSOLE_MERCHANTS_API_URL,
    transfersApiUrl: values.CONSOLE_TRANSFERS_API_URL,
    apiKey: new Secret(values.CONSOLE_PARTNER_API_KEY),
    keyDirectory: values.CONSOLE_KEY_DIRECTORY,
    known: values.CONSOLE_KNOWN,
  };
}
