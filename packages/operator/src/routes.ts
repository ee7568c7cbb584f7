import { json, type RequestHandler, Router } from 'express';
import { z } from 'zod';
import {
  abortedByClose,
  AppError,
  parse,
  type RedeliverFilter,
  word,
} from '@pay-checkout/session-server/internals';
import { orderKey } from './page-data-routes.js';
import { requireRole, whoAsks } from './require-role.js';
import type { List, OperatorService } from './service.js';

/** A century. */
const MAX_DAYS = 36_500;

/** @throws {AppError} 415 unless the body is JSON: a form of a page cannot send that */
const requireJson: RequestHandler = (request, _response, next) => {
  if (request.is('application/json') === false) {
    throw new AppError(415, 'unsupported_media_type', 'Send the body as application/json.');
  }
  next();
};

const limit = z.coerce
  .number('expected a number from 1 to 1000')
  .int()
  .min(1)
  .max(1000)
  .default(100);
const merchant = word.optional();
const listQuery = z.strictObject({ merchant, limit });
const unmatchedQuery = z.strictObject({ limit });
const attentionQuery = z.strictObject({
  merchant,
  limit,
  days: z.coerce
    .number(`expected a number of days above 0, and at most ${String(MAX_DAYS)}`)
    .positive()
    .max(MAX_DAYS)
    .default(14),
});
const eventIds = z
  .array(word.startsWith('msg_', 'expected ids of events, such as "msg_…"'))
  .min(1, 'expected at least one id of an event')
  .max(1000, 'expected at most 1000 ids of events');
/** Strict, so that nothing is redelivered because a field was left out. */
const redeliverBody = z.union(
  [
    z.strictObject({ ids: eventIds }),
    z.strictObject({ merchant: word, retrying: z.boolean().optional() }),
    z.strictObject({ all: z.literal(true) }),
  ],
  { error: 'expected {"ids": ["msg_…"]}, {"merchant": "…", "retrying"?: true} or {"all": true}' },
);

/** What programs of the operator ask for: JSON without personal data. */
export function operatorRoutes(service: OperatorService): Router {
  const router = Router();

  router.get('/health', async (_request, response) => {
    const health = await service.health();
    response.status(health.status === 'ok' ? 200 : 503).json(health);
  });

  router.get('/orders/:merchant/:order/explain', async (request, response) => {
    const { merchant, order } = parse(orderKey, request.params);
    response.json({
      merchant,
      order,
      lines: await service.explain({ merchant, order }, abortedByClose(response)),
    });
  });

  router.get('/orders/:merchant/:order/timeline', async (request, response) => {
    const { merchant, order } = parse(orderKey, request.params);
    response.json({ merchant, order, lines: await service.timeline(merchant, order) });
  });

  router.get('/events/dead-lettered', async (request, response) => {
    const query = parse(listQuery, request.query);
    response.json(
      withTimes(await service.deadLetteredEvents({ merchant: query.merchant }, query.limit)),
    );
  });

  router.post(
    '/events/redeliver',
    requireRole('act'),
    requireJson,
    json({ limit: '64kb' }),
    async (request, response) => {
      const wanted = parse(redeliverBody, request.body);
      const { actor } = whoAsks(response);
      response.json({ redelivered: await service.redeliver(toFilter(wanted), actor) });
    },
  );

  router.get('/webhooks/unmatched', async (request, response) => {
    const query = parse(unmatchedQuery, request.query);
    const unmatched = await service.unmatchedWebhooks(query.limit);
    const items = unmatched.items.map(({ receivedAt, ...webhook }) => ({
      ...webhook,
      receivedAt: new Date(receivedAt).toISOString(),
    }));
    response.json({ ...unmatched, items });
  });

  router.get('/attention', async (request, response) => {
    const query = parse(attentionQuery, request.query);
    const list = await service.attention(query.merchant, query.days, query.limit);
    response.json(withTimes(list));
  });

  return router;
}

function toFilter(wanted: z.infer<typeof redeliverBody>): RedeliverFilter {
  if ('all' in wanted) return {};
  return 'ids' in wanted ? wanted : { merchant: wanted.merchant, waiting: wanted.retrying };
}

function withTimes<T extends { readonly createdAt: number }>(list: List<T>) {
  return {
    ...list,
    items: list.items.map((item) => ({
      ...item,
      createdAt: new Date(item.createdAt).toISOString(),
    })),
  };
}
