import type { CheckoutSession } from './checkout-session.js';
import { ALL_SCENARIOS } from './scenarios/all-scenarios.js';
import type { Scenario } from './scenarios/scenario.js';
import { DEFAULT_MERCHANTS, type Merchant } from './merchant.js';
import type { CreateSessionRules } from './resources/create-session-request.js';
import type { TransactionRow } from './resources/transaction-row.js';
import { makeWebhookPayload } from './webhook-payload.js';

/** What a sandbox can be told. Everything that the spec leaves open has its default here. */
export interface SandboxOptions {
  /** The one value of the `api_key` header that is accepted (spec 5.1). */
  readonly apiKey: string;
  /** Default: three invented ones. */
  readonly merchants?: readonly Merchant[];
  /** The reseller of merchants that name none, for the filter `resellerId`. Default 7001. */
  readonly resellerId?: number;
  /** Fields required beyond `merchant_id`, `order_id`, `Amount`. Default none (not shown in 4.6). */
  readonly requiredFields?: CreateSessionRules['requiredFields'];
  /** What happens to a field that 4.6 does not list. Default `refuse`. */
  readonly unknownFields?: CreateSessionRules['unknownFields'];
  /** How long a session can be paid. Default one day (not shown). */
  readonly sessionLifetimeSeconds?: number;
  /** `limit` when none is sent. Default 20 (not shown in section 8). */
  readonly defaultLimit?: number;
  /** A larger `limit` gets this many rows. Default 100 (not shown in section 8). */
  readonly maximumLimit?: number;
  /** `timezone` when none is sent. Default `UTC`. */
  readonly defaultTimezone?: string;
  /** Fields left out of every row, because which variant is sent is not shown (2.1). Default none. */
  readonly omittedTransactionFields?: readonly string[];
  /** The body of a webhook (not shown in section 6). */
  readonly webhookPayload?: (session: CheckoutSession, transaction: TransactionRow) => unknown;
  /** Pauses before the second, third… delivery of a webhook that was not answered with 2xx. */
  readonly webhookPausesSeconds?: readonly number[];
  /** How long a receiver may take. Default 10, as for the webhook test of 4.8. */
  readonly webhookTimeoutSeconds?: number;
  /** The stories behind the test cards. */
  readonly scenarios?: readonly Scenario[];
  /** The code that passes the 3-D Secure challenge. Default `1234`. */
  readonly challengeCode?: string;
}

/** The options with every default filled in. */
export type SandboxSettings = Required<SandboxOptions>;

/** Fills in the defaults, and refuses what no sandbox can work with. */
export function completeSettings(options: SandboxOptions): SandboxSettings {
  if (options.apiKey === '') throw new TypeError('apiKey must not be empty.');
  return {
    apiKey: options.apiKey,
    merchants: options.merchants ?? DEFAULT_MERCHANTS,
    resellerId: options.resellerId ?? 7001,
    requiredFields: options.requiredFields ?? [],
    unknownFields: options.unknownFields ?? 'refuse',
    sessionLifetimeSeconds: options.sessionLifetimeSeconds ?? 86_400,
    defaultLimit: options.defaultLimit ?? 20,
    maximumLimit: options.maximumLimit ?? 100,
    defaultTimezone: options.defaultTimezone ?? 'UTC',
    omittedTransactionFields: options.omittedTransactionFields ?? [],
    webhookPayload: options.webhookPayload ?? makeWebhookPayload,
    webhookPausesSeconds: options.webhookPausesSeconds ?? [1, 2, 5, 15, 60, 300],
    webhookTimeoutSeconds: options.webhookTimeoutSeconds ?? 10,
    scenarios: options.scenarios ?? ALL_SCENARIOS,
    challengeCode: options.challengeCode ?? '1234',
  };
}
