import { describe, expect, it } from 'vitest';
import { startSandbox } from '../testing/test-sandbox.js';

const PATH = '/v1/reports/update-schedule';

describe('POST /v1/reports/update-schedule', () => {
  it('sets what is sent, keeps the rest, and stores both', async () => {
    const test = await startSandbox();
    test.sandbox.control.clock.set(new Date('2026-03-01T05:00:00.000Z'));
    const change = { notification_email: 'finance@merchant.example' };
    const { status, body } = await test.post(PATH, { id: 'sch_1001_daily', ...change });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: 'sch_1001_daily',
      merchant_id: 1001,
      reseller_id: 7001,
      email: 'reports@merchant.example',
      notification_email: 'finance@merchant.example',
      status: 'active',
      schedule_type: 'daily',
      run_status: 'pending',
      last_run_status: 'succeeded',
      next_run_at: '2026-03-01T06:00:00.000Z',
    });
    expect(body['updated_at']).toMatch(/^2026-03-01T05:00/);
    const again = await test.post(PATH, { id: 'sch_1001_daily' });
    expect(again.body).toMatchObject(change);
  });

  it('runs a daily schedule tomorrow when it is too late for today', async () => {
    const test = await startSandbox();
    test.sandbox.control.clock.set(new Date('2026-02-28T23:30:00.000Z'));
    const { body } = await test.post(PATH, { id: 'sch_1001_daily', status: 'active' });
    expect(body['next_run_at']).toBe('2026-03-01T06:00:00.000Z');
  });

  it('has no next run for an inactive schedule or a one-time schedule that ran', async () => {
    const test = await startSandbox();
    const paused = await test.post(PATH, { id: 'sch_1001_daily', status: 'some_new_word' });
    expect(paused.body).toMatchObject({ status: 'some_new_word' });
    expect(paused.body).not.toHaveProperty('next_run_at');
    const once = { id: 'sch_1002_daily', schedule_type: 'one_time' };
    expect((await test.post(PATH, once)).body).not.toHaveProperty('next_run_at');
    const waiting = { id: 'sch_1002_once', schedule_type: 'one_time' };
    expect((await test.post(PATH, waiting)).body).toHaveProperty('next_run_at');
  });

  it('leaves out empty fields, or sends null when set so', async () => {
    const omitting = await startSandbox();
    const body = { id: 'sch_1001_once' };
    expect((await omitting.post(PATH, body)).body).not.toHaveProperty('error_code');
    const nulling = await startSandbox({ emptyScheduleFields: 'null' });
    const answer = await nulling.post(PATH, body);
    expect(answer.body).toMatchObject({ error_code: null, download_url: null });
    expect(Object.keys(answer.body)).toHaveLength(27);
  });

  it('answers 404 for an unknown id', async () => {
    const test = await startSandbox();
    const answer = await test.post(PATH, { id: 'sch_9' });
    expect(answer.status).toBe(404);
    expect(answer.body['errors']).toMatchObject([{ field: 'id' }]);
  });

  it.each([
    ['id', undefined],
    ['id', 7],
    ['status', ''],
    ['schedule_type', 1],
    ['notification_email', 'unknown'],
    ['cadence', 'weekly'],
  ])('refuses %s = %j by name', async (field, value) => {
    const test = await startSandbox();
    const answer = await test.post(PATH, { id: 'sch_1001_daily', [field]: value });
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toMatchObject([{ field }]);
  });
});
