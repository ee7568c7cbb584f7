import { Router } from 'express';
import { z } from 'zod';
import type { SandboxContext } from '../context.js';
import { answerCall } from '../faults/answer-call.js';
import { acceptCall } from '../http/accept-call.js';
import { ApiError, parseBody } from '../http/errors.js';
import { date, integer, notShown, openWord, requestBody, text, timestamp } from '../schemas.js';
import type { Merchant } from '../settings.js';

const DAY_MILLISECONDS = 86_400_000;
const RUN_HOUR = 6;

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

/** The reply: a report schedule of spec 2.2. */
export const reportSchedule = z.object({
  id: text,
  reseller_id: integer,
  merchant_id: integer,
  merchant_name: text,
  report_type: openWord(),
  schedule_type: openWord('one_time', 'daily'),
  cadence: openWord(),
  status: openWord('active'),
  run_status: openWord('pending'),
  from_date: date,
  to_date: date,
  email: text,
  notification_email: text,
  requested_by: text,
  download_url: text.optional(),
  row_count: integer.optional(),
  file_size_bytes: integer.optional(),
  error_code: text.optional(),
  error_message: text.optional(),
  completed_at: timestamp.optional(),
  expires_at: timestamp.optional(),
  next_run_at: timestamp.optional(),
  last_run_at: timestamp.optional(),
  last_run_status: openWord('succeeded').optional(),
  created_at: timestamp,
  updated_at: timestamp,
  parameters: z.record(text, text),
});

export type ReportSchedule = Readonly<z.output<typeof reportSchedule>>;

/** `POST /v1/reports/update-schedule` (spec 4.2): sets what is sent and keeps the rest. */
export function reportRoutes(context: SandboxContext): Router {
  const { schedules, clock, settings } = context;
  return Router({ strict: true, caseSensitive: true }).post(
    '/v1/reports/update-schedule',
    ...acceptCall(context, 'update-schedule'),
    async (request, response) => {
      const { id, ...change } = parseBody(updateScheduleRequest, request.body, 'section 4.2');
      const schedule = schedules.get(id);
      if (schedule === undefined) {
        const message = 'expected a known id; GET /_sandbox/schedules lists them';
        throw new ApiError(404, 'There is no report schedule with this id.', {
          fields: [{ field: 'id', message }],
        });
      }
      await answerCall(context, 'update-schedule', response, () => {
        const updated = updateSchedule(schedule, change, clock.now());
        schedules.set(id, updated);
        return toWireSchedule(updated, settings.emptyScheduleFields);
      });
    },
  );
}

/** The schedule as it is sent: every field, or only those with a value. */
function toWireSchedule(
  schedule: ReportSchedule,
  emptyFields: 'omit' | 'null',
): Readonly<Record<string, unknown>> {
  if (emptyFields === 'omit') return schedule;
  const fields = Object.keys(reportSchedule.shape) as (keyof ReportSchedule)[];
  return Object.fromEntries(fields.map((field) => [field, schedule[field] ?? null]));
}

function updateSchedule(
  schedule: ReportSchedule,
  change: Omit<z.output<typeof updateScheduleRequest>, 'id'>,
  now: number,
): ReportSchedule {
  const { next_run_at: _old, ...kept } = schedule;
  const updated: ReportSchedule = {
    ...kept,
    status: change.status ?? schedule.status,
    schedule_type: change.schedule_type ?? schedule.schedule_type,
    cadence: change.schedule_type ?? schedule.cadence,
    notification_email: change.notification_email ?? schedule.notification_email,
    updated_at: toText(now),
  };
  const next = nextRunAt(updated, now);
  return next === undefined ? updated : { ...updated, run_status: 'pending', next_run_at: next };
}

/** A schedule that is not active, or has had its only run, does not run again. */
function nextRunAt(schedule: ReportSchedule, now: number): string | undefined {
  if (schedule.status !== 'active') return undefined;
  if (schedule.schedule_type === 'one_time') {
    return schedule.last_run_at === undefined ? toText(now + 60_000) : undefined;
  }
  const today = new Date(now).setUTCHours(RUN_HOUR, 0, 0, 0);
  return toText(today > now ? today : today + DAY_MILLISECONDS);
}

/** The schedules of a new sandbox: three for each merchant, in three conditions. */
export function seedSchedules(
  merchants: readonly Merchant[],
  defaultResellerId: number,
  now: number,
): ReportSchedule[] {
  return merchants.flatMap((merchant) => {
    const base = makeSchedule(merchant, merchant.resellerId ?? defaultResellerId, now);
    return [makeDaily(base, now), makeOneTime(base), makeFailed(base, now)];
  });
}

function makeSchedule(merchant: Merchant, resellerId: number, now: number): ReportSchedule {
  return {
    id: `sch_${merchant.id}`,
    reseller_id: resellerId,
    merchant_id: merchant.id,
    merchant_name: merchant.name,
    report_type: 'transactions',
    schedule_type: 'daily',
    cadence: 'daily',
    status: 'active',
    run_status: 'pending',
    from_date: toDay(now - 7 * DAY_MILLISECONDS),
    to_date: toDay(now - DAY_MILLISECONDS),
    email: 'reports@merchant.example',
    notification_email: 'reports@merchant.example',
    requested_by: 'robin@merchant.example',
    created_at: toText(now - 30 * DAY_MILLISECONDS),
    updated_at: toText(now - 30 * DAY_MILLISECONDS),
    parameters: { timezone: 'UTC', currency: merchant.currency },
  };
}

function makeDaily(base: ReportSchedule, now: number): ReportSchedule {
  const id = `${base.id}_daily`;
  const lastRun = new Date(now - DAY_MILLISECONDS).setUTCHours(RUN_HOUR, 0, 0, 0);
  return {
    ...base,
    id,
    download_url: `https://files.example/reports/${id}.csv`,
    row_count: 1240,
    file_size_bytes: 301_512,
    completed_at: toText(lastRun + 42_000),
    expires_at: toText(lastRun + 7 * DAY_MILLISECONDS),
    next_run_at: nextRunAt(base, now),
    last_run_at: toText(lastRun),
    last_run_status: 'succeeded',
  };
}

/** Waits for its only run. */
function makeOneTime(base: ReportSchedule): ReportSchedule {
  return { ...base, id: `${base.id}_once`, schedule_type: 'one_time', cadence: 'one_time' };
}

/** Has a value in every field of spec 2.2: it failed after a run that worked. */
function makeFailed(base: ReportSchedule, now: number): ReportSchedule {
  return {
    ...makeDaily(base, now),
    id: `${base.id}_failed`,
    error_code: 'invented_error',
    error_message: 'The file of the last run could not be written.',
    last_run_status: 'failed',
  };
}

function toText(time: number): string {
  return new Date(time).toISOString();
}

function toDay(time: number): string {
  return toText(time).slice(0, 10);
}
