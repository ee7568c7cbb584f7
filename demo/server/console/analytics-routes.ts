/** `GET /api/analytics`: the partner's analytics (spec 4.5). */
import type { PartnerClient } from '@pay-checkout/partner-api';
import { Router } from 'express';
import { z } from 'zod';
import type { AnalyticsView } from '../../shared/console-view.js';
import { parseFields } from './console-error.js';
import { describeMetrics } from './metrics-view.js';
import { callProvider } from './provider-problem.js';
import { otherFields } from './provider-text.js';
import { signalOf } from './signal-of.js';

const once = z.string('give it once');

// Dates and their range are the client's to check: its words are the ones that a person sees.
const query = z.strictObject({
  partner_name: z.string('give the name of a partner, as the provider knows it'),
  timeframe: once.optional(),
  from_date: once.optional(),
  to_date: once.optional(),
});

export function analyticsRoutes(client: PartnerClient): Router {
  const router = Router();
  router.get('/api/analytics', async (request, response) => {
    const params = parseFields(query, request.query);
    const signal = signalOf(response);
    const answer = await callProvider({ namedBy: 'partner_name' }, () =>
      client.analytics.partner(params, { signal }),
    );
    const reply: AnalyticsView = {
      ...describeMetrics(answer.data),
      others: otherFields(answer, ['success', 'data']),
    };
    response.json(reply);
  });
  return router;
}
