import type { Merchant } from '../merchant.js';

/** A report schedule of spec 2.2. What has no value yet is left out, unless a setting says null. */
export interface ReportSchedule {
  readonly id: string;
  readonly reseller_id: number;
  readonly merchant_id: number;
  readonly merchant_name: string;
  readonly report_type: string;
  /** `one_time` and `daily` were seen; kept open. */
  readonly schedule_type: string;
  readonly cadence: string;
  /** `active` was seen; kept open. */
  readonly status: string;
  readonly run_status: string;
  readonly from_date: string;
  readonly to_date: string;
  readonly email: string;
  readonly notification_email: string;
  readonly requested_by: string;
  readonly download_url?: string;
  readonly row_count?: number;
  readonly file_size_bytes?: number;
  readonly error_code?: string;
  readonly error_message?: string;
  readonly completed_at?: string;
  readonly expires_at?: string;
  readonly next_run_at?: string;
  readonly last_run_at?: string;
  readonly last_run_status?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Every field of spec 2.2, in its order. */
export const SCHEDULE_FIELDS = [
  'id',
  'reseller_id',
  'merchant_id',
  'merchant_name',
  'report_type',
  'schedule_type',
  'cadence',
  'status',
  'run_status',
  'from_date',
  'to_date',
  'email',
  'notification_email',
  'requested_by',
  'download_url',
  'row_count',
  'file_size_bytes',
  'error_code',
  'error_message',
  'completed_at',
  'expires_at',
  'next_run_at',
  'last_run_at',
  'last_run_status',
  'created_at',
  'updated_at',
  'parameters',
] as const satisfies readonly (keyof ReportSchedule)[];

const DAY_MILLISECONDS = 86_400_000;
const RUN_HOUR = 6;

/** The schedules that a sandbox starts with: three for each merchant, in three conditions. */
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

/** When a schedule runs next; a schedule that is not active, or ran its one time, does not. */
export function nextRunAt(schedule: ReportSchedule, now: number): string | undefined {
  if (schedule.status !== 'active') return undefined;
  if (schedule.schedule_type === 'one_time') {
    return schedule.last_run_at === undefined ? toText(now + 60_000) : undefined;
  }
  const today = new Date(now).setUTCHours(RUN_HOUR, 0, 0, 0);
  return toText(today > now ? today : today + DAY_MILLISECONDS);
}

/** What a schedule becomes when it is updated (spec 4.2). */
export function updateSchedule(
  schedule: ReportSchedule,
  change: {
    readonly status?: string | undefined;
    readonly schedule_type?: string | undefined;
    readonly notification_email?: string | undefined;
  },
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
  const next = nextRunAt(base, now);
  return {
    ...base,
    id,
    download_url: `https://files.example/reports/${id}.csv`,
    row_count: 1240,
    file_size_bytes: 301_512,
    completed_at: toText(lastRun + 42_000),
    expires_at: toText(lastRun + 7 * DAY_MILLISECONDS),
    ...(next === undefined ? {} : { next_run_at: next }),
    last_run_at: toText(lastRun),
    last_run_status: 'succeeded',
  };
}

/** Waits for its only run. */
function makeOneTime(base: ReportSchedule): ReportSchedule {
  return { ...base, id: `${base.id}_once`, schedule_type: 'one_time', cadence: 'one_time' };
}

/** Every field of spec 2.2 has a value: it failed once, after a run that worked. */
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
