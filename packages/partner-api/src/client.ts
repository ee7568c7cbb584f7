import * as z from 'zod';
import { InvalidRequestError } from './errors.js';
import { Addresses, type AddressOptions } from './http/addresses.js';
import {
  CALL_LIMITS,
  type KeyName,
  type Operation,
  optionsObject,
  type Validation,
} from './http/operation.js';
import { Caller, type ClientSettings } from './http/request.js';
import { DriftLog, type DriftReport } from './http/reply.js';
import { FetchTransport, type Transport } from './http/transport.js';
import { UndiciTransport } from './http/undici-transport.js';
import type { Logger, TracerLike } from './http/observe.js';
import { type Clock, systemClock } from './http/retry.js';
import { Analytics, PARTNER_ANALYTICS } from './resources/analytics.js';
import { CheckoutSessions, CREATE_CHECKOUT_SESSION } from './resources/checkout-sessions.js';
import { ASSOCIATE_MERCHANT, Merchants } from './resources/merchants.js';
import { Reports, UPDATE_SCHEDULE } from './resources/reports.js';
import { LIST_SCHEDULED_TRANSFERS, ScheduledTransfers } from './resources/scheduled-transfers.js';
import { LIST_TRANSACTIONS, Transactions } from './resources/transactions.js';
import { CREATE_WEBHOOK, TEST_WEBHOOK, Webhooks } from './resources/webhooks.js';
import { checkRequest, must } from './schemas.js';
import { Secret } from './secret.js';

/** All operations of the provider's document. */
export const OPERATIONS: readonly Operation[] = [
  LIST_TRANSACTIONS,
  UPDATE_SCHEDULE,
  ASSOCIATE_MERCHANT,
  LIST_SCHEDULED_TRANSFERS,
  PARTNER_ANALYTICS,
  CREATE_CHECKOUT_SESSION,
  CREATE_WEBHOOK,
  TEST_WEBHOOK,
];

/** Options of `PartnerClient`. */
export interface PartnerClientOptions extends AddressOptions {
  /** Sent as the header `api_key` (spec 5). */
  readonly apiKey: string | Secret;
  /**
   * Sent as the header `api_key` with scheduled transfers only. Default: none is sent, because how
   * they are authenticated is not shown (spec 5).
   */
  readonly transfersApiKey?: string | Secret | undefined;
  /** Limit of a whole call: attempts, pauses and bodies. Default 30. */
  readonly timeoutSeconds?: number | undefined;
  /** How often a failed attempt may be repeated where that is safe. Default 2. */
  readonly maxRetries?: number | undefined;
  /** Whether a create or a webhook call is repeated after a 429, too. Default `false`. */
  readonly retryRateLimited?: boolean | undefined;
  /** A larger answer is given up. Default 32 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** How closely answers are compared with the document. Default `warn`. */
  readonly validation?: Validation | undefined;
  /** How the days of a custom range of analytics count towards the limit. Default `inclusive`: both ends. */
  readonly analyticsDays?: 'difference' | 'inclusive' | undefined;
  /** Header of answers that holds a request id; the spec shows none. Default `x-request-id`. */
  readonly requestIdHeader?: string | undefined;
  /** Default: `UndiciTransport` on Node, `FetchTransport` elsewhere. */
  readonly transport?: Transport | undefined;
  /** An OpenTelemetry tracer: one span a call. Default: none. */
  readonly tracer?: TracerLike | undefined;
  /** Takes warnings, pauses before another attempt, and attempts; `console` fits. Default: none. */
  readonly logger?: Logger | undefined;
  readonly userAgent?: string | undefined;
  /** For tests: the passing of time. */
  readonly clock?: Clock | undefined;
  /** For tests: a number from 0 to 1, as `Math.random` gives, for the pauses. */
  readonly random?: (() => number) | undefined;
}

/**
 * The provider's partner API, one field a resource.
 *
 * Printing a client shows no key. A client keeps connections alive, so share one; idle
 * connections do not keep a process alive.
 *
 * @example
 * const client = new PartnerClient({ apiKey, baseUrl: 'https://api.example.com/payments' });
 * const page = await client.transactions.list({ fromDate: '2026-03-01', limit: 100 });
 */
export class PartnerClient {
  readonly transactions: Transactions;
  readonly reports: Reports;
  readonly merchants: Merchants;
  readonly scheduledTransfers: ScheduledTransfers;
  readonly analytics: Analytics;
  readonly checkoutSessions: CheckoutSessions;
  readonly webhooks: Webhooks;
  readonly #settings: ClientSettings;

  constructor(options: PartnerClientOptions) {
    this.#settings = readClientOptions(options);
    const caller = new Caller(this.#settings);
    this.transactions = new Transactions(caller);
    this.reports = new Reports(caller);
    this.merchants = new Merchants(caller);
    this.scheduledTransfers = new ScheduledTransfers(caller);
    this.analytics = new Analytics(caller);
    this.checkoutSessions = new CheckoutSessions(caller);
    this.webhooks = new Webhooks(caller);
  }

  /**
   * Where answers differed from the provider's document so far: fields that it does not list, and
   * fields of other types. Names and counts, never values.
   */
  driftReport(): DriftReport {
    return this.#settings.drift.report();
  }

  /** Ends running calls. Optional: idle connections close on their own. */
  close(): void {
    this.#settings.transport.close?.();
  }
}

const OPERATION = 'new PartnerClient';
const DEFAULT_MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

const AGENT = 'must be printable ASCII text';
const BYTES = 'must be a whole number above 0';

const OPTIONS = optionsObject({
  apiKey: z.unknown().optional(),
  baseUrl: z.unknown().optional(),
  environment: z.unknown().optional(),
  merchantsBaseUrl: z.unknown().optional(),
  transfersBaseUrl: z.unknown().optional(),
  transfersApiKey: z.unknown().optional(),
  ...CALL_LIMITS,
  maxResponseBytes: z.int(must(BYTES)).positive(BYTES).optional(),
  analyticsDays: z
    .enum(['difference', 'inclusive'], must("must be 'difference' or 'inclusive'"))
    .optional(),
  requestIdHeader: z.string(must('must be a text')).optional(),
  transport: z
    .custom<Transport>(
      (value) => typeof (value as Partial<Transport> | null)?.send === 'function',
      'must have a method send; a class is given as new …()',
    )
    .optional(),
  tracer: z.unknown().optional(),
  logger: z.unknown().optional(),
  userAgent: z
    .string(must(AGENT))
    .regex(/^[ -~]+$/, AGENT)
    .optional(),
  clock: z.unknown().optional(),
  random: z.unknown().optional(),
} satisfies Record<keyof PartnerClientOptions, z.ZodType>);

function readClientOptions(options: PartnerClientOptions): ClientSettings {
  checkRequest(OPERATION, OPTIONS, options, 'options');
  const addresses = new Addresses(options);
  const {
    timeoutSeconds = 30,
    maxRetries = 2,
    retryRateLimited = false,
    maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES,
    validation = 'warn',
    analyticsDays = 'inclusive',
    userAgent = 'pay-checkout-partner-api',
    transport = isNode() ? new UndiciTransport() : new FetchTransport(),
  } = options;
  const apiKey = readKey('apiKey', options.apiKey);
  const logger = options.logger ?? {};
  if (addresses.plainHosts.length > 0) {
    const message = `the key travels unencrypted to ${addresses.plainHosts.join(', ')}: use https`;
    if (options.logger === undefined) globalThis.process?.emitWarning?.(message);
    else logger.warn?.(message);
  }
  const transfersApiKey =
    options.transfersApiKey === undefined
      ? undefined
      : readKey('transfersApiKey', options.transfersApiKey);
  return {
    addresses,
    keys: { apiKey, transfersApiKey },
    secrets: transfersApiKey === undefined ? [apiKey] : [apiKey, transfersApiKey],
    timeoutSeconds,
    maxRetries,
    retryRateLimited,
    maxResponseBytes,
    validation,
    drift: new DriftLog(),
    analyticsDays,
    requestIdHeader: (options.requestIdHeader ?? 'x-request-id').toLowerCase(),
    transport,
    tracer: options.tracer,
    logger,
    userAgent,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

/** Bun and Deno have names of Node, and no undici of ours. */
function isNode(): boolean {
  const versions: Partial<NodeJS.ProcessVersions> = globalThis.process?.versions ?? {};
  return versions.node !== undefined && !('bun' in versions || 'deno' in versions);
}

function readKey(field: KeyName, key: unknown): Secret {
  const secret = typeof key === 'string' ? new Secret(key) : key;
  if (!(secret instanceof Secret) || secret.reveal() === '') {
    const advice = 'must be a text that is not empty, or a Secret';
    throw new InvalidRequestError(field, advice, OPERATION);
  }
  if (!/^[!-~]+$/.test(secret.reveal())) {
    const advice =
      'must be printable ASCII without spaces or line breaks; was it read from a file with a line ' +
      'break at its end?';
    throw new InvalidRequestError(field, advice, OPERATION);
  }
  return secret;
}
