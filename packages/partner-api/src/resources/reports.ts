import { checkReportSchedule } from '../generated/reply-checks.js';
import type { Caller } from '../http/caller.js';
import { checkFields, isFilledText, type FieldChecks } from '../http/check-fields.js';
import { OPERATIONS } from '../http/operation-facts.js';
import { expectObject, type CallOptions, type Operation } from '../http/operation.js';

/** Request of spec 4.2. Only what is given is sent; `id` names the schedule. */
export interface UpdateReportScheduleParams {
  id: string;
  /** `active` is the value shown. */
  status?: 'active' | (string & {}) | undefined;
  /** `daily` is the value shown here, `one_time` in answers. */
  schedule_type?: 'daily' | 'one_time' | (string & {}) | undefined;
  notification_email?: string | undefined;
}

/**
 * A report schedule as the provider sends it (spec 2.2). Which fields are present is not shown, nor
 * all values of the three state fields; fields that the spec does not list are kept.
 */
export interface ReportSchedule {
  id?: string;
  reseller_id?: number;
  merchant_id?: number;
  merchant_name?: string;
  report_type?: string;
  schedule_type?: 'one_time' | 'daily' | (string & {});
  cadence?: string;
  status?: 'active' | (string & {});
  run_status?: 'pending' | (string & {});
  /** `YYYY-MM-DD`. */
  from_date?: string;
  /** `YYYY-MM-DD`. */
  to_date?: string;
  email?: string;
  notification_email?: string;
  requested_by?: string;
  download_url?: string;
  row_count?: number;
  file_size_bytes?: number;
  error_code?: string;
  error_message?: string;
  completed_at?: string;
  expires_at?: string;
  next_run_at?: string;
  last_run_at?: string;
  last_run_status?: 'succeeded' | (string & {});
  created_at?: string;
  updated_at?: string;
  parameters?: Record<string, string>;
  [field: string]: unknown;
}

const CHECKS: FieldChecks<UpdateReportScheduleParams> = {
  id: isFilledText,
  status: isFilledText,
  schedule_type: isFilledText,
  notification_email: isFilledText,
};

const UPDATE: Operation<ReportSchedule> = {
  ...OPERATIONS.updateSchedule,
  readReply: (body) => expectObject(body, 'body'),
  checkReply: checkReportSchedule,
};

/** Scheduled reports (spec 4.2). Creating, listing and deleting them is not shown. */
export class Reports {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Sets fields of a schedule. It leaves the same when it arrives twice, so it may be repeated. */
  async updateSchedule(
    params: UpdateReportScheduleParams,
    options?: CallOptions,
  ): Promise<ReportSchedule> {
    const fields = checkFields(UPDATE.name, params, CHECKS, ['id']);
    return this.#caller.call(UPDATE, { fields }, options);
  }
}
