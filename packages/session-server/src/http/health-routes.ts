import { Router } from 'express';
import type { CheckoutStore } from '../checkout/checkout-store.js';
import { AppError } from '../errors.js';

/** For how long an answer of the store serves everybody who asks. */
const SHARED_MS = 1000;

/**
 * `/healthz`: the process answers. `/readyz`: it can also write to its store. That is tried once a
 * second at most, since anybody may ask.
 *
 * @param now milliseconds of a clock that is never set back
 */
export function healthRoutes(
  store: Pick<CheckoutStore, 'ping'>,
  now: () => number = () => performance.now(),
): Router {
  const router = Router();
  let pinged: Promise<void> | undefined;
  let pingedAt = -Infinity;
  const ping = (): Promise<void> => {
    if (pinged && now() - pingedAt < SHARED_MS) return pinged;
    pingedAt = now();
    return (pinged = store.ping());
  };
  router.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    await ping().catch((cause: unknown) => {
      throw new AppError(503, 'not_ready', 'The store cannot be written to.', { cause });
    });
    response.json({ status: 'ok' });
  });
  return router;
}
