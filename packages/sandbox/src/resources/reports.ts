import { Router } from 'express';
import { z } from 'zod';
import { acceptCall } from '../api/accept-call.js';
import { answerCall } from '../api/answer-call.js';
import { ApiError } from '../api/api-error.js';
import { parseBody } from '../api/json-body.js';
import type { SandboxContext } from '../context.js';
import { SCHEDULE_FIELDS, updateSchedule, type ReportSchedule } from './report-schedule.js';

const word = z.string('expected a string').min(1, 'expected a word such as "active"');

/** Body of `POST /v1/reports/update-schedule` (spec 4.2). */
export const updateScheduleBody = z.strictObject(
  {
    id: z.string('expected the id of a schedule'),
    // The complete value sets are not shown (section 3), so any word is taken.
    status: word.optional(),
    schedule_type: word.optional(),
    notification_email: z.email('expected an e-mail address').optional(),
  },
  'expected an object',
);

/** `POST /v1/reports/update-schedule` (spec 4.2): sets what is sent, keeps the rest. */
export function reportRoutes(context: SandboxContext): Router {
  return Router({ strict: true, caseSensitive: true }).post(
    '/v1/reports/update-schedule',
    ...acceptCall(context, 'update-schedule'),
    async (request, response) => {
      const { id, ...change } = parseBody(updateScheduleBody, request.body, 'section 4.2');
      const schedule = requireSchedule(context, id);
      await answerCall(context, 'update-schedule', response, () => {
        const updated = updateSchedule(schedule, change, context.clock.now());
        context.schedules.set(id, updated);
        return toWireSchedule(updated, context.settings.emptyScheduleFields);
      });
    },
  );
}

/** The schedule as it is answered: all fields, or those that have a value. */
export function toWireSchedule(
  schedule: ReportSchedule,
  emptyFields: 'omit' | 'null',
): Readonly<Record<string, unknown>> {
  if (emptyFields === 'omit') return { ...schedule };
  return Object.fromEntries(SCHEDULE_FIELDS.map((field) => [field, schedule[field] ?? null]));
}

function requireSchedule(context: SandboxContext, id: string): ReportSchedule {
  const schedule = context.schedules.get(id);
  if (schedule !== undefined) return schedule;
  throw new ApiError(404, 'There is no report schedule with this id.', {
    fields: [{ field: 'id', message: 'expected a known id; GET /_sandbox/schedules lists them' }],
  });
}
