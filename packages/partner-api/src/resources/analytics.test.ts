import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';

import { UnsuccessfulAnswerError } from '../errors.js';
import { answerJson, clientOf, failureOf, startServer } from '../testing/test-server.js';
import type { PartnerAnalyticsParams } from './analytics.js';

const custom = (from_date: string, to_date: string): PartnerAnalyticsParams => ({
  partner_name: 'Käse',
  timeframe: 'custom',
  from_date,
  to_date,
});

describe('analytics.partner', () => {
  it('sends what is given, and passes metrics of any name and type', async () => {
    const data = { turnover: 12.5, 'best day': '2026-03-04', list: [1, 'a'], none: null, map: {} };
    await using server = await startServer((response) => {
      answerJson(response, { success: true, data, asOf: 'now' });
    });
    const client = clientOf(server.url, { validation: 'strict' });
    const params = { partner_name: 'Käse', timeframe: 'quarterly' };
    expect(await client.analytics.partner(params)).toEqual({ success: true, data, asOf: 'now' });
    expect(server.requests[0]).toMatchObject({
      url: '/v1/analytics/partner_analytics',
      headers: { api_key: 'test-key' },
    });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(params);
  });

  it('leaves the timeframe out when it is not given', async () => {
    await using server = await startServer((response) => {
      answerJson(response, { success: true, data: {} });
    });
    await clientOf(server.url).analytics.partner({ partner_name: 'Käse' });
    expect(server.requests[0]?.body).toBe('{"partner_name":"Käse"}');
  });

  it.each([
    ['89 days', '2026-01-01', '2026-03-31', 'difference', true],
    ['90 days', '2026-01-01', '2026-04-01', 'difference', true],
    ['91 days', '2026-01-01', '2026-04-02', 'difference', false],
    ['90 days over a leap day', '2028-02-01', '2028-05-01', 'difference', true],
    ['91 days over a leap day', '2028-02-01', '2028-05-02', 'difference', false],
    ['90 days over a change of clocks', '2026-02-01', '2026-05-02', 'difference', true],
    ['90 days, both ends counted', '2026-01-01', '2026-03-31', 'inclusive', true],
    ['91 days, both ends counted', '2026-01-01', '2026-04-01', 'inclusive', false],
    ['one day', '2026-01-01', '2026-01-01', 'inclusive', true],
  ] as const)(
    'checks a range of %s before sending',
    async (_, from, to, analyticsDays, allowed) => {
      await using server = await startServer((response) => {
        answerJson(response, { success: true, data: {} });
      });
      const { analytics } = clientOf(server.url, { analyticsDays });
      const call = analytics.partner(custom(from, to));
      if (allowed) await call;
      else expect(await failureOf(call)).toMatchObject({ field: 'to_date', outcome: 'not_sent' });
      expect(server.requests).toHaveLength(allowed ? 1 : 0);
    },
  );

  it.each<[string, object]>([
    ['partner_name', {}],
    ['from_date', { partner_name: 'a', timeframe: 'custom' }],
    ['from_date', { partner_name: 'a', timeframe: 'custom', to_date: '2026-01-01' }],
    ['to_date', { partner_name: 'a', timeframe: 'custom', from_date: '2026-01-01' }],
    ['to_date', custom('2026-01-01', '2026-02-30')],
    ['from_date', custom('2027-02-29', '2027-03-01')],
    ['from_date', custom('2026-02-02', '2026-02-01')],
    ['from_date', { ...custom('2026-02-02', '2026-02-03'), from_date: new Date(0) }],
  ])('names %s when it cannot be right, and sends nothing', async (field, params) => {
    const { analytics } = clientOf('https://h.example');
    expect(await failureOf(analytics.partner(params as PartnerAnalyticsParams))).toMatchObject({
      name: 'InvalidRequestError',
      field,
    });
  });

  it('reports an unknown partner with an error of its own, and does not ask again', async () => {
    await using server = await startServer((response) => answerJson(response, {}, 403));
    const error = await failureOf(clientOf(server.url).analytics.partner({ partner_name: 'x' }));
    expect(error).toMatchObject({
      name: 'UnknownPartnerError',
      status: 403,
      outcome: 'refused',
      attempt: 1,
    });
    expect((error as Error).message).toContain('partner_name');
    expect(server.requests).toHaveLength(1);
  });

  it('does not take a 403 of another operation for an unknown partner', async () => {
    await using server = await startServer((response) => answerJson(response, {}, 403));
    const error = await failureOf(clientOf(server.url).transactions.list());
    expect(error).toMatchObject({ name: 'PermissionError' });
  });

  it('keeps the data of an answer without success in its error, out of sight of logs', async () => {
    await using server = await startServer((response) => {
      answerJson(response, { success: false, data: { reason: 'canary-data' } });
    });
    const error = await failureOf(clientOf(server.url).analytics.partner({ partner_name: 'x' }));
    expect(error).toBeInstanceOf(UnsuccessfulAnswerError);
    expect((error as UnsuccessfulAnswerError).data()).toEqual({ reason: 'canary-data' });
    expect(inspect(error, { showHidden: true }) + JSON.stringify(error)).not.toContain('canary');
    expect(server.requests).toHaveLength(1);
  });

  it('is repeated after a failure that may pass', async () => {
    await using server = await startServer((response, _, number) => {
      answerJson(response, { success: true, data: {} }, number === 1 ? 502 : 200);
    });
    await clientOf(server.url).analytics.partner({ partner_name: 'x' });
    expect(server.requests).toHaveLength(2);
  });
});
