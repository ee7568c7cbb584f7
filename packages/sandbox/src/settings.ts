import { DEFAULT_MERCHANTS, type Merchant } from './merchant.js';
import type { CheckoutSession } from './checkout-session.js';
import { DEFAULT_SEED, type HistoryOptions } from './generated/history-options.js';
import { SCENARIOS } from './scenarios.js';
import type { Scenario } from './scenarios.js';
import { DEFAULT_PARTNERS, type AnalyticsPartner } from './resources/analytics-partner.js';
import type { CreateSessionRules } from './resources/create-session-request.js';
import type { TransactionRow } from './resources/transaction-row.js';
import type { TransactionVariant } from './resources/transaction-variant.js';
import type { HmacKeyFormat, WebhookEndpoint } from './webhooks/webhook-endpoints.js';
import { makeWebhookPayload } from './webhooks/webhook-payload.js';
import {
  webhookSigningSchema,
  type WebhookSigning,
  type WebhookSigningInput,
} from './webhooks/webhook-signing.js';

/** What a sandbox can be told. Everything that the spec leaves open has its default here. */
export interface SandboxOptions {
  /** The one value of the `api_key` header that is accepted (spec 5.1). */
  readonly apiKey: string;
  /** Default: six invented ones, of three resellers. */
  readonly merchants?: readonly Merchant[];
  /** The reseller of merchants that name none, for the filter `resellerId`. Default 7001. */
  readonly resellerId?: number;
  /** Past transactions to start with. Default none. */
  readonly history?: HistoryOptions;

  /** Fields required beyond `merchant_id`, `order_id`, `Amount`. Default none (not shown in 4.6). */
  readonly requiredFields?: CreateSessionRules['requiredFields'];
  /** What happens to a field that 4.6 does not list. Default `refuse`. */
  readonly unknownFields?: CreateSessionRules['unknownFields'];
  /** How long a session can be paid. Default one day (not shown). */
  readonly sessionLifetimeSeconds?: number;

  /** `limit` when none is sent. Default 20 (not shown in section 8). */
  readonly defaultLimit?: number;
  /** A larger `limit` gets this many rows. Default 1000 (not shown in section 8). */
  readonly maximumLimit?: number;
  /** `timezone` when none is sent. Default `UTC`. */
  readonly defaultTimezone?: string;
  /** How long a cursor is taken. Default for ever (not shown in section 8). */
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
  /** Whether the transfers read asks for the `api_key` (not shown in section 5). Default `ignored`. */
  readonly transfersKey?: 'required' | 'ignored';
  /** What the body of the transfers read does (not shown in 4.4). Default `store`. */
  readonly transfersBody?: 'store' | 'ignore';
  /** Whose analytics can be asked for. Default three invented partners. */
  readonly partners?: readonly AnalyticsPartner[];
  /** `timeframe` when none is sent (not shown in 4.5). Default `monthly`. */
  readonly defaultTimeframe?: 'weekly' | 'monthly' | 'quarterly';
  /** How the 90 days of a range are counted (not shown in section 8). Default `both-ends`. */
  readonly rangeCounts?: 'both-ends' | 'difference';

  /** The body of a webhook about a payment (not shown in section 6). `endpoint`: a registered one. */
  readonly webhookPayload?: (
    session: CheckoutSession,
    transaction: TransactionRow,
    endpoint?: WebhookEndpoint,
  ) => unknown;
  /** Which payments a registered endpoint hears of (not shown in section 6). Default all. */
  readonly webhookFilter?: (endpoint: WebhookEndpoint, transaction: TransactionRow) => boolean;
  /** How deliveries to registered endpoints are signed. Default not at all (section 6). */
  readonly webhookSigning?: WebhookSigningInput | undefined;
  /** How a generated `hmac_key` is written (not shown in 4.7). Default `hex`. */
  readonly hmacKeyFormat?: HmacKeyFormat;
  /** Pauses before the second, third… delivery of a webhook that was not answered with 2xx. */
  readonly webhookPausesSeconds?: readonly number[];
  /** How long a receiver may take. Default 10, as for the webhook test of 4.8. */
  readonly webhookTimeoutSeconds?: number;
  /** `data.status_code` of a webhook test that nobody answered (not shown in 4.8). Default 0. */
  readonly noAnswerStatusCode?: number;

  /** What each test card does. Default `SCENARIOS`. */
  readonly scenarios?: readonly Scenario[];
  /** The code that passes the 3-D Secure challenge. Default `1234`. */
  readonly challengeCode?: string;
}

/** The options with every default filled in. */
export interface SandboxSettings extends Required<
  Omit<SandboxOptions, 'history' | 'webhookSigning'>
> {
  readonly history: HistoryOptions & { readonly seed: string };
  readonly webhookSigning: WebhookSigning | undefined;
}

/** Fills in the defaults, and refuses what no sandbox can work with. */
export function completeSettings(options: SandboxOptions): SandboxSettings {
  if (options.apiKey === '') throw new TypeError('apiKey must not be empty.');
  return {
    apiKey: options.apiKey,
    merchants: options.merchants ?? DEFAULT_MERCHANTS,
    resellerId: options.resellerId ?? 7001,
    history: { ...options.history, seed: options.history?.seed ?? DEFAULT_SEED },
    requiredFields: options.requiredFields ?? [],
    unknownFields: options.unknownFields ?? 'refuse',
    sessionLifetimeSeconds: options.sessionLifetimeSeconds ?? 86_400,
    defaultLimit: options.defaultLimit ?? 20,
    maximumLimit: options.maximumLimit ?? 1000,
    defaultTimezone: options.defaultTimezone ?? 'UTC',
    cursorLifetimeSeconds: options.cursorLifetimeSeconds ?? Infinity,
    transactionVariant: options.transactionVariant ?? 'every-field',
    omittedTransactionFields: options.omittedTransactionFields ?? [],
    emptyScheduleFields: options.emptyScheduleFields ?? 'omit',
    merchantsPrefix: checkPrefix(
      'merchantsPrefix',
      options.merchantsPrefix ?? '/merchants-sandbox',
    ),
    transfersPrefix: checkPrefix('transfersPrefix', options.transfersPrefix ?? ''),
    transfersKey: options.transfersKey ?? 'ignored',
    transfersBody: options.transfersBody ?? 'store',
    partners: options.partners ?? DEFAULT_PARTNERS,
    defaultTimeframe: options.defaultTimeframe ?? 'monthly',
    rangeCounts: options.rangeCounts ?? 'both-ends',
    webhookPayload: options.webhookPayload ?? makeWebhookPayload,
    webhookFilter: options.webhookFilter ?? (() => true),
    webhookSigning:
      options.webhookSigning === undefined
        ? undefined
        : webhookSigningSchema.parse(options.webhookSigning),
    hmacKeyFormat: options.hmacKeyFormat ?? 'hex',
    webhookPausesSeconds: options.webhookPausesSeconds ?? [1, 2, 5, 15, 60, 300],
    webhookTimeoutSeconds: options.webhookTimeoutSeconds ?? 10,
    noAnswerStatusCode: options.noAnswerStatusCode ?? 0,
    scenarios: options.scenarios ?? SCENARIOS,
    challengeCode: options.challengeCode ?? '1234',
  };
}

/** Says whether a text can stand before a path: nothing, or segments such as `/merchants-sandbox`. */
export function isPathPrefix(text: string): boolean {
  return /^(\/[A-Za-z0-9._~-]+)*$/.test(text);
}

function checkPrefix(name: string, prefix: string): string {
  if (isPathPrefix(prefix)) return prefix;
  throw new TypeError(`${name} must be empty, or like /merchants-sandbox, without a last slash.`);
}
