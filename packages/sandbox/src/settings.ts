import type { CheckoutSession, CreateSessionRequest } from './resources/checkout-sessions.js';
import type { HmacKeyFormat, WebhookEndpoint } from './resources/webhooks.js';
import type { Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios.js';
import { DEFAULT_SEED, type HistoryOptions } from './transactions/history.js';
import type { TransactionRow, TransactionVariant } from './transactions/transaction.js';
import { makeWebhookPayload } from './payment-service.js';
import {
  webhookSigningSchema,
  type WebhookSigning,
  type WebhookSigningInput,
} from './webhooks/webhook-signing.js';

/** A merchant as the provider knows it. It decides the currency, which spec 4.6 does not carry. */
export interface Merchant {
  /** `merchant_id` of spec 4.6 and `merchantId` of spec 2.1. */
  readonly id: number;
  readonly name: string;
  /** ISO 4217 code, three capital letters. */
  readonly currency: string;
  /** The reseller that `resellerId` of spec 4.1 selects. Default: the sandbox's own. */
  readonly resellerId?: number | undefined;
}

/** A partner whose analytics can be read (spec 4.5). Other names get 403. */
export interface AnalyticsPartner {
  /** `partner_name`, compared exactly. */
  readonly name: string;
  /** `success` of the reply. Default true. */
  readonly success?: boolean;
  /** Whose merchants' transactions count. Default those of all merchants. */
  readonly resellerId?: number;
  /** Of the amounts. Default that of the first merchant. */
  readonly currency?: string;
  /** A partner with nothing to show: zeros and an empty series. Default false. */
  readonly isQuiet?: boolean;
}

/** The options of a sandbox. What the spec leaves open is one of them. */
export interface SandboxOptions {
  /** The one value of the `api_key` header that is accepted (spec 5.1). */
  readonly apiKey: string;
  /** Default: six invented ones of three resellers. */
  readonly merchants?: readonly Merchant[];
  /** The reseller of merchants without one, for the filter `resellerId`. Default 7001. */
  readonly resellerId?: number;
  /**
   * Address for browsers. Its name may use the control routes, beside names of this machine. Default
   * none.
   */
  readonly publicUrl?: string;
  /** File that keeps the calls of the API across restarts. Default none. */
  readonly requestLog?: string;
  /**
   * ISO 8601 time at which the clock stands until a control call moves it. Identifiers and keys then
   * follow from the seed of `history`: the same requests give the same bytes. Default: it runs.
   */
  readonly fixedTime?: string;
  /** Past transactions to start with. Default none. */
  readonly history?: HistoryOptions;

  /** Fields required beyond `merchant_id`, `order_id`, `Amount`. Default none (not shown in 4.6). */
  readonly requiredFields?: readonly (keyof CreateSessionRequest)[];
  /** What happens to a field that 4.6 does not list. Default `refuse`. */
  readonly unknownFields?: 'refuse' | 'ignore';
  /** How long a session can be paid. Default one day (not shown). */
  readonly sessionLifetimeSeconds?: number;

  /** `limit` when none is sent. Default 20 (not shown in section 8). */
  readonly defaultLimit?: number;
  /** A larger `limit` gets this many rows. Default 1000 (not shown in section 8). */
  readonly maxLimit?: number;
  /** `timezone` when none is sent. Default `UTC`. */
  readonly defaultTimezone?: string;
  /** How long a cursor is valid. Default forever (not shown in section 8). */
  readonly cursorLifetimeSeconds?: number;
  /** Which fields a row shows, because the rule is not shown (2.1). Default `every-field`. */
  readonly transactionVariant?: TransactionVariant;
  /** Fields left out of every row beyond that. Default none. */
  readonly omittedTransactionFields?: readonly string[];

  /** A field of spec 2.2 without a value. Default `omit`. */
  readonly emptyScheduleFields?: 'omit' | 'null';
  /** Path prefix of the merchants interface (spec 4.3). Default `/merchants-sandbox`. */
  readonly merchantsPrefix?: string;
  /** Path prefix of the transfers interface (spec 4.4). Default none. */
  readonly transfersPrefix?: string;
  /** Whether the transfers read needs the `api_key` (not shown in section 5). Default `ignored`. */
  readonly transfersKey?: 'required' | 'ignored';
  /** What the body of the transfers read does (not shown in 4.4). Default `store`. */
  readonly transfersBody?: 'store' | 'ignore';
  /** Whose analytics can be read. Default three invented partners. */
  readonly partners?: readonly AnalyticsPartner[];
  /** `timeframe` when none is sent (not shown in 4.5). Default `monthly`. */
  readonly defaultTimeframe?: 'weekly' | 'monthly' | 'quarterly';
  /** How the 90 days of a range are counted (not shown in section 8). Default `both-ends`. */
  readonly rangeCounts?: 'both-ends' | 'difference';

  /**
   * The body of a webhook about a payment (not shown in section 6). `endpoint`: the registered endpoint
   * that it goes to, if any.
   */
  readonly webhookPayload?: (
    session: CheckoutSession,
    transaction: TransactionRow,
    endpoint?: WebhookEndpoint,
  ) => unknown;
  /** Which payments are sent to a registered endpoint (not shown in section 6). Default all. */
  readonly webhookFilter?: (endpoint: WebhookEndpoint, transaction: TransactionRow) => boolean;
  /** How deliveries to registered endpoints are signed. Default not at all (section 6). */
  readonly webhookSigning?: WebhookSigningInput | undefined;
  /** How a generated `hmac_key` is written (not shown in 4.7). Default `hex`. */
  readonly hmacKeyFormat?: HmacKeyFormat;
  /** Pauses before the second, third… attempt at a webhook that was not answered with 2xx. */
  readonly webhookPausesSeconds?: readonly number[];
  /** How long a receiver may take to answer. Default 10, as for the webhook test of 4.8. */
  readonly webhookTimeoutSeconds?: number;
  /** `data.status_code` of a webhook test without an answer (not shown in 4.8). Default 0. */
  readonly noAnswerStatusCode?: number;

  /** What each test card does. Default `SCENARIOS`. */
  readonly scenarios?: readonly Scenario[];
  /** The code that passes the 3-D Secure challenge. Default `1234`. */
  readonly challengeCode?: string;
}

/** The options with every default filled in. */
export interface SandboxSettings extends Required<
  Omit<SandboxOptions, 'history' | 'webhookSigning' | 'publicUrl' | 'requestLog' | 'fixedTime'>
> {
  readonly history: HistoryOptions & { readonly seed: string };
  readonly webhookSigning: WebhookSigning | undefined;
  readonly publicUrl?: string;
  readonly requestLog?: string;
  readonly fixedTime?: string;
}

const DEFAULTS: Omit<SandboxSettings, 'apiKey' | 'history' | 'webhookSigning'> = {
  merchants: [
    { id: 1001, name: 'Pebble & Fern', currency: 'GBP' },
    { id: 1002, name: 'Lanternfish Books', currency: 'EUR' },
    { id: 1003, name: 'Koyama Paper', currency: 'JPY' },
    { id: 1004, name: 'Saltmarsh Cycles', currency: 'GBP', resellerId: 7002 },
    { id: 1005, name: 'Atelier Brume', currency: 'EUR', resellerId: 7002 },
    { id: 1006, name: 'Dune Radio', currency: 'KWD', resellerId: 7003 },
  ],
  resellerId: 7001,
  requiredFields: [],
  unknownFields: 'refuse',
  sessionLifetimeSeconds: 86_400,
  defaultLimit: 20,
  maxLimit: 1000,
  defaultTimezone: 'UTC',
  cursorLifetimeSeconds: Infinity,
  transactionVariant: 'every-field',
  omittedTransactionFields: [],
  emptyScheduleFields: 'omit',
  merchantsPrefix: '/merchants-sandbox',
  transfersPrefix: '',
  transfersKey: 'ignored',
  transfersBody: 'store',
  partners: [
    { name: 'harbour-lane' },
    { name: 'quiet-harbour', isQuiet: true },
    { name: 'broken-harbour', success: false },
  ],
  defaultTimeframe: 'monthly',
  rangeCounts: 'both-ends',
  webhookPayload: makeWebhookPayload,
  webhookFilter: () => true,
  hmacKeyFormat: 'hex',
  webhookPausesSeconds: [1, 2, 5, 15, 60, 300],
  webhookTimeoutSeconds: 10,
  noAnswerStatusCode: 0,
  scenarios: SCENARIOS,
  challengeCode: '1234',
};

/** Fills in the defaults and refuses invalid options. */
export function completeSettings(options: SandboxOptions): SandboxSettings {
  if (options.apiKey === '') throw new TypeError('apiKey must not be empty.');
  const { webhookSigning, history } = options;
  const settings = {
    ...DEFAULTS,
    ...options,
    history: { ...history, seed: history?.seed ?? DEFAULT_SEED },
    webhookSigning: webhookSigning && webhookSigningSchema.parse(webhookSigning),
  };
  if (Number.isNaN(Date.parse(options.fixedTime ?? '2026-01-01'))) {
    throw new TypeError('fixedTime must be an ISO 8601 time.');
  }
  for (const name of ['merchantsPrefix', 'transfersPrefix'] as const) {
    if (isPathPrefix(settings[name])) continue;
    throw new TypeError(`${name} must be empty, or like /merchants-sandbox, without a last slash.`);
  }
  return settings;
}

/** A path prefix is empty, or segments such as `/merchants-sandbox`. */
export function isPathPrefix(text: string): boolean {
  return /^(\/[A-Za-z0-9._~-]+)*$/.test(text);
}
