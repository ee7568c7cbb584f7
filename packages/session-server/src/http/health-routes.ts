import { Router } from 'express';
import type { CheckoutStore } from '../checkout/checkout-store.js';
import { AppError } from '../errors.js';

/** `/healthz`: the process answers. `/readyz`: it can also write to its store. */
export function healthRoutes(store: CheckoutStore): Router {
  const router = Router();
  router.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    await store.ping().catch((cause: unknown) => {
      throw new AppError(503, 'not_ready', 'The store cannot be written to.', { cause });
    });
    response.json({ status: 'ok' });
  });
  return router;
}
