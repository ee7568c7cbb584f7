import { isCalendarDate } from '../../http/check-fields.js';
import type { ListTransactionsParams, Transaction } from '../../resources/transactions.js';
import {
  expectThat,
  Skipped,
  type ConformanceCheck,
  type ConformanceTarget,
} from './conformance-check.js';

const SECTION = '4.1';
const DAY_MILLISECONDS = 86_400_000;

/** The list of transactions (spec 4.1), read only. */
export const TRANSACTION_CHECKS: readonly ConformanceCheck[] = [
  check('gives rows in pages of at most limit', async (target) => {
    const rows = await read(target, { limit: 2 });
    expectThat(rows.length <= 2, 'more rows came than limit asked for');
  }),
  check('gives the newest first', ({ newest }) => {
    const times = timesOf(newest);
    if (times.length < 2) throw new Skipped('there are fewer than two transactions');
    const isSorted = times.every((time, at) => at === 0 || time <= (times[at - 1] ?? ''));
    expectThat(isSorted, 'a row is newer than the one before it');
  }),
  check('writes transactionTime in UTC with milliseconds', ({ newest }) => {
    const times = newest.flatMap(({ transactionTime }) => transactionTime ?? []);
    if (times.length === 0) throw new Skipped('there are no transactions');
    const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
    expectThat(
      times.every((time) => form.test(time)),
      'a time is written in another way',
    );
  }),
  check('goes on after nextCursor without a gap or a double', async (target) => {
    const { client, newest, signal } = target;
    const wanted = idsOf(newest).slice(0, 4);
    if (wanted.length < 4) throw new Skipped('there are fewer than four transactions');
    const found: string[] = [];
    for await (const row of client.transactions.iterate({ limit: 2 }, { signal })) {
      found.push(row.id ?? '');
      if (found.length >= 4) break;
    }
    expectThat(new Set(found).size === found.length, 'a row came twice');
    const isSame = found.every((id, at) => id === wanted[at]);
    expectThat(isSame, 'two pages of two are not one of four (or rows arrived meanwhile)');
  }),
  check('filter SUCCESS gives only SUCCESS', (target) =>
    expectStatus(target, 'SUCCESS', 'SUCCESS'),
  ),
  check('filter REFUND gives only REFUNDED', (target) =>
    expectStatus(target, 'REFUND', 'REFUNDED'),
  ),
  check('filter merchantId gives only that merchant', async (target) => {
    const merchantId = target.newest.find((row) => row.merchantId !== undefined)?.merchantId;
    if (merchantId === undefined) throw new Skipped('no transaction names its merchant');
    const rows = await read(target, { merchantId, limit: 20 });
    expectThat(rows.length > 0, 'no row came, although there is one');
    expectThat(
      rows.every((row) => row.merchantId === undefined || row.merchantId === merchantId),
      'a row of another merchant came',
    );
  }),
  check('fromDate and toDate give the rows of those days', async (target) => {
    const day = timesOf(target.newest).at(-1)?.slice(0, 10);
    if (day === undefined) throw new Skipped('no transaction has a time');
    expectThat(isCalendarDate(day) === undefined, 'a time does not begin with its day');
    const rows = await read(target, { fromDate: day, toDate: day, timezone: 'UTC', limit: 50 });
    expectThat(rows.length > 0, 'no row came, although there is one (do the ends count?)');
    const days = new Set([-1, 0, 1].map((offset) => dayOf(day, offset)));
    expectThat(
      timesOf(rows).every((time) => days.has(time.slice(0, 10))),
      'a row of another day came',
    );
  }),
  check('names the time zone of the result', async ({ client, signal }) => {
    const { data } = await client.transactions.list({ limit: 1 }, { signal });
    expectThat(typeof data.timezone === 'string', 'data.timezone is missing');
  }),
];

function check(title: string, run: ConformanceCheck['run']): ConformanceCheck {
  return { section: SECTION, title, kind: 'read', run };
}

async function expectStatus(
  target: ConformanceTarget,
  filter: string,
  status: string,
): Promise<void> {
  const rows = await read(target, { status: [filter], limit: 20 });
  if (rows.length === 0) throw new Skipped('there are no such transactions');
  const isFiltered = rows.every((row) => row.status === undefined || row.status === status);
  expectThat(isFiltered, 'a row with another status came');
}

async function read(
  { client, signal }: ConformanceTarget,
  params: ListTransactionsParams,
): Promise<readonly Transaction[]> {
  return (await client.transactions.list(params, { signal })).data.transactions;
}

function idsOf(rows: readonly Transaction[]): string[] {
  return rows.flatMap(({ id }) => id ?? []);
}

/** The times that are texts; what else came is found by the check of their form. */
function timesOf(rows: readonly Transaction[]): string[] {
  return rows.flatMap(({ transactionTime: time }) => (typeof time === 'string' ? time : []));
}

function dayOf(day: string, offset: number): string {
  return new Date(Date.parse(day) + offset * DAY_MILLISECONDS).toISOString().slice(0, 10);
}
