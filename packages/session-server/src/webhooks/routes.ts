import type { IncomingHttpHeaders } from 'node:http';
import express, { type RequestHandler, Router } from 'express';
import { toStoredToken } from '../checkouts/attempt-token.js';
import type { Attempt, CheckoutStore } from '../checkouts/repository.js';
import type { Clock } from '../clock.js';
import { crashPoint } from '../crash-points.js';
import { AppError } from '../errors.js';
import type { Logger } from '../logger.js';
import { findWebhookEndpoints } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import type { Observer } from '../observer.js';
import { encryptionContext, type WebhookEncryption } from './encryption.js';
import { isTestWebhook, packWebhook } from './payload.js';

const HOUR_MS = 3_600_000;
/** Room for an attempt comes back only when bodies are erased, so a sender should wait long. */
const FULL_RETRY_SECONDS = 3600;

export interface WebhookRouteOptions {
  readonly store: CheckoutStore;
  readonly merchants: MerchantSource;
  readonly encryption: WebhookEncryption;
  readonly logger: Logger;
  /** Public address of this server, as the provider calls it. */
  readonly webhookBaseUrl: string;
  readonly clock: Clock;
  readonly limits: WebhookRouteLimits;
  readonly observer: Pick<Observer, 'webhookReceived'>;
  /** Called when a webhook was stored. */
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

/** Whom the token in the address belongs to: an attempt, or a registered endpoint. */
interface Receiver {
  readonly tokenHash: string;
  readonly attempt: Pick<Attempt, 'orderId'> | undefined;
}

/**
 * `POST /v1/webhooks/{token}`: takes any body of any type, stores it encrypted as it came, and then
 * answers. The worker processes it later.
 */
export function webhookRoutes(options: WebhookRouteOptions): Router {
  const { store, merchants, encryption, logger, webhookBaseUrl, clock, limits } = options;
  const { observer, onStored } = options;
  const hourlyBytes = new HourlyBytes(limits.bytesPerHourPerEndpoint);

  const findReceiver: RequestHandler<{ token: string }> = async (request, response, next) => {
    const stored = toStoredToken(request.params.token);
    const attempt = await store.findWebhookAttempt(stored);
    if (!attempt && findWebhookEndpoints(await merchants.all(), stored.hash).length === 0) {
      throw new AppError(404, 'webhook_not_found', 'No such webhook address.');
    }
    response.locals['receiver'] = { tokenHash: stored.hash, attempt } satisfies Receiver;
    next();
  };

  const receive: RequestHandler<{ token: string }> = async (request, response) => {
    const { tokenHash, attempt } = response.locals['receiver'] as Receiver;
    const webhook = {
      url: webhookBaseUrl + withoutHost(request.originalUrl),
      headers: textHeaders(response.locals['headers'] as IncomingHttpHeaders),
      body: (request.body as Buffer | undefined) ?? Buffer.alloc(0),
    };
    if (isTestWebhook(webhook)) {
      await store.countTestWebhook();
      crashPoint('webhook:test-counted');
      observer.webhookReceived('test');
      logger.info({}, 'a test webhook was received');
      response.json({ received: 'test' });
      return;
    }
    const digest = encryption.digest(tokenHash, webhook.body);
    const sealed = encryption.seal(packWebhook(webhook), encryptionContext(tokenHash, digest));
    const waitSeconds = attempt
      ? undefined
      : hourlyBytes.take(tokenHash, sealed.length, clock.now());
    if (waitSeconds !== undefined) refuse(observer, waitSeconds);
    const isStored = await store.recordWebhook(
      { tokenHash, digest, sealed },
      attempt?.orderId,
      limits.bytesPerAttempt,
    );
    crashPoint('webhook:stored');
    if (!isStored) refuse(observer, FULL_RETRY_SECONDS);
    observer.webhookReceived('stored');
    onStored();
    crashPoint('webhook:before-answer');
    response.status(204).end();
  };

  const raw = express.raw({ type: () => true, limit: limits.maxBytes });
  const router = Router();
  router.post('/webhooks/:token', findReceiver, keepEncoding, raw, receive);
  return router;
}

/** Lets `express.raw` keep the body as it came: a signature covers the encoded bytes. */
const keepEncoding: RequestHandler<{ token: string }> = (request, response, next) => {
  response.locals['headers'] = { ...request.headers };
  delete request.headers['content-encoding'];
  next();
};

function refuse(observer: Pick<Observer, 'webhookReceived'>, retryAfterSeconds: number): never {
  observer.webhookReceived('refused');
  throw new AppError(
    429,
    'too_many_webhooks',
    'This webhook address takes no more for now; nothing was stored. Send it again later.',
    { retryAfterSeconds },
  );
}

/** A limit of bytes an hour for each registered endpoint; an hour begins with the first webhook. */
class HourlyBytes {
  readonly #max: number;
  readonly #hours = new Map<string, { readonly endsAt: number; readonly taken: number }>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes room in the current hour. Returns in how many seconds there is room if there is none. */
  take(tokenHash: string, bytes: number, now: number): number | undefined {
    const known = this.#hours.get(tokenHash);
    const hour = known && now < known.endsAt ? known : { endsAt: now + HOUR_MS, taken: 0 };
    const taken = hour.taken + bytes;
    if (taken > this.#max) return Math.ceil((hour.endsAt - now) / 1000);
    this.#hours.set(tokenHash, { ...hour, taken });
    return undefined;
  }
}

/** The address as it was asked for; some proxies ask with a scheme and a host. */
function withoutHost(originalUrl: string): string {
  return originalUrl.replace(/^https?:\/\/[^/]+/i, '');
}

function textHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
