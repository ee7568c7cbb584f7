import { Router } from 'express';
import { AppError } from '../errors.js';

/** How long an answer of the store serves all requests. */
const SHARED_MS = 1000;

/**
 * `/healthz`: the process answers, and no new start is needed. `/readyz`: it can also write to its
 * store. That is tried once a second at most, since anyone may ask. `/healthz` waits for no disk: it
 * knows of a failure from the try before.
 *
 * @param now milliseconds of a clock that is never set back
 */
export function healthRoutes(
  store: { ping(): Promise<void> },
  now: () => number = () => performance.now(),
): Router {
  const router = Router();
  let pinged: Promise<void> | undefined;
  let pingedAt = -Infinity;
  let failure: unknown;
  const ping = (): Promise<void> => {
    if (pinged && now() - pingedAt < SHARED_MS) return pinged;
    pingedAt = now();
    pinged = store.ping();
    pinged.catch((error: unknown) => {
      if (error instanceof Error && error.name === 'DiskFailedError') failure = error;
    });
    return pinged;
  };
  router.get('/healthz', (_request, response) => {
    void ping().catch(() => undefined);
    if (failure !== undefined) {
      const message = 'The disk did not keep what was written. Restart the server.';
      throw new AppError(503, 'not_ready', message, { cause: failure });
    }
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
