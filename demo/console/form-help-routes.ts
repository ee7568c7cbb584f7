/** `/api/avs` and `/api/schedule`: what a form says while it is filled in. The provider is not asked. */
import { describeSchedule, isTimezone } from '@pay-checkout/partner-api/schedule-words';
import { deriveAvs } from '@pay-checkout/session-server/avs';
import { Router } from 'express';
import { z } from 'zod';
import { parseFields } from './console-error.js';
import type { AvsView, ScheduleView } from './console-view.js';

const once = z.string('give it once');
/** The zone that a person chose for days and schedules. */
export const zone = once
  .refine(isTimezone, 'must be a time zone such as Europe/London')
  .default('UTC');

const line = once.optional();
const addressQuery = z.strictObject({ address1: line, address2: line, postcode: line });
const scheduleQuery = z.strictObject({ schedule: once, timezone: zone });

export function formHelpRoutes(): Router {
  const router = Router();

  // The session server derives these fields in the same way.
  router.get('/api/avs', (request, response) => {
    const address = parseFields(addressQuery, request.query);
    const { AvsHouseNumber, AvsPostcode, flat } = deriveAvs(address);
    const reply: AvsView = { AvsHouseNumber, AvsPostcode, flat };
    response.json(reply);
  });

  router.get('/api/schedule', (request, response) => {
    const { schedule, timezone } = parseFields(scheduleQuery, request.query);
    const reply: ScheduleView = { ...describeSchedule(schedule, timezone) };
    response.json(reply);
  });

  return router;
}
