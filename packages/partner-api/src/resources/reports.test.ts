import { describe, expect, it } from 'vitest';

import { answerJson, clientOf, failureOf, startServer } from '../testing/test-server.js';
import type { UpdateReportScheduleParams } from './reports.js';

/** All fields of spec 2.2, with values of the state fields that it does not show. */
const SCHEDULE = {
  id: 'rs-1',
  reseller_id: 7,
  merchant_id: 1001,
  merchant_name: 'Käserei',
  report_type: 'transactions',
  schedule_type: 'fortnightly',
  cadence: 'every other monday',
  status: 'hibernating',
  run_status: 'dreaming',
  from_date: '2026-03-01',
  to_date: '2026-03-31',
  email: 'ada@example.com',
  notification_email: 'ops@example.com',
  requested_by: 'ada',
  download_url: 'https://files.example/r.csv',
  row_count: 12,
  file_size_bytes: 3_400,
  error_code: '',
  error_message: '',
  completed_at: '2026-04-01T00:00:00Z',
  expires_at: '2026-04-08T00:00:00Z',
  next_run_at: '2026-04-15T00:00:00Z',
  last_run_at: '2026-04-01T00:00:00Z',
  last_run_status: 'half_done',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-04-01T00:00:00Z',
  parameters: { currency: 'GBP' },
};

describe('reports.updateSchedule', () => {
  it('sends the four fields and gives all 27 back, dates as texts, unknown states too', async () => {
    await using server = await startServer((response) => {
      answerJson(response, { ...SCHEDULE, colour: 'blue' });
    });
    const client = clientOf(`${server.url}/prefix`, { validation: 'strict' });
    const params = {
      id: 'rs-1',
      status: 'paused',
      schedule_type: 'daily',
      notification_email: 'ops@example.com',
    };
    const schedule = await client.reports.updateSchedule(params);
    expect(schedule).toEqual({ ...SCHEDULE, colour: 'blue' });
    expect(Object.keys(SCHEDULE)).toHaveLength(27);
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      url: '/prefix/v1/reports/update-schedule',
      headers: { api_key: 'test-key', 'content-type': 'application/json' },
    });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(params);
  });

  it('sends only what is given', async () => {
    await using server = await startServer((response) => answerJson(response, SCHEDULE));
    await clientOf(server.url).reports.updateSchedule({
      id: 'rs-1',
      status: undefined,
      schedule_type: 'daily',
    });
    expect(server.requests[0]?.body).toBe('{"id":"rs-1","schedule_type":"daily"}');
  });

  it('may set a field that only extraFields has', async () => {
    await using server = await startServer((response) => answerJson(response, SCHEDULE));
    const { reports } = clientOf(server.url);
    await reports.updateSchedule({ id: 'rs-1' }, { extraFields: { hour: 6 } });
    expect(server.requests[0]?.body).toBe('{"id":"rs-1","hour":6}');
  });

  it('is repeated after a failure that may pass, because it sets the same again', async () => {
    await using server = await startServer((response, _, number) => {
      if (number === 1) response.destroy();
      else answerJson(response, SCHEDULE);
    });
    await clientOf(server.url).reports.updateSchedule({ id: 'rs-1', status: 'active' });
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ['id', {}],
    ['id', { id: 5 }],
    ['status', { id: 'a', status: true }],
    ['status', { id: 'a' }],
    ['scheduleType', { id: 'a', scheduleType: 'daily' }],
  ])('names %s when it cannot be right, and sends nothing', async (field, params) => {
    const error = await failureOf(
      clientOf('https://h.example').reports.updateSchedule(params as UpdateReportScheduleParams),
    );
    expect(error).toMatchObject({ name: 'InvalidRequestError', field, outcome: 'not_sent' });
  });
});
