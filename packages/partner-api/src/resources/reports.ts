import * as z from 'zod';
import { InvalidRequestError } from '../errors.js';
import { type Call, type Caller, startCall } from '../http/request.js';
import type { CallOptions, Operation } from '../http/operation.js';
import {
  checkRequest,
  FIELDS_NOT_SHOWN,
  filledText,
  notShown,
  openEnum,
  replyDate,
  requestObject,
} from '../schemas.js';

const Request = requestObject({
  id: filledText,
  status: filledText.optional().meta({ examples: ['active'], ...notShown('All values.') }),
  schedule_type: filledText.optional().meta({ examples: ['daily'], ...notShown('All values.') }),
  notification_email: filledText.optional(),
}).meta(FIELDS_NOT_SHOWN);

/** Request of spec 4.2. Only what is given is sent; `id` names the schedule. */
export type UpdateReportScheduleParams = z.infer<typeof Request>;

export const Reply = z
  .object({
    id: z.string(),
    reseller_id: z.int(),
    merchant_id: z.int(),
    merchant_name: z.string(),
    report_type: z.string(),
    schedule_type: openEnum(['one_time', 'daily']),
    cadence: z.string(),
    status: openEnum(['active'], 'All values.'),
    run_status: openEnum(['pending'], 'All values.'),
    from_date: replyDate,
    to_date: replyDate,
    email: z.string(),
    notification_email: z.string(),
    requested_by: z.string(),
    download_url: z.string(),
    row_count: z.int(),
    file_size_bytes: z.int(),
    error_code: z.string(),
    error_message: z.string(),
    completed_at: z.string(),
    expires_at: z.string(),
    next_run_at: z.string(),
    last_run_at: z.string(),
    last_run_status: openEnum(['succeeded'], 'All values.'),
    created_at: z.string(),
    updated_at: z.string(),
    parameters: z.record(z.string(), z.string()),
  })
  .partial()
  .meta({ id: 'ReportSchedule', description: 'Section 2.2.', ...FIELDS_NOT_SHOWN });

/** A report schedule as the provider sends it (spec 2.2). Which fields are present is not shown. */
export type ReportSchedule = z.infer<typeof Reply>;

export const UPDATE_SCHEDULE: Operation<typeof Reply> = {
  name: 'reports.updateSchedule',
  summary: 'Update a report schedule.',
  section: '4.2',
  method: 'POST',
  base: 'api',
  path: ['v1', 'reports', 'update-schedule'],
  key: 'apiKey',
  effect: 'set',
  request: Request,
  reply: Reply,
  needs: [],
};

/** Scheduled reports (spec 4.2). Creating, listing and deleting them is not shown. */
export class Reports {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Sets fields of a schedule. It has the same effect when it arrives twice, so it may be repeated. */
  updateSchedule(params: UpdateReportScheduleParams, options?: CallOptions): Call<ReportSchedule> {
    return startCall(async (note) => {
      checkRequest(UPDATE_SCHEDULE.name, Request, params);
      const { id: _, ...fields } = params;
      const given = Object.values({ ...fields, ...options?.extraFields });
      if (given.every((value) => value === undefined)) {
        const advice = 'or another field must be given: this would set nothing';
        throw new InvalidRequestError('status', advice, UPDATE_SCHEDULE.name);
      }
      return this.#caller.call(UPDATE_SCHEDULE, { fields: params }, options, note);
    });
  }
}
