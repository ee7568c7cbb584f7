import { z } from 'zod';
import type { VirtualClock } from '../clock.js';
import type { Merchant } from '../accounts.js';
import { date, integer, openWord, text, timestamp } from '../schemas.js';
import { transaction, type TransactionRow } from '../transactions/transaction.js';

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

const DAY_MILLISECONDS = 86_400_000;
const RUN_HOUR = 6;
const DAYS_OF_REPORT = 7;
const KEPT_MILLISECONDS = 7 * DAY_MILLISECONDS;

/** Which transactions a report has: whole days of UTC, both ends included. */
export interface ReportScope {
  readonly merchantId: number;
  readonly fromDate: string;
  readonly toDate: string;
}

type Change = {
  readonly [Field in 'status' | 'schedule_type' | 'notification_email']?: string | undefined;
};

/**
 * The report schedules and the files of their last runs. Whenever they are read, those that the clock
 * has passed have run. A `download_url` here is the path of the file.
 */
export class ReportBook {
  readonly #clock: VirtualClock;
  readonly #rowsOf: (scope: ReportScope) => Iterable<TransactionRow>;
  readonly #schedules = new Map<string, ReportSchedule>();
  /** CSV of the last run, by path. Made when the schedule is first read. */
  readonly #files = new Map<string, string>();

  constructor(clock: VirtualClock, rowsOf: (scope: ReportScope) => Iterable<TransactionRow>) {
    this.#clock = clock;
    this.#rowsOf = rowsOf;
  }

  /** The schedules of a new sandbox: three for each merchant, in three conditions. */
  reset(merchants: readonly Merchant[], defaultResellerId: number): void {
    this.#schedules.clear();
    this.#files.clear();
    for (const merchant of merchants) this.add(merchant, merchant.resellerId ?? defaultResellerId);
  }

  add(merchant: Merchant, resellerId: number): void {
    const now = this.#clock.now();
    const base = makeSchedule(merchant, resellerId, now);
    for (const schedule of [makeDaily(base, now), makeOneTime(base), makeFailed(base, now)]) {
      this.#keep(schedule);
    }
  }

  list(): ReportSchedule[] {
    return [...this.#schedules.keys()].flatMap((id) => this.find(id) ?? []);
  }

  find(id: string): ReportSchedule | undefined {
    const schedule = this.#schedules.get(id);
    if (schedule === undefined) return undefined;
    return this.#keep(this.#withFile(runIfDue(schedule, this.#clock.now())));
  }

  /** Sets what is sent, and the next run. */
  update(schedule: ReportSchedule, change: Change): ReportSchedule {
    const now = this.#clock.now();
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
    const isWaiting = next !== undefined;
    return this.#keep(
      isWaiting ? { ...updated, run_status: 'pending', next_run_at: next } : updated,
    );
  }

  /** The file at a path; one that has expired has no text. */
  findFile(path: string): { readonly text?: string | undefined } | undefined {
    const schedule = this.find(path.split('/')[2] ?? '');
    if (schedule?.download_url !== path) return undefined;
    if (this.#clock.now() >= Date.parse(schedule.expires_at ?? '')) return {};
    return { text: this.#files.get(path) };
  }

  #keep(schedule: ReportSchedule): ReportSchedule {
    this.#schedules.set(schedule.id, schedule);
    return schedule;
  }

  /** Makes the file of the last run, if there is none yet. */
  #withFile(schedule: ReportSchedule): ReportSchedule {
    const { download_url: path } = schedule;
    if (path === undefined || this.#files.has(path)) return schedule;
    for (const old of this.#files.keys()) {
      if (old.startsWith(`/reports/${schedule.id}/`)) this.#files.delete(old);
    }
    const { merchant_id: merchantId, from_date: fromDate, to_date: toDate } = schedule;
    const rows = [...this.#rowsOf({ merchantId, fromDate, toDate })];
    const file = writeCsv(rows);
    this.#files.set(path, file);
    return { ...schedule, row_count: rows.length, file_size_bytes: Buffer.byteLength(file) };
  }
}

/** Runs a schedule whose time has come, once for however many runs were missed. */
function runIfDue(schedule: ReportSchedule, now: number): ReportSchedule {
  const due = Date.parse(schedule.next_run_at ?? '');
  if (!(due <= now)) return schedule;
  const { next_run_at: _past, ...rest } = schedule;
  const isOneTime = schedule.schedule_type === 'one_time';
  const at = isOneTime ? due : lastRunHour(now);
  const ran = isOneTime
    ? { ...runAt(rest, at), run_status: 'succeeded' }
    : runAt({ ...rest, ...coveredDays(at) }, at);
  const next = nextRunAt(ran, now);
  return next === undefined ? ran : { ...ran, next_run_at: next };
}

/** The schedule after a run. One that fails keeps the file of the run before. */
function runAt(schedule: ReportSchedule, at: number): ReportSchedule {
  const ran = { ...schedule, last_run_at: toText(at), updated_at: toText(at) };
  if (schedule.error_code !== undefined) return ran;
  return { ...ran, ...fileOf(schedule.id, at), last_run_status: 'succeeded' };
}

/** What a run says of its file, before the file is made. */
function fileOf(id: string, at: number) {
  return {
    download_url: `/reports/${id}/${toDay(at)}.csv`,
    completed_at: toText(at),
    expires_at: toText(at + KEPT_MILLISECONDS),
  };
}

/** A run covers the days before it. */
function coveredDays(at: number): { from_date: string; to_date: string } {
  return {
    from_date: toDay(at - DAYS_OF_REPORT * DAY_MILLISECONDS),
    to_date: toDay(at - DAY_MILLISECONDS),
  };
}

function lastRunHour(now: number): number {
  const today = new Date(now).setUTCHours(RUN_HOUR, 0, 0, 0);
  return today <= now ? today : today - DAY_MILLISECONDS;
}

/** A schedule that is not active, or has had its only run, does not run again. */
function nextRunAt(schedule: ReportSchedule, now: number): string | undefined {
  if (schedule.status !== 'active') return undefined;
  if (schedule.schedule_type === 'one_time') {
    return schedule.last_run_at === undefined ? toText(now + 60_000) : undefined;
  }
  return toText(lastRunHour(now) + DAY_MILLISECONDS);
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
    ...coveredDays(lastRunHour(now)),
    email: 'reports@merchant.example',
    notification_email: 'reports@merchant.example',
    requested_by: 'robin@merchant.example',
    created_at: toText(now - 30 * DAY_MILLISECONDS),
    updated_at: toText(now - 30 * DAY_MILLISECONDS),
    parameters: { timezone: 'UTC', currency: merchant.currency },
  };
}

function makeDaily(base: ReportSchedule, now: number): ReportSchedule {
  const ran = runAt({ ...base, id: `${base.id}_daily` }, lastRunHour(now));
  return { ...ran, next_run_at: nextRunAt(ran, now) };
}

/** Waits for its only run. */
function makeOneTime(base: ReportSchedule): ReportSchedule {
  return { ...base, id: `${base.id}_once`, schedule_type: 'one_time', cadence: 'one_time' };
}

/** Has a value in every field of spec 2.2: it failed after a run that worked. */
function makeFailed(base: ReportSchedule, now: number): ReportSchedule {
  const id = `${base.id}_failed`;
  return {
    ...makeDaily(base, now),
    ...fileOf(id, lastRunHour(now) - DAY_MILLISECONDS),
    id,
    error_code: 'invented_error',
    error_message: 'The file of the last run could not be written.',
    last_run_status: 'failed',
  };
}

/** RFC 4180: the fields of spec 2.1, a line for each transaction, newest first. */
function writeCsv(rows: readonly TransactionRow[]): string {
  const fields = Object.keys(transaction.shape);
  const lines = rows.map((row) => fields.map((field) => writeCell(row[field])).join(','));
  return [fields.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}

function writeCell(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function toText(time: number): string {
  return new Date(time).toISOString();
}

function toDay(time: number): string {
  return toText(time).slice(0, 10);
}
