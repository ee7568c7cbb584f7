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

  it('has a file with the rows of its days and merchant, as the list shows them', async () => {
    const fixedTime = '2026-03-10T07:00:00.000Z';
    const history = { count: 2000, until: '2026-03-10T00:00:00.000Z', days: 30 };
    const test = await startSandbox({ fixedTime, history });
    const { body } = await test.post(PATH, { id: 'sch_1001_daily' });
    const [from, to] = [body['from_date'], body['to_date']];
    expect([from, to]).toEqual(['2026-03-03', '2026-03-09']);
    const url = new URL(String(body['download_url']));
    expect(url.origin).toBe(test.url);
    const { status, text, headers } = await test.send('GET', url.pathname);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toContain('sch_1001_daily-2026-03-10.csv');
    const [head = '', ...lines] = text.trimEnd().split('\r\n');
    expect(head).toMatch(/^id,source,transactionTime,orderRef,amount,currencyCode,status,/);
    const query = { fromDate: from, toDate: to, merchantId: 1001, limit: 1000 };
    const listed = (await test.list(query)).data.transactions;
    expect(lines.length).toBeGreaterThan(50);
    expect(lines.map((line) => line.split(',')[0])).toEqual(listed.map(({ id }) => id));
    expect(lines[0]).toContain(`,${String(listed[0]?.['amount'])}`);
    expect(body['row_count']).toBe(lines.length);
    expect(body['file_size_bytes']).toBe(Buffer.byteLength(text));
  });

  it('quotes a cell with a comma or a quotation mark', async () => {
    const test = await startSandbox({ fixedTime: '2026-03-10T07:00:00.000Z' });
    const lastname = 'Sample, "Robin"';
    await test.pay(await test.openSession({ lastname }), '9000000000000001');
    test.sandbox.control.clock.advance(86_400);
    const { body } = await test.post(PATH, { id: 'sch_1001_daily' });
    const { text } = await test.send('GET', new URL(String(body['download_url'])).pathname);
    expect(text).toContain(',"Sample, ""Robin""",');
  });

  it('runs when the clock passes its time, with the payments made before', async () => {
    const test = await startSandbox({ fixedTime: '2026-03-10T07:00:00.000Z' });
    const { clock } = test.sandbox.control;
    const read = async () => (await test.post(PATH, { id: 'sch_1001_daily' })).body;
    const first = await read();
    expect(first).toMatchObject({ last_run_at: '2026-03-10T06:00:00.000Z', row_count: 0 });
    await test.pay(await test.openSession(), '9000000000000001');
    clock.advance(22 * 3600);
    expect(await read()).toMatchObject({ last_run_at: first['last_run_at'], row_count: 0 });
    clock.advance(3600);
    expect(await read()).toMatchObject({
      last_run_at: '2026-03-11T06:00:00.000Z',
      next_run_at: '2026-03-12T06:00:00.000Z',
      from_date: '2026-03-04',
      to_date: '2026-03-10',
      row_count: 1,
    });
    const old = await test.send('GET', new URL(String(first['download_url'])).pathname);
    expect(old.status).toBe(404);
  });

  it('runs a one-time schedule once, a minute after it is asked for', async () => {
    const test = await startSandbox({ fixedTime: '2026-03-10T07:00:00.000Z' });
    const id = 'sch_1001_once';
    const waiting = (await test.post(PATH, { id })).body;
    expect(waiting).toMatchObject({ next_run_at: '2026-03-10T07:01:00.000Z' });
    expect(waiting).not.toHaveProperty('download_url');
    test.sandbox.control.clock.advance(60);
    const { body } = await test.post(PATH, { id });
    expect(body).toMatchObject({ last_run_at: '2026-03-10T07:01:00.000Z', row_count: 0 });
    expect(body).not.toHaveProperty('next_run_at');
  });

  it('has an expired file no longer, and fails again where it failed', async () => {
    const test = await startSandbox({ fixedTime: '2026-03-10T07:00:00.000Z' });
    const { body } = await test.post(PATH, { id: 'sch_1001_daily', status: 'paused' });
    const { pathname } = new URL(String(body['download_url']));
    test.sandbox.control.clock.advance(8 * 86_400);
    expect((await test.send('GET', pathname)).status).toBe(410);
    const failed = (await test.post(PATH, { id: 'sch_1001_failed' })).body;
    expect(failed).toMatchObject({
      last_run_at: '2026-03-18T06:00:00.000Z',
      last_run_status: 'failed',
      completed_at: '2026-03-09T06:00:00.000Z',
    });
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
