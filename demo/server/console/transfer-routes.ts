/** `GET /api/transfers`: the scheduled transfers of a merchant account (spec 4.4). */
import type { PartnerClient } from '@pay-checkout/partner-api';
import { Router } from 'express';
import { z } from 'zod';
import type { TransfersView } from '../../shared/console-view.js';
import { parseFields } from './console-error.js';
import { callProvider } from './provider-problem.js';
import { toFields } from './provider-text.js';
import { signalOf } from './signal-of.js';

const query = z.strictObject({ mid: z.string('give the identifier of a merchant') });

/** The body that the spec shows on this read is never sent: what it does is not shown. */
export function transferRoutes(client: PartnerClient): Router {
  const router = Router();
  router.get('/api/transfers', async (request, response) => {
    const { mid } = parseFields(query, request.query);
    const signal = signalOf(response);
    const transfers = await callProvider({ namedBy: 'mid' }, () =>
      client.scheduledTransfers.list(mid, undefined, { signal }),
    );
    const reply: TransfersView = { transfers: transfers.map(toFields) };
    response.json(reply);
  });
  return router;
}
