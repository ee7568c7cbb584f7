import { randomUUID } from 'node:crypto';

import type { PartnerClient } from '../client.js';
import { isPartnerApiError } from '../errors.js';
import type { Transaction } from '../resources/transaction.js';
import type { ListTransactionsParams } from '../resources/transactions.js';
import { requestDate } from '../schemas.js';
import { KeySink } from './files.js';

/** What the checks have to work with. */
export interface ConformanceTarget {
  readonly client: PartnerClient;
  readonly signal: AbortSignal;
  readonly merchantId: string | undefined;
  readonly partnerName: string | undefined;
  readonly scheduleId: string | undefined;
  readonly webhookUrl: string | undefined;
  /** Stores the key of a webhook that a check creates. */
  readonly keyFile: string | undefined;
  /** The newest transactions, read once. */
  readonly newest: readonly Transaction[];
}

/** A promise of the provider's document, and how it is tried. */
export interface ConformanceCheck {
  readonly section: string;
  readonly title: string;
  readonly kind: 'read' | 'write';
  readonly run: (target: ConformanceTarget) => void | Promise<void>;
}

/** The check cannot be made with what there is. */
export class Skipped extends Error {
  static {
    this.prototype.name = 'Skipped';
  }
}

/** The provider does not do what its document says. Messages quote no values. */
export class Deviation extends Error {
  static {
    this.prototype.name = 'Deviation';
  }
}

export function expectThat(condition: boolean, otherwise: string): void {
  if (!condition) throw new Deviation(otherwise);
}

/** A setting that a check needs, or the reason to skip it. */
export function need(value: string | undefined, flag: string): string {
  if (value === undefined) throw new Skipped(`give ${flag}`);
  return value;
}

const DAY_MILLISECONDS = 86_400_000;

/** The list of transactions (spec 4.1), read only. */
export const TRANSACTION_CHECKS: readonly ConformanceCheck[] = [
  check('gives rows in pages of at most limit', async (target) => {
    const rows = await listRows(target, { limit: 2 });
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
    expectThat(isSame, 'two pages of two are not one of four (or rows arrived in the meantime)');
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
    const rows = await listRows(target, { merchantId, limit: 20 });
    expectThat(rows.length > 0, 'no row came, although there is one');
    expectThat(
      rows.every((row) => row.merchantId === undefined || row.merchantId === merchantId),
      'a row of another merchant came',
    );
  }),
  check('fromDate and toDate give the rows of those days', async (target) => {
    const day = timesOf(target.newest).at(-1)?.slice(0, 10);
    if (day === undefined) throw new Skipped('no transaction has a time');
    expectThat(requestDate.safeParse(day).success, 'a time does not start with its day');
    const rows = await listRows(target, { fromDate: day, toDate: day, timezone: 'UTC', limit: 50 });
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
  return read('4.1', title, run);
}

function read(section: string, title: string, run: ConformanceCheck['run']): ConformanceCheck {
  return { section, title, kind: 'read', run };
}

function write(section: string, title: string, run: ConformanceCheck['run']): ConformanceCheck {
  return { section, title, kind: 'write', run };
}

async function expectStatus(
  target: ConformanceTarget,
  filter: string,
  status: string,
): Promise<void> {
  const rows = await listRows(target, { status: [filter], limit: 20 });
  if (rows.length === 0) throw new Skipped('there are no such transactions');
  const isFiltered = rows.every((row) => row.status === undefined || row.status === status);
  expectThat(isFiltered, 'a row with another status came');
}

async function listRows(
  { client, signal }: ConformanceTarget,
  params: ListTransactionsParams,
): Promise<readonly Transaction[]> {
  return (await client.transactions.list(params, { signal })).data.transactions;
}

function idsOf(rows: readonly Transaction[]): string[] {
  return rows.flatMap(({ id }) => id ?? []);
}

/** The times that are texts; other values are found by the check of their form. */
function timesOf(rows: readonly Transaction[]): string[] {
  return rows.flatMap(({ transactionTime: time }) => (typeof time === 'string' ? time : []));
}

function dayOf(day: string, offset: number): string {
  return new Date(Date.parse(day) + offset * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

/** Scheduled transfers and analytics (spec 4.4, 4.5), read only. */
export const OTHER_READ_CHECKS: readonly ConformanceCheck[] = [
  read(
    '4.4',
    'lists the scheduled transfers of a merchant',
    async ({ client, merchantId, newest, signal }) => {
      const known = newest.find((row) => row.merchantId !== undefined)?.merchantId;
      const mid = merchantId ?? (known === undefined ? undefined : String(known));
      await client.scheduledTransfers.list(need(mid, '--merchant-id'), undefined, { signal });
    },
  ),
  ...[undefined, 'weekly', 'monthly', 'quarterly'].map((timeframe) =>
    read(
      '4.5',
      `gives analytics, timeframe ${timeframe ?? 'left out'}`,
      async ({ client, partnerName, signal }) => {
        const partner_name = need(partnerName, '--partner-name');
        await client.analytics.partner({ partner_name, timeframe }, { signal });
      },
    ),
  ),
  read(
    '4.5',
    'gives analytics of a custom range of 30 days',
    async ({ client, partnerName, signal }) => {
      const dayAgo = (days: number): string =>
        new Date(Date.now() - days * DAY_MILLISECONDS).toISOString().slice(0, 10);
      const range = { timeframe: 'custom', from_date: dayAgo(30), to_date: dayAgo(1) };
      const partner_name = need(partnerName, '--partner-name');
      await client.analytics.partner({ partner_name, ...range }, { signal });
    },
  ),
  read('4.5', 'answers 403 to an unknown partner', async ({ client, signal }) => {
    const partner_name = `unknown-${randomUUID()}`;
    try {
      await client.analytics.partner({ partner_name, timeframe: 'weekly' }, { signal });
    } catch (error) {
      if (!isPartnerApiError(error) || error.status === undefined) throw error;
      return expectThat(error.status === 403, `the status is ${error.status}`);
    }
    throw new Deviation('it answered with analytics');
  }),
];

/** What changes something at the provider (spec 4.2, 4.3, 4.6, 4.7, 4.8): only when asked for. */
export const WRITE_CHECKS: readonly ConformanceCheck[] = [
  write(
    '4.2',
    'sets a report schedule active and shows it',
    async ({ client, scheduleId, signal }) => {
      const id = need(scheduleId, '--schedule-id');
      const schedule = await client.reports.updateSchedule({ id, status: 'active' }, { signal });
      expectThat(schedule.id === undefined || schedule.id === id, 'another schedule came');
    },
  ),
  write('4.3', "reactivates a merchant's signup link", async ({ client, merchantId, signal }) => {
    const params = { action: 'reactivate', merchantId: need(merchantId, '--merchant-id') };
    await client.merchants.associate(params, { signal });
  }),
  write('4.6', 'creates a session that is never paid', async ({ client, merchantId, signal }) => {
    const id = Number(need(merchantId, '--merchant-id'));
    const order_id = Math.floor(Date.now() / 1000);
    const MerchantReference = `conformance.${order_id}`;
    const params = { merchant_id: id, order_id, Amount: '1.00', MerchantReference };
    await client.checkoutSessions.create(params, { signal });
  }),
  write(
    '4.7, 4.8',
    'creates a webhook, gives its key, and tests it',
    async ({ client, webhookUrl, keyFile, signal }) => {
      const url = need(webhookUrl, '--webhook-url');
      const sink = await KeySink.open(need(keyFile, '--key-file'));
      try {
        const params = { url, description: 'pay-partner conformance' };
        const storeKey = (key: Parameters<KeySink['store']>[0]): Promise<void> => sink.store(key);
        const { data } = await client.webhooks.create(params, { storeKey, signal });
        const test = await client.webhooks.test({ webhookId: data.webhook_id }, { signal });
        expectThat(test.data.status_code !== undefined, 'data.status_code is missing');
      } finally {
        await sink.close();
      }
    },
  ),
];
