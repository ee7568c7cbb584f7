/** `POST /api/report-schedules`: changes a report schedule (spec 4.2). */
import type { PartnerClient } from '@pay-checkout/partner-api';
import { Router } from 'express';
import { z } from 'zod';
import type { ReportScheduleView } from '../../shared/console-view.js';
import { parseFields } from './console-error.js';
import { callProvider } from './provider-problem.js';
import { toFields } from './provider-text.js';

const text = z.string('must be a text').optional();
const body = z.strictObject({
  id: z.string('give the identifier of a report schedule'),
  status: text,
  schedule_type: text,
  notification_email: z.email('must be an e-mail address').optional(),
});

const FACTS = {
  namedBy: 'id',
  ifUnknown: 'Send the same again: it sets the same values, so a second time changes nothing more.',
};

export function reportRoutes(client: PartnerClient): Router {
  const router = Router();
  router.post('/api/report-schedules', async (request, response) => {
    const params = parseFields(body, request.body);
    const schedule = await callProvider(FACTS, () => client.reports.updateSchedule(params));
    const reply: ReportScheduleView = { schedule: toFields(schedule) };
    response.json(reply);
  });
  return router;
}
