import type { IncomingHttpHeaders } from 'node:http';
import express, { type RequestHandler, Router } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { toStoredToken } from '../checkouts/attempt-ids.js';
import { type Attempt, findToken } from '../checkouts/attempt-repository.js';
import type { Clock } from '../clock.js';
import { AppError } from '../errors.js';
import type { Logger } from '../logger.js';
import { findWebhookEndpoints } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import type { Observer } from '../observer.js';
import { encryptionContext, type DataEncryption } from '../encryption.js';
import { type Database, incrementCounter } from '../store/database.js';
import { isTestWebhook, packWebhook } from './payload.js';
import { TESTS_COUNTER } from './repository.js';
import { recordWebhook } from './webhook-transactions.js';

const HOUR_SECONDS = 3600;
/** Room for an attempt comes back only when bodies are erased, so a sender should wait long. */
const FULL_RETRY_SECONDS = HOUR_SECONDS;

export interface WebhookRouteOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly merchants: MerchantSource;
  readonly encryption: DataEncryption;
  readonly logger: Logger;
  /** Public address of this server, as the provider calls it. */
  readonly webhookBaseUrl: string;
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
  const { database, clock, merchants, encryption, logger, webhookBaseUrl, limits } = options;
  const { observer, onStored } = options;
  const hourlyBytes = new RateLimiterMemory({
    points: limits.bytesPerHourPerEndpoint,
    duration: HOUR_SECONDS,
  });

  const findReceiver: RequestHandler<{ token: string }> = async (request, response, next) => {
    const stored = toStoredToken(request.params.token);
    const found = await findToken(database, stored);
    const attempt = found?.kind === 'webhook' ? found : undefined;
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
      await database.transaction('webhook:count-test', (tx) => incrementCounter(tx, TESTS_COUNTER));
      observer.webhookReceived('test');
      logger.info({}, 'a test webhook was received');
      response.json({ received: 'test' });
      return;
    }
    const digest = encryption.digest(tokenHash, webhook.body);
    const sealed = encryption.seal(packWebhook(webhook), encryptionContext(tokenHash, digest));
    if (!attempt) {
      const refusal = await consume(hourlyBytes, tokenHash, sealed.length);
      if (refusal) refuse(observer, Math.ceil(refusal.msBeforeNext / 1000));
    }
    const receipt = {
      orderId: attempt?.orderId,
      maxBytes: limits.bytesPerAttempt,
      now: clock.now(),
    };
    const isStored = await database.transaction('webhook:record', (tx) =>
      recordWebhook(tx, { tokenHash, digest, sealed }, receipt),
    );
    if (!isStored) refuse(observer, FULL_RETRY_SECONDS);
    observer.webhookReceived('stored');
    onStored();
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

/** Returns the refusal when the points of the key are used up. */
async function consume(
  limiter: RateLimiterMemory,
  key: string,
  points: number,
): Promise<RateLimiterRes | undefined> {
  try {
    await limiter.consume(key, points);
    return undefined;
  } catch (error) {
    if (error instanceof RateLimiterRes) return error;
    throw error;
  }
}

function refuse(observer: Pick<Observer, 'webhookReceived'>, retryAfterSeconds: number): never {
  observer.webhookReceived('refused');
  throw new AppError(
    429,
    'too_many_webhooks',
    'This webhook address takes no more for now; nothing was stored. Send it again later.',
    { retryAfterSeconds },
  );
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
