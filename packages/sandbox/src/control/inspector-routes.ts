import { Router, type Response } from 'express';
import { z } from 'zod';
import { ApiError, parseBody } from '../http/errors.js';
import { toCurl } from '../inspector/curl.js';
import type { RecordedCall } from '../inspector/recorded-call.js';
import type { StoredTransaction } from '../transactions/transaction-store.js';
import type { SandboxControl } from './sandbox-control.js';

const HEARTBEAT_MS = 15_000;
/** A watcher that reads slower than this is cut off, and connects again. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

const wholeNumber = z
  .string()
  .regex(/^\d{1,12}$/, 'expected a whole number')
  .transform(Number);

const requestsQuery = z.strictObject({
  operation: z.string().optional(),
  session: z.string().optional(),
  search: z.string().optional(),
  before: wholeNumber.optional(),
  limit: wholeNumber.optional(),
});

const sessionsQuery = z.strictObject({
  state: z.string().optional(),
  search: z.string().optional(),
  limit: wholeNumber.optional(),
  skip: wholeNumber.optional(),
});

const transactionsQuery = z.strictObject({
  cursor: z.string().optional(),
  limit: wholeNumber.refine((rows) => rows <= 1000, 'expected at most 1000').optional(),
  status: z.string().optional(),
  merchantId: wholeNumber.optional(),
  search: z.string().optional(),
});

/** Money stays text, with all its digits. */
function showTransaction({ row, visibleAt }: StoredTransaction, now: number) {
  const isListed = visibleAt <= now;
  const isMoment = !Number.isNaN(new Date(visibleAt).getTime());
  return {
    row,
    isListed,
    ...(!isListed && isMoment && { listedAt: new Date(visibleAt).toISOString() }),
  };
}

/** What was called and answered, and what happens now. */
export function inspectorRoutes(control: SandboxControl): Router {
  const router = Router();
  router.get('/requests', (request, response) => {
    const { session, ...query } = parseBody(requestsQuery, request.query, 'control routes');
    response.json({
      requests: control.requests({ ...query, sessionId: session }),
      counts: control.requestCounts(),
    });
  });
  router.delete('/requests', (_request, response) => {
    control.clearRequests();
    response.status(204).end();
  });
  router.get('/requests/:number', (request, response) => {
    const call = control.findRequest(Number(request.params.number));
    if (call === undefined) throw new ApiError(404, 'There is no request with this number.');
    const base = `${request.protocol}://${request.get('host') ?? ''}`;
    const curl = call.request && toCurl(call as RecordedCall, control.publicUrl ?? base);
    response.json({ ...call, curl });
  });
  router
    .route('/sessions')
    .get((request, response) => {
      const query = parseBody(sessionsQuery, request.query, 'control routes');
      response.json(control.listSessions(query));
    })
    .post((request, response) => {
      response.status(201).json(control.createSession(request.body));
    });
  router.get('/sessions/:id', (request, response) => {
    response.json(control.describeSession(request.params.id));
  });
  router.get('/transactions/list', (request, response) => {
    const query = parseBody(transactionsQuery, request.query, 'control routes');
    const { transactions, ...page } = control.listTransactions(query);
    response.json({
      ...page,
      transactions: transactions.map((each) => showTransaction(each, control.clock.now())),
    });
  });
  router.get('/transactions/:id', (request, response) => {
    const { sessionId, ...stored } = control.readTransaction(request.params.id);
    response.json({ ...showTransaction(stored, control.clock.now()), sessionId });
  });
  router.get('/about', (_request, response) => {
    response.json(control.describe());
  });
  router.get('/events', (_request, response) => streamActivity(control, response));
  return router;
}

/** Server-sent events: `request` with each call as it comes and ends, `change` for anything more. */
function streamActivity(control: SandboxControl, response: Response): void {
  response.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write('retry: 1000\n\n');
  const stop = control.activity.watch((event) => {
    const data = event.type === 'request' ? event.data : {};
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`);
    if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
  });
  const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS).unref();
  response.on('close', () => {
    stop();
    clearInterval(heartbeat);
  });
}
