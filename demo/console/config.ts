/** The partner console's settings. */
import { Secret } from '@pay-checkout/partner-api';
import { z } from 'zod';
import {
  type Environment,
  isHttpUrl,
  jsonSetting,
  portSetting,
  readSettings,
  urlSetting,
} from '../shared/config.js';
import type { KnownThings } from './console-view.js';

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
  /** The operator's page of the session server, to link to. */
  readonly operatorUrl?: string;
  readonly apiKey: Secret;
  /** Where the keys of new webhooks are kept, a file each. */
  readonly keyDirectory: string;
  /** What the team works with: the spec shows no list of merchants, schedules or partners. */
  readonly known: KnownThings;
}

const NOTHING_KNOWN = '{"partners":[],"merchants":[],"reportSchedules":[]}';

const known = jsonSetting(
  NOTHING_KNOWN,
  NOTHING_KNOWN,
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
  CONSOLE_PAY_PAGE_URL: z
    .string()
    .refine(
      (text) => text.includes('{session}') && isHttpUrl(text.replace('{session}', 'id')),
      'must be an http or https address with {session} in it',
    )
    .optional(),
  CONSOLE_OPERATOR_URL: urlSetting('http://operator.localhost:4500').optional(),
  CONSOLE_PARTNER_API_KEY: z
    .string({ error: 'is missing: give the API key of the platform team' })
    .regex(/^[!-~]{8,}$/, 'must be 8 or more printable ASCII characters without spaces'),
  CONSOLE_KEY_DIRECTORY: z
    .string({ error: 'is missing: give the folder for the keys of webhooks' })
    .min(1, 'must be the folder for the keys of webhooks'),
  CONSOLE_KNOWN: known,
});

export function readConsoleConfig(env: Environment): ConsoleConfig {
  const values = readSettings('partner console', environment, env);
  return {
    port: values.CONSOLE_PORT,
    publicUrl: values.CONSOLE_PUBLIC_URL,
    partnerApiUrl: values.CONSOLE_PARTNER_API_URL,
    merchantsApiUrl: values.CONSOLE_MERCHANTS_API_URL,
    transfersApiUrl: values.CONSOLE_TRANSFERS_API_URL,
    ...(values.CONSOLE_OPERATOR_URL !== undefined && { operatorUrl: values.CONSOLE_OPERATOR_URL }),
    apiKey: new Secret(values.CONSOLE_PARTNER_API_KEY),
    keyDirectory: values.CONSOLE_KEY_DIRECTORY,
    known: {
      ...values.CONSOLE_KNOWN,
      ...(values.CONSOLE_PAY_PAGE_URL !== undefined && { payPageUrl: values.CONSOLE_PAY_PAGE_URL }),
    },
  };
}
