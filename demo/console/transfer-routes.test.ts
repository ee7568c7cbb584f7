import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problemOf, startConsole, type RunningConsole } from '../testing/running-console.js';
import type { ScheduleView, TransfersView } from './console-view.js';

let partner: RunningConsole;

beforeEach(async () => {
  partner = await startConsole();
});

afterEach(async () => {
  await partner.close();
});

describe('the scheduled transfers', () => {
  it('of a merchant come as the provider sends them, cron or words', async () => {
    const { transfers } = (await partner.get('/api/transfers?mid=1001')).body as TransfersView;
    expect(transfers.map(({ fields }) => fields['schedule'])).toEqual([
      '30 6 * * 1-5',
      'Last working day of each month',
    ]);
  });

  it('keep fields that the document does not show', async () => {
    partner.sandbox.control.addFault({ operation: 'scheduled-transfers', fault: 'unknown-field' });
    const { transfers } = (await partner.get('/api/transfers?mid=1001')).body as TransfersView;
    const shown = ['id', 'merchantAccount', 'currency', 'schedule', 'status'];
    const others = Object.keys(transfers[0]!.fields).filter((name) => !shown.includes(name));
    expect(others.length).toBeGreaterThan(0);
  });

  it('say in words when they run, in the zone that a person chose', async () => {
    const query = 'mid=1001&timezone=Asia/Tokyo';
    const { transfers } = (await partner.get(`/api/transfers?${query}`)).body as TransfersView;
    expect(transfers[0]).toMatchObject({ words: 'At 06:30, Monday through Friday' });
    expect(transfers[0]!.nextRuns).toHaveLength(3);
    for (const run of transfers[0]!.nextRuns!) expect(run).toMatch(/ 06:30 GMT\+09:00$/);
    expect(transfers[1]).toEqual({ fields: transfers[1]!.fields });
    const wrong = await partner.get('/api/transfers?mid=1001&timezone=Moon');
    expect(problemOf(wrong)).toMatchObject({ status: 400, errors: [{ field: 'timezone' }] });
  });

  it('have a typed schedule put into words without asking the provider', async () => {
    const ask = (schedule: string, timezone = 'Asia/Tokyo') =>
      partner.get(`/api/schedule?${new URLSearchParams({ schedule, timezone })}`);
    const { words, nextRuns } = (await ask('0 6 * * *')).body as ScheduleView;
    expect(words).toBe('At 06:00');
    expect(nextRuns).toHaveLength(3);
    expect(nextRuns![0]).toMatch(/06:00 GMT\+09:00$/);
    expect((await ask('every day')).body).toEqual({});
    expect((await ask('0 6 * * *', 'Moon')).status).toBe(400);
    expect(partner.sandbox.control.requests()).toEqual([]);
  });

  it('are read with the body of a form, once', async () => {
    const row = { schedule_transfer_id: 'st_1', schedule: '0 6 * * *', refrence: 'r' };
    const body = { mid: '1001', request_id: 'r1', data: [row, null] };
    expect((await partner.post('/api/transfers', body)).status).toBe(200);
    const [sent] = partner.sandbox.control.requests();
    expect(sent).toMatchObject({ method: 'GET', framing: 'length' });
    partner.sandbox.control.addFault({
      operation: 'scheduled-transfers',
      fault: 'drop-after-commit',
    });
    const lost = problemOf(await partner.post('/api/transfers', body));
    expect(lost).toMatchObject({ code: 'outcome_unknown' });
  });

  it('are read without the body whose effect is not shown', async () => {
    await partner.get('/api/transfers?mid=1001');
    expect(partner.sandbox.control.requests()).toMatchObject([{ framing: 'none' }]);
  });

  it('say at the field that no merchant is named, or that the provider knows none', async () => {
    const unnamed = await partner.get('/api/transfers');
    expect(problemOf(unnamed)).toMatchObject({ status: 400, errors: [{ field: 'mid' }] });
    const unknown = await partner.get('/api/transfers?mid=9999');
    expect(problemOf(unknown)).toMatchObject({ status: 404, errors: [{ field: 'mid' }] });
  });
});
