import { raw, Router } from 'express';
import type { CheckoutStore } from '../checkout/checkout-store.js';
import { crashPoint } from '../crash-points.js';
import { AppError } from '../errors.js';
import type { EvidenceService } from '../evidence/evidence-service.js';
import { hashToken } from '../random-id.js';

/** The largest delivery that is taken; the payload's size and shape are not shown (spec 6). */
const MOST_BYTES = '256kb';

export interface WebhookRoutesOptions {
  readonly store: CheckoutStore;
  readonly evidence: EvidenceService;
}

/**
 * Where the provider's deliveries arrive: any body of any type, stored as it came, then answered.
 * How deliveries are signed is not shown (spec 6), so each is a hint and triggers a look.
 */
export function webhookRoutes({ store, evidence }: WebhookRoutesOptions): Router {
  const router = Router();
  router.post(
    '/webhooks/:token',
    raw({ type: () => true, limit: MOST_BYTES }),
    async (request, response) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const attempt = await store.recordDelivery(hashToken(String(request.params['token'])), {
        contentType: (request.headers['content-type'] ?? '').slice(0, 200),
        body,
      });
      crashPoint('webhook:stored');
      if (!attempt) throw new AppError(404, 'webhook_not_found', 'No such webhook address.');
      const checkout = await store.find(attempt.checkout);
      if (checkout) evidence.hint(checkout);
      crashPoint('webhook:before-answer');
      response.status(204).end();
    },
  );
  return router;
}
