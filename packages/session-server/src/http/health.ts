import { Router } from 'express';
import { AppError } from '../errors.js';

/** How long a result of the store is reused for all requests. */
const SHARED_MS = 1000;

/** What the answers depend on. */
export interface HealthChecks {
  /** Writes to the store. */
  ping(): Promise<void>;
  /** Whether the tables are those that this version of the server needs. */
  hasTables(): Promise<boolean>;
  /** How many seconds the oldest of each queue has waited. */
  readQueueAges(): Promise<Readonly<Record<string, number>>>;
}

/**
 * `/healthz`: the process answers and needs no restart. `/readyz`: it can also write to its store, and
 * the tables are right; the age of its queues is reported too, but is no reason to send shoppers away.
 * Checks run at most once a second, since anyone may ask. `/healthz` waits for no disk: it reports a
 * failure of the previous check.
 *
 * @param now milliseconds of a clock that is never set back
 */
export function healthRoutes(
  checks: HealthChecks,
  now: () => number = () => performance.now(),
): Router {
  const router = Router();
  let checked: ReturnType<typeof runChecks> | undefined;
  let checkedAt = -Infinity;
  let failure: unknown;
  const check = (): ReturnType<typeof runChecks> => {
    if (checked && now() - checkedAt < SHARED_MS) return checked;
    checkedAt = now();
    checked = runChecks(checks);
    checked.catch((error: unknown) => {
      if (isDiskFailure(error)) failure = error;
    });
    return checked;
  };
  router.get('/healthz', (_request, response) => {
    void check().catch(() => undefined);
    if (failure !== undefined) {
      const message = 'The disk did not keep what was written. Restart the server.';
      throw new AppError(503, 'not_ready', message, { cause: failure });
    }
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    response.json(await check());
  });
  return router;
}

async function runChecks(checks: HealthChecks) {
  const refuse = (message: string) => (cause: unknown) => {
    throw new AppError(503, 'not_ready', message, { cause });
  };
  await checks.ping().catch(refuse('The store cannot be written to.'));
  if (!(await checks.hasTables().catch(refuse('The store cannot be read.')))) {
    refuse('The tables of the store are of an older version of the server.')(undefined);
  }
  const queueSeconds = await checks.readQueueAges().catch(refuse('The store cannot be read.'));
  return { status: 'ok', database: 'ok', migrations: 'ok', queueSeconds };
}

function isDiskFailure(error: unknown): boolean {
  return (
    error instanceof AppError && (error.cause as Error | undefined)?.name === 'DiskFailedError'
  );
}
