import { json, Router } from 'express';
import { z } from 'zod';
import { parse } from '../http/parse.js';
import { requireJson } from './operator-guard.js';
import type { List, OperatorService } from './operator-service.js';

const limit = z.coerce
  .number('expected a number from 1 to 1000')
  .int()
  .min(1)
  .max(1000)
  .default(100);
const merchant = z.string('expected the id of a merchant').min(1).optional();
const listQuery = z.strictObject({ merchant, limit });
const parkedQuery = z.strictObject({ limit });
const attentionQuery = z.strictObject({
  merchant,
  limit,
  days: z.coerce.number('expected a number of days above 0').positive().default(14),
});
const eventIds = z
  .array(z.string().startsWith('msg_', 'expected ids of events, such as "msg_…"'))
  .min(1, 'expected at least one id of an event')
  .max(1000, 'expected at most 1000 ids of events');
/** Nothing is redriven by leaving something out: all of them are asked for by name. */
const redriveBody = z.union(
  [
    z.strictObject({ ids: eventIds }),
    z.strictObject({ merchant: z.string().min(1), waiting: z.boolean().optional() }),
    z.strictObject({ all: z.literal(true) }),
  ],
  { error: 'expected {"ids": ["msg_…"]}, {"merchant": "…", "waiting"?: true} or {"all": true}' },
);

/** What operators ask over HTTP, on the listener of their own: JSON, and nobody's personal data. */
export function operatorRoutes(service: OperatorService): Router {
  const router = Router();

  router.get('/health', async (_request, response) => {
    const health = await service.health();
    response.status(health.status === 'ok' ? 200 : 503).json(health);
  });

  router.get('/orders/:merchant/:order/explain', async (request, response) => {
    const { merchant, order } = request.params;
    response.json({ merchant, order, lines: await service.explain(merchant, order) });
  });

  router.get('/events/dead', async (request, response) => {
    const query = parse(listQuery, request.query);
    response.json(withTimes(await service.deadEvents({ merchant: query.merchant }, query.limit)));
  });

  router.post(
    '/events/redrive',
    requireJson,
    json({ limit: '64kb' }),
    async (request, response) => {
      const wanted = parse(redriveBody, request.body);
      response.json({ redriven: await service.redrive('all' in wanted ? {} : wanted) });
    },
  );

  router.get('/deliveries/parked', async (request, response) => {
    const query = parse(parkedQuery, request.query);
    const parked = await service.parkedDeliveries(query.limit);
    const items = parked.items.map(({ receivedAt, ...delivery }) => ({
      ...delivery,
      receivedAt: new Date(receivedAt).toISOString(),
    }));
    response.json({ ...parked, items });
  });

  router.get('/attention', async (request, response) => {
    const query = parse(attentionQuery, request.query);
    const list = await service.attention(query.merchant, query.days, query.limit);
    response.json(withTimes(list));
  });

  return router;
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
