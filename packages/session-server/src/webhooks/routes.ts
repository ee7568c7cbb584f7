import type { IncomingHttpHeaders } from 'node:http';
import { toStoredToken } from '../checkouts/attempt-token.js';
import type { CheckoutStore } from '../checkouts/repository.js';
import type { Clock } from '../clock.js';
import { crashPoint } from '../crash-points.js';
import { AppError } from '../errors.js';
import { type Door, type DoorHandler, type Intake, setHeaders } from '../http/door.js';
import { readBody } from '../http/read-body.js';
import { REQUEST_ID } from '../http/request-id.js';
import { RAW_DATA_HEADERS } from '../http/security.js';
import { sendJson } from '../http/send-json.js';
import type { Logger } from '../logger.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import type { Observer } from '../metrics/observer.js';
import type { WebhookEncryption } from './encryption.js';
import { isTestWebhook, packWebhook } from './content.js';
import { sealContext, toStoredHash } from './worker.js';
import { HourlyBytes } from './hourly-bytes.js';

/** What is kept for an attempt grows less only when bodies are erased: ask again, but not often. */
const FULL_RETRY_SECONDS = 3600;
const ROUTE = '/v1/webhooks/{token}';
/** As Express reads an address: in any case, with a slash at its end or without, or with a host. */
const ADDRESS = /^(?:https?:\/\/[^/]+)?(\/v1\/webhooks\/([^/?]+)\/?(?:\?.*)?)$/is;

export interface WebhookRouteOptions {
  readonly door: Door;
  readonly store: CheckoutStore;
  readonly merchants: MerchantSource;
  readonly vault: WebhookEncryption;
  readonly logger: Logger;
  /** Public address of this server, as the provider calls it. */
  readonly webhookBaseUrl: string;
  readonly clock: Clock;
  readonly limits: WebhookRouteLimits;
  readonly observer: Pick<Observer, 'webhookReceived'>;
  /** Called when there is something to work on. */
  readonly onStored: () => void;
}

export interface WebhookRouteLimits {
  /** Of a body as it comes. */
  readonly maxBytes: number;
  /** Kept for the address of one attempt at the same time, with headers. */
  readonly bytesPerAttempt: number;
  /** Taken from one registered endpoint, with headers. */
  readonly bytesPerHourPerEndpoint: number;
}

/**
 * Where the provider's deliveries arrive: any body of any type, stored as it came and encrypted,
 * then answered. The work is done after the answer.
 *
 * It stands before Express, whose routers would cost a delivery as much as its encryption does.
 */
export function createWebhookRoute(options: WebhookRouteOptions): Intake {
  const { door, store, merchants, vault, logger, webhookBaseUrl, clock, limits } = options;
  const { observer, onStored } = options;
  const endpoints = new HourlyBytes(limits.bytesPerHourPerEndpoint);

  const refuse = (retryAfterSeconds: number): never => {
    observer.webhookReceived('refused');
    throw new AppError(
      429,
      'too_many_deliveries',
      'More is not taken at this webhook address now; nothing was stored. Send it again later.',
      { retryAfterSeconds },
    );
  };

  const receive = async (
    { token, path }: DeliveryAddress,
    ...[request, response, id]: Parameters<DoorHandler>
  ): Promise<void> => {
    const stored = toStoredToken(token);
    const tokenHash = stored.hash;
    const attempt = await store.findWebhookAttempt(stored);
    if (!attempt && !(await isRegistered(tokenHash, merchants))) {
      throw new AppError(404, 'webhook_not_found', 'No such webhook address.');
    }
    const body = await readBody(request, limits.maxBytes);
    const delivery = {
      url: `${webhookBaseUrl}${path}`,
      headers: textHeaders(request.headers),
      body,
    };
    if (isTestWebhook(delivery)) {
      await store.countTestWebhook();
      crashPoint('webhook:test-counted');
      observer.webhookReceived('test');
      logger.info({}, 'a webhook test was received');
      setHeaders(response, id);
      sendJson(response, { received: 'test' });
      return;
    }
    const digest = vault.digest(tokenHash, body);
    const sealed = vault.seal(packWebhook(delivery), sealContext(tokenHash, digest));
    const waitSeconds = attempt ? undefined : endpoints.take(tokenHash, sealed.length, clock.now());
    if (waitSeconds !== undefined) refuse(waitSeconds);
    const isStored = await store.recordWebhook(
      { tokenHash, digest, sealed },
      attempt?.orderId,
      limits.bytesPerAttempt,
    );
    crashPoint('webhook:stored');
    if (!isStored) refuse(FULL_RETRY_SECONDS);
    observer.webhookReceived('stored');
    onStored();
    crashPoint('webhook:before-answer');
    response.writeHead(204, [...RAW_DATA_HEADERS, REQUEST_ID, id]).end();
  };

  return (request, response) => {
    const address = request.method === 'POST' ? readAddress(request.url) : undefined;
    if (address === undefined) return false;
    door.answer(request, response, ROUTE, (...given) => receive(address, ...given));
    return true;
  };
}

interface DeliveryAddress {
  readonly token: string;
  /** With the query, and without the host. */
  readonly path: string;
}

function readAddress(url = ''): DeliveryAddress | undefined {
  const [, path, token] = ADDRESS.exec(url) ?? [];
  if (path === undefined || token === undefined) return undefined;
  try {
    return { token: decodeURIComponent(token), path };
  } catch {
    return undefined;
  }
}

async function isRegistered(tokenHash: string, merchants: MerchantSource): Promise<boolean> {
  return (await merchants.all()).some(({ webhookEndpoints }) =>
    webhookEndpoints.some((endpoint) => toStoredHash(endpoint.tokenHash) === tokenHash),
  );
}

function textHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
