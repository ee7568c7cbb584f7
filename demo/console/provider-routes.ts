/**
 * Analytics (spec 4.5), scheduled transfers (4.4), report schedules (4.2) and signup links (4.3): each
 * is one route and one call of the provider.
 */
import type { PartnerClient } from '@pay-checkout/partner-api';
import { Router } from 'express';
import { z } from 'zod';
import { parseFields } from './console-error.js';
import type {
  AnalyticsView,
  ReportScheduleView,
  SignupLinkView,
  TransfersView,
} from './console-view.js';
import { describeMetrics } from './metrics-view.js';
import { callProvider, otherFields, signalOf, toFields } from './provider-call.js';

const once = z.string('give it once');

// Dates and their range are for the client to check: a person sees its words.
const analyticsQuery = z.strictObject({
  partner_name: z.string('give the name of a partner, as the provider knows it'),
  timeframe: once.optional(),
  from_date: once.optional(),
  to_date: once.optional(),
});

const transfersQuery = z.strictObject({ mid: z.string('give the identifier of a merchant') });

const text = z.string('must be a text').optional();
const scheduleBody = z.strictObject({
  id: z.string('give the identifier of a report schedule'),
  status: text,
  schedule_type: text,
  notification_email: z.email('must be an e-mail address').optional(),
});

const linkBody = z.strictObject({ merchantId: z.string('give the identifier of a merchant') });

const SCHEDULE_FACTS = {
  namedBy: 'id',
  ifUnknown: 'Send the same again: a second time changes nothing more.',
};

const LINK_FACTS = {
  namedBy: 'merchantId',
  ifUnknown:
    'Ask the merchant to try the link first: whether a second time extends it again is not shown.',
};

export function providerRoutes(client: PartnerClient): Router {
  const router = Router();

  router.get('/api/analytics', async (request, response) => {
    const params = parseFields(analyticsQuery, request.query);
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

  // The body that the spec shows on this read is never sent: what it does is not shown.
  router.get('/api/transfers', async (request, response) => {
    const { mid } = parseFields(transfersQuery, request.query);
    const signal = signalOf(response);
    const transfers = await callProvider({ namedBy: 'mid' }, () =>
      client.scheduledTransfers.list(mid, undefined, { signal }),
    );
    const reply: TransfersView = { transfers: transfers.map(toFields) };
    response.json(reply);
  });

  router.post('/api/report-schedules', async (request, response) => {
    const params = parseFields(scheduleBody, request.body);
    const schedule = await callProvider(SCHEDULE_FACTS, () =>
      client.reports.updateSchedule(params),
    );
    const reply: ReportScheduleView = { schedule: toFields(schedule) };
    response.json(reply);
  });

  router.post('/api/signup-links', async (request, response) => {
    const { merchantId } = parseFields(linkBody, request.body);
    const answer = await callProvider(LINK_FACTS, () =>
      client.merchants.associate({ action: 'reactivate', merchantId }),
    );
    const reply: SignupLinkView = {
      message: answer.message,
      others: otherFields(answer, ['message']),
    };
    response.json(reply);
  });

  return router;
}
