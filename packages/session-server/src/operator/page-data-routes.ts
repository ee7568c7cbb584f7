import { Router } from 'express';
import type { OperatorService } from './service.js';

/** What the operator's page reads and does. */
export function pageDataRoutes(service: OperatorService): Router {
  const router = Router();

  router.get('/health', async (_request, response) => {
    response.json(await service.healthView());
  });

  return router;
}
