import { Router, type Request } from 'express';
import { z } from 'zod';
import type { SandboxContext } from '../context.js';
import { answerCall } from '../faults/answer-call.js';
import { acceptCall, resellerOfCall } from '../http/accept-call.js';
import { ApiError, parseBody } from '../http/errors.js';
import { notShown, requestBody, text } from '../schemas.js';
import { reportSchedule, type ReportSchedule } from './report-book.js';

/** The complete set of values is not shown (section 3), so any word is accepted. */
function anyWord(...examples: readonly string[]) {
  return text
    .min(1, 'expected a word such as "active"')
    .meta({ examples, ...notShown('complete set of values') });
}

/** Body of `POST /v1/reports/update-schedule` (spec 4.2). */
export const updateScheduleRequest = requestBody({
  id: z.string('expected the id of a schedule'),
  status: anyWord('active').optional(),
  schedule_type: anyWord('daily').optional(),
  notification_email: z.email('expected an e-mail address').optional(),
});

/**
 * `POST /v1/reports/update-schedule` (spec 4.2): sets what is sent and keeps the rest.
 * `GET /reports/{id}/{day}.csv`: the file that `download_url` names, for everyone who has the link.
 */
export function reportRoutes(context: SandboxContext): Router {
  const { schedules, settings } = context;
  const router = Router({ strict: true, caseSensitive: true });
  router.post(
    '/v1/reports/update-schedule',
    ...acceptCall(context, 'update-schedule'),
    async (request, response) => {
      const { id, ...change } = parseBody(updateScheduleRequest, request.body, 'section 4.2');
      const schedule = schedules.find(id);
      const reseller = resellerOfCall(response);
      const isOfOther = reseller !== undefined && schedule?.reseller_id !== reseller;
      if (schedule === undefined || isOfOther) {
        const message = 'expected a known id; GET /_sandbox/schedules lists them';
        throw new ApiError(404, 'There is no report schedule with this id.', {
          fields: [{ field: 'id', message }],
        });
      }
      await answerCall(context, 'update-schedule', response, () => {
        const updated = schedules.update(schedule, change);
        return toWireSchedule(updated, settings.emptyScheduleFields, originOf(request));
      });
    },
  );
  router.get(/^\/reports\//, (request, response) => {
    const file = schedules.findFile(request.path);
    if (file === undefined) throw new ApiError(404, 'There is no report at this address.');
    if (file.text === undefined) throw new ApiError(410, 'This report has expired.');
    response.attachment(request.path.split('/').slice(2).join('-'));
    response.set('Cache-Control', 'no-store').type('text/csv').send(file.text);
  });
  return router;
}

/** As the caller spells it, who may know another name of this machine than a browser. */
function originOf(request: Request): string {
  return `${request.protocol}://${request.get('host') ?? ''}`;
}

/** The schedule as it is sent: every field, or only those with a value. */
function toWireSchedule(
  schedule: ReportSchedule,
  emptyFields: 'omit' | 'null',
  origin: string,
): Readonly<Record<string, unknown>> {
  const { download_url: path } = schedule;
  const sent = path === undefined ? schedule : { ...schedule, download_url: origin + path };
  if (emptyFields === 'omit') return sent;
  const fields = Object.keys(reportSchedule.shape) as (keyof ReportSchedule)[];
  return Object.fromEntries(fields.map((field) => [field, sent[field] ?? null]));
}
