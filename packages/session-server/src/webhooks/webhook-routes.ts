import type { IncomingHttpHeaders } from 'node:http';
import { Router } from 'express';
import { toStoredToken } from '../checkout/attempt-token.js';
import type { CheckoutStore } from '../checkout/checkout-store.js';
import { crashPoint } from '../crash-points.js';
import { AppError } from '../errors.js';
import { dataHeaders } from '../http/security.js';
import type { Logger } from '../logger.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import type { Observer } from '../metrics/observer.js';
import type { BodyVault } from './body-vault.js';
import { isTestDelivery, packDelivery } from './delivery-content.js';
import { sealContext, toStoredHash } from './delivery-inbox.js';
import { readBody } from './read-body.js';

export interface WebhookRoutesOptions {
  readonly store: CheckoutStore;
  readonly merchants: MerchantSource;
  readonly vault: BodyVault;
  readonly logger: Logger;
  /** Public address of this server, as the provider calls it. */
  readonly webhookBaseUrl: string;
  readonly maxBytes: number;
  readonly observer: Pick<Observer, 'deliveryReceived'>;
  /** Called when there is something to work on. */
  readonly onStored: () => void;
}

/**
 * Where the provider's deliveries arrive: any body of any type, stored as it came and encrypted,
 * then answered. The work is done after the answer.
 */
export function webhookRoutes(options: WebhookRoutesOptions): Router {
  const { store, merchants, vault, logger, webhookBaseUrl, maxBytes, observer, onStored } = options;
  const router = Router();
  router.post('/webhooks/:token', dataHeaders, async (request, response) => {
    const token = toStoredToken(String(request.params['token']));
    const tokenHash = token.hash;
    const attempt = await store.findWebhookAttempt(token);
    if (!attempt && !(await isRegistered(tokenHash, merchants))) {
      throw new AppError(404, 'webhook_not_found', 'No such webhook address.');
    }
    const body = await readBody(request, maxBytes);
    const delivery = {
      url: `${webhookBaseUrl}${request.originalUrl}`,
      headers: textHeaders(request.headers),
      body,
    };
    if (isTestDelivery(delivery)) {
      await store.countTestDelivery();
      crashPoint('webhook:test-counted');
      observer.deliveryReceived('test');
      logger.info({}, 'a webhook test was received');
      response.json({ received: 'test' });
      return;
    }
    const digest = vault.digest(tokenHash, body);
    const sealed = vault.seal(packDelivery(delivery), sealContext(tokenHash, digest));
    const receipt = await store.recordDelivery({ tokenHash, digest, sealed }, attempt?.orderId);
    crashPoint('webhook:stored');
    observer.deliveryReceived(receipt);
    onStored();
    crashPoint('webhook:before-answer');
    response.status(204).end();
  });
  return router;
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
