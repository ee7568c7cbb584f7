import { InvalidRequestError } from '../errors.js';
import { Secret } from '../secret.js';
import { checkRetries, checkSeconds } from './check-options.js';
import { systemClock, type Clock } from './deadline.js';
import { createDefaultTransport } from './default-transport.js';
import type { Transport } from './transport.js';
import { parseBaseUrl } from './url.js';

/** Options of `PartnerClient`. */
export interface PartnerClientOptions {
  /** Sent as the header `api_key` (spec 5). */
  readonly apiKey: string | Secret;
  /** `{base_url}` of the spec; a path prefix is kept. */
  readonly baseUrl: string;
  /** Limit of a whole call: attempts, pauses and bodies. Default 30. */
  readonly timeoutSeconds?: number | undefined;
  /** Limit of one attempt, its body included. Default 10. */
  readonly attemptTimeoutSeconds?: number | undefined;
  /** How often a failed attempt may be repeated where that is safe. Default 2. */
  readonly maxRetries?: number | undefined;
  /** A larger answer is given up. Default 32 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Header of answers that holds a request id; the spec shows none. Default `x-request-id`. */
  readonly requestIdHeader?: string | undefined;
  /** Default: Node's HTTP with keep-alive, or `fetch` where there is no Node. */
  readonly transport?: Transport | undefined;
  readonly userAgent?: string | undefined;
  /** For tests: the passing of time. */
  readonly clock?: Clock | undefined;
  /** For tests: a number from 0 to 1, as `Math.random` gives, for the pauses. */
  readonly random?: (() => number) | undefined;
}

/** The options of a client, checked and complete. */
export interface ClientSettings {
  readonly apiKey: Secret;
  readonly baseUrl: URL;
  readonly timeoutSeconds: number;
  readonly attemptTimeoutSeconds: number;
  readonly maxRetries: number;
  readonly maxResponseBytes: number;
  readonly requestIdHeader: string;
  readonly transport: Transport;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: () => number;
}

const OPERATION = 'new PartnerClient';
const DEFAULT_MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

export function readClientOptions(options: PartnerClientOptions): ClientSettings {
  const baseUrl = parseBaseUrl(options.baseUrl);
  if (typeof baseUrl === 'string') throw new InvalidRequestError('baseUrl', baseUrl, OPERATION);
  const {
    timeoutSeconds = 30,
    attemptTimeoutSeconds = 10,
    maxRetries = 2,
    maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES,
    userAgent = 'pay-checkout-partner-api',
  } = options;
  checkSeconds('timeoutSeconds', timeoutSeconds, OPERATION);
  checkSeconds('attemptTimeoutSeconds', attemptTimeoutSeconds, OPERATION);
  checkRetries('maxRetries', maxRetries, OPERATION);
  if (!Number.isSafeInteger(maxResponseBytes) || maxResponseBytes < 1) {
    throw new InvalidRequestError('maxResponseBytes', 'must be a whole number above 0', OPERATION);
  }
  if (!/^[ -~]+$/.test(userAgent)) {
    throw new InvalidRequestError('userAgent', 'must be printable ASCII text', OPERATION);
  }
  return {
    apiKey: readApiKey(options.apiKey),
    baseUrl,
    timeoutSeconds,
    attemptTimeoutSeconds,
    maxRetries,
    maxResponseBytes,
    requestIdHeader: (options.requestIdHeader ?? 'x-request-id').toLowerCase(),
    transport: options.transport ?? createDefaultTransport(),
    userAgent,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

function readApiKey(apiKey: unknown): Secret {
  const secret = typeof apiKey === 'string' ? new Secret(apiKey) : apiKey;
  if (!(secret instanceof Secret) || secret.reveal() === '') {
    throw new InvalidRequestError(
      'apiKey',
      'must be a text that is not empty, or a Secret',
      OPERATION,
    );
  }
  if (!/^[!-~]+$/.test(secret.reveal())) {
    const advice =
      'must be printable ASCII without spaces or line breaks; was it read from a file with a line ' +
      'break at its end?';
    throw new InvalidRequestError('apiKey', advice, OPERATION);
  }
  return secret;
}
