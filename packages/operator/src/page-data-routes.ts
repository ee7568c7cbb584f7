import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import {
  abortedByClose,
  jsonBody,
  parse,
  readCursor,
  toCursor,
  word,
  wordOf,
} from '@pay-checkout/session-server/internals';
import { requireRole, whoAsks } from './require-role.js';
import type { PageService } from './page-service.js';
import { ACTIONS, type Queue, QUEUES } from './page-view.js';
import type { Place } from './queues.js';
import { searchBody } from './search.js';
import type { OperatorService } from './service.js';

const MAX_BODY_BYTES = 16_384;

/** What the operator's page reads and does. */
export function pageDataRoutes(service: OperatorService, page: PageService): Router {
  const router = Router();
  const body = jsonBody(MAX_BODY_BYTES);
  const act = requireRole('act');

  router.get('/health', async (_request, response) => {
    response.json(await service.healthView());
  });

  router.get('/problems', async (_request, response) => {
    response.json(await service.problems());
  });

  // What is searched for may be an e-mail: in no address, which proxies write into their logs.
  router.post('/search', ...body, async (request, response) => {
    response.json(await page.search(parse(searchBody, request.body).q));
  });

  router.get('/orders', async (request, response) => {
    response.json(await page.orders(request.query));
  });

  router.get('/orders.csv', async (request, response) => {
    await page.sendOrders(request.query, response);
  });

  router.get('/orders/:merchant/:order', async (request, response) => {
    response.json(await page.order(keyIn(request)));
  });

  router.get('/queues/:queue', async (request, response) => {
    const { queue } = parse(z.object({ queue: z.enum(QUEUES) }), request.params);
    const { cursor, merchant } = parse(queueQuery, request.query);
    const behind = cursor === undefined ? [] : readCursor(cursor, placeIn(queue));
    response.json(withCursor(await page.queue(queue, behind, merchant)));
  });

  router.get('/audit', async (request, response) => {
    const { cursor, ...filter } = parse(auditQuery, request.query);
    const behind = cursor === undefined ? [] : readCursor(cursor, z.tuple([number]));
    response.json(withCursor(await page.audit(filter, behind)));
  });

  router.get('/audit.csv', requireRole('admin'), async (request, response) => {
    const { cursor: _, ...filter } = parse(auditQuery, request.query);
    await page.sendAudit(filter, response);
  });

  router.post('/orders/:merchant/:order/poll', act, ...body, async (request, response) => {
    await page.poll(keyIn(request), wantedBy(request, response));
    response.json({});
  });

  router.post('/orders/:merchant/:order/explain', act, ...body, async (request, response) => {
    response.json({ lines: await service.explain(keyIn(request), abortedByClose(response)) });
  });

  router.post('/orders/:merchant/:order/note', act, ...body, async (request, response) => {
    const { for: target } = parse(noteBody, request.body);
    await page.note(keyIn(request), target, wantedBy(request, response));
    response.json({});
  });

  router.post(
    '/orders/:merchant/:order/void',
    requireRole('admin'),
    ...body,
    async (request, response) => {
      parse(withNote, request.body);
      await page.makeVoid(keyIn(request), wantedBy(request, response));
      response.json({});
    },
  );

  router.post('/checkouts/:id/resolve', act, ...body, async (request, response) => {
    const { attention } = parse(resolveBody, request.body);
    const { id } = parse(z.object({ id: word }), request.params);
    await page.resolve(id, attention, wantedBy(request, response));
    response.json({});
  });

  router.post('/events/:id/redeliver', act, ...body, async (request, response) => {
    const { id } = parse(z.object({ id: word }), request.params);
    response.json({ redelivered: await page.redeliver(id, wantedBy(request, response)) });
  });

  return router;
}

const cursor = z.string().max(500).optional();
const queueQuery = z.object({ cursor, merchant: word.optional() });
const time = z.coerce.number().int().nonnegative().optional();
const auditQuery = z.object({
  cursor,
  actor: wordOf(100).optional(),
  action: z.enum(ACTIONS).optional(),
  merchant: word.optional(),
  from: time,
  to: time,
});
const note = z
  .string()
  .max(500)
  .transform((text) => text.replace(/\p{Cc}+/gu, ' ').trim());
const wantedNote = note.refine((text) => text !== '', 'expected a note');
const actionBody = z.object({ note: note.optional() });
const withNote = z.object({ note: wantedNote });
const noteBody = withNote.extend({ for: wordOf(100).optional() });
const resolveBody = z.object({ note: wantedNote, attention: z.array(word).max(1000) });
export const orderKey = z.object({ merchant: word, order: word });

const number = z.int().nonnegative();

function placeIn(queue: Queue): z.ZodType<(string | number)[]> {
  if (queue === 'dead-letters') return z.tuple([number, number, word]);
  return queue === 'unmatched-webhooks' ? z.tuple([number, number]) : z.tuple([number]);
}

function withCursor<T extends { readonly nextPlace?: Place }>({ nextPlace, ...found }: T) {
  return { ...found, ...(nextPlace && { next: toCursor(nextPlace) }) };
}

function keyIn(request: Request): z.output<typeof orderKey> {
  return parse(orderKey, request.params);
}

function wantedBy(request: Request, response: Response) {
  return { actor: whoAsks(response).actor, note: parse(actionBody, request.body).note };
}
