import { randomUUID } from 'node:crypto';

import { isPartnerApiError } from '../../errors.js';
import { KeySink } from '../settings/key-sink.js';
import { Deviation, expectThat, need, type ConformanceCheck } from './conformance-check.js';

const DAY_MILLISECONDS = 86_400_000;

/** Scheduled transfers and analytics (spec 4.4, 4.5), read only. */
export const OTHER_READ_CHECKS: readonly ConformanceCheck[] = [
  {
    section: '4.4',
    title: 'lists the scheduled transfers of a merchant',
    kind: 'read',
    run: async ({ client, merchantId, newest, signal }) => {
      const known = newest.find((row) => row.merchantId !== undefined)?.merchantId;
      const mid = merchantId ?? (known === undefined ? undefined : String(known));
      await client.scheduledTransfers.list(need(mid, '--merchant-id'), undefined, { signal });
    },
  },
  ...[undefined, 'weekly', 'monthly', 'quarterly'].map((timeframe): ConformanceCheck => ({
    section: '4.5',
    title: `gives analytics, timeframe ${timeframe ?? 'left out'}`,
    kind: 'read',
    run: async ({ client, partnerName, signal }) => {
      const partner_name = need(partnerName, '--partner-name');
      await client.analytics.partner({ partner_name, timeframe }, { signal });
    },
  })),
  {
    section: '4.5',
    title: 'gives analytics of a custom range of 30 days',
    kind: 'read',
    run: async ({ client, partnerName, signal }) => {
      const dayAgo = (days: number): string =>
        new Date(Date.now() - days * DAY_MILLISECONDS).toISOString().slice(0, 10);
      const range = { timeframe: 'custom', from_date: dayAgo(30), to_date: dayAgo(1) };
      const partner_name = need(partnerName, '--partner-name');
      await client.analytics.partner({ partner_name, ...range }, { signal });
    },
  },
  {
    section: '4.5',
    title: 'answers 403 to an unknown partner',
    kind: 'read',
    run: async ({ client, signal }) => {
      const partner_name = `nobody-${randomUUID()}`;
      try {
        await client.analytics.partner({ partner_name, timeframe: 'weekly' }, { signal });
      } catch (error) {
        if (!isPartnerApiError(error) || error.status === undefined) throw error;
        return expectThat(error.status === 403, `the status is ${error.status}`);
      }
      throw new Deviation('it answered with analytics');
    },
  },
];

/** What changes something at the provider (spec 4.2, 4.3, 4.6, 4.7, 4.8): only when asked for. */
export const WRITE_CHECKS: readonly ConformanceCheck[] = [
  {
    section: '4.2',
    title: 'sets a report schedule active and shows it',
    kind: 'write',
    run: async ({ client, scheduleId, signal }) => {
      const id = need(scheduleId, '--schedule-id');
      const schedule = await client.reports.updateSchedule({ id, status: 'active' }, { signal });
      expectThat(schedule.id === undefined || schedule.id === id, 'another schedule came');
    },
  },
  {
    section: '4.3',
    title: "reactivates a merchant's signup link",
    kind: 'write',
    run: async ({ client, merchantId, signal }) => {
      const params = { action: 'reactivate', merchantId: need(merchantId, '--merchant-id') };
      await client.merchants.associate(params, { signal });
    },
  },
  {
    section: '4.6',
    title: 'creates a session that nobody pays',
    kind: 'write',
    run: async ({ client, merchantId, signal }) => {
      const id = Number(need(merchantId, '--merchant-id'));
      const order_id = Math.floor(Date.now() / 1000);
      const MerchantReference = `conformance.${order_id}`;
      const params = { merchant_id: id, order_id, Amount: '1.00', MerchantReference };
      await client.checkoutSessions.create(params, { signal });
    },
  },
  {
    section: '4.7, 4.8',
    title: 'creates a webhook, gives its key, and tests it',
    kind: 'write',
    run: async ({ client, webhookUrl, keyFile, signal }) => {
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
  },
];
