import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import {
  AppError,
  jsonBody,
  type Merchant,
  type MerchantSource,
  parse,
  readCursor,
  SECRET_KINDS,
  type SecretKind,
  toCursor,
  word,
} from '@pay-checkout/session-server/internals';
import { sessionOf } from '../page-routes.js';
import { searchBody } from '../search.js';
import type { DashboardSession, DashboardService, MerchantRequest } from './service.js';

const MAX_BODY_BYTES = 1024;

/** What the merchant's dashboard reads and does. Whose it is, the session says, and no address or body. */
export function dashboardRoutes(
  service: DashboardService,
  merchants: Pick<MerchantSource, 'find'>,
): Router {
  const router = Router();
  const body = jsonBody(MAX_BODY_BYTES);
  const whoAsks = async (response: Response): Promise<MerchantRequest> => {
    const { merchant: id, actor } = sessionOf(response) as DashboardSession;
    const merchant = await merchants.find(id);
    if (!merchant)
      throw new AppError(401, 'dashboard_signed_out', 'This merchant is no longer here.');
    return { merchant, actor: `${actor} of ${id}` };
  };
  const merchantOf = async (response: Response): Promise<Merchant> =>
    (await whoAsks(response)).merchant;

  router.get('/orders', async (request, response) => {
    response.json(await service.orders(await merchantOf(response), request.query));
  });

  router.post('/search', ...body, async (request, response) => {
    const { q } = parse(searchBody, request.body);
    response.json(await service.search(await merchantOf(response), q));
  });

  router.get('/orders.csv', async (request, response) => {
    await service.sendOrders(await merchantOf(response), request.query, response);
  });

  router.get('/orders/:order', async (request, response) => {
    response.json(await service.order(await merchantOf(response), orderIn(request)));
  });

  router.post('/orders/:order/link', ...body, async (request, response) => {
    response.json(await service.payLink(await merchantOf(response), orderIn(request)));
  });

  router.get('/events', async (request, response) => {
    const { cursor, show } = parse(eventQuery, request.query);
    const merchant = await merchantOf(response);
    const found =
      show === 'all'
        ? await service.events(merchant, placeIn(cursor, eventPlace))
        : await service.untakenEvents(merchant);
    response.json(withCursor(found));
  });

  router.post('/events/:event/redeliver', ...body, async (request, response) => {
    const { event } = parse(z.object({ event: word }), request.params);
    await service.redeliver(event, await whoAsks(response));
    response.json({});
  });

  router.get('/setup', async (_request, response) => {
    response.json(await service.setup(await merchantOf(response)));
  });

  router.post('/secrets/:kind/rotate', ...body, async (request, response) => {
    response.json(await service.rotate(kindIn(request), await whoAsks(response)));
  });

  router.post('/secrets/:kind/retire', ...body, async (request, response) => {
    await service.retire(kindIn(request), await whoAsks(response));
    response.json({});
  });

  router.post('/checks/receiver', ...body, async (_request, response) => {
    response.json(await service.testEvent(await merchantOf(response)));
  });

  router.post('/checks/return-page', ...body, async (_request, response) => {
    response.json(await service.checkReturnPage(await merchantOf(response)));
  });

  return router;
}

const cursor = z.string().max(500).optional();
const eventQuery = z.object({ show: z.enum(['all', 'untaken']).default('all'), cursor });

const number = z.int().nonnegative();
const eventPlace = z.tuple([number]);

function placeIn<T>(text: string | undefined, place: z.ZodType<T>): T | undefined {
  return text === undefined ? undefined : readCursor(text, place);
}

function withCursor<T extends { readonly nextPlace?: readonly (string | number)[] | undefined }>({
  nextPlace,
  ...found
}: T) {
  return { ...found, ...(nextPlace && { next: toCursor(nextPlace) }) };
}

function orderIn(request: Request): string {
  return parse(z.object({ order: word }), request.params).order;
}

function kindIn(request: Request): SecretKind {
  const kinds = Object.keys(SECRET_KINDS) as SecretKind[];
  return parse(z.object({ kind: z.enum(kinds) }), request.params).kind;
}
