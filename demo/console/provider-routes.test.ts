import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problemOf, startConsole, type RunningConsole } from '../testing/running-console.js';
import type {
  AnalyticsView,
  ScheduleView,
  TransfersView,
  ReportScheduleView,
  SignupLinkView,
} from './console-view.js';
import { describeMetrics } from './metrics-view.js';

const ANALYTICS = '/api/analytics?partner_name=';
const SCHEDULES = '/api/report-schedules';
const LINKS = '/api/signup-links';
const CHANGE = { id: 'sch_1001_once', schedule_type: 'daily', notification_email: '' };
let partner: RunningConsole;

beforeEach(async () => {
  partner = await startConsole();
});

afterEach(async () => {
  await partner.close();
});

describe('the analytics of a partner', () => {
  it.each([
    ['timeframe=weekly', 7],
    ['timeframe=monthly', 30],
    ['timeframe=quarterly', 90],
    ['timeframe=custom&from_date=2026-01-01&to_date=2026-03-31', 90],
  ])('of %s are figures and bars', async (timeframe, days) => {
    const { status, body } = await partner.get(`${ANALYTICS}harbour-lane&${timeframe}`);
    const { figures, groups } = body as AnalyticsView;
    expect(status).toBe(200);
    expect(figures).toMatchObject({ partner_name: 'harbour-lane', is_estimate: 'false' });
    const series = groups.find(({ name }) => name === 'daily: volume');
    expect(series).toMatchObject({ isSeries: true });
    expect(series!.bars).toHaveLength(days);
  });

  it('are asked for without a timeframe too: the provider then chooses', async () => {
    expect((await partner.get(`${ANALYTICS}harbour-lane`)).status).toBe(200);
  });

  it.each([
    ['harbour-lane&timeframe=custom&from_date=2026-01-01', 'to_date'],
    ['harbour-lane&timeframe=custom&to_date=2026-01-01', 'from_date'],
    ['harbour-lane&timeframe=custom&from_date=2026-01-01&to_date=2026-04-01', 'to_date'],
    ['harbour-lane&timeframe=custom&from_date=2026-02-30&to_date=2026-03-01', 'from_date'],
    ['', 'partner_name'],
  ])('refuse %s at the field that is wrong', async (query, field) => {
    const answer = await partner.get(ANALYTICS + query);
    expect(answer.status).toBe(400);
    expect(problemOf(answer).errors).toMatchObject([{ field }]);
    expect(partner.sandbox.control.requests()).toEqual([]);
  });

  it('say in the words of the client how long a range may be', async () => {
    const range = 'timeframe=custom&from_date=2026-01-01&to_date=2026-06-01';
    const [error] = problemOf(await partner.get(`${ANALYTICS}harbour-lane&${range}`)).errors!;
    expect(error!.message).toContain('a custom range has at most 90');
  });

  it('say at the field that the provider does not know a partner', async () => {
    const answer = await partner.get(`${ANALYTICS}unknown`);
    expect(answer.status).toBe(403);
    expect(problemOf(answer)).toMatchObject({
      code: 'unknown_partner',
      errors: [{ field: 'partner_name' }],
    });
  });

  it('say it when the provider did not succeed, and when its answer is a web page', async () => {
    const broken = problemOf(await partner.get(`${ANALYTICS}broken-harbour`));
    expect(broken).toMatchObject({ code: 'unsuccessful_answer' });
    const fault = { operation: 'partner-analytics', fault: 'html', times: 3 } as const;
    partner.sandbox.control.addFault(fault);
    const page = problemOf(await partner.get(`${ANALYTICS}harbour-lane`));
    expect(page).toMatchObject({ code: 'no_good_answer', outcome: 'unknown' });
    expect(page.next).toContain('Reading changes nothing');
  });
});

describe('metrics', () => {
  it('of any name and type are shown, and none is left out', () => {
    const { figures, groups } = describeMetrics({
      total: 12.5,
      note: 'fine',
      nothing: null,
      empty: [],
      currencies: ['EUR', 'GBP'],
      mixed: [{ day: 'a', count: 1 }, 7],
      nested: { a: { b: 1 } },
      methods: { card: 3, wallet: -1 },
      uneven: [
        { day: 'a', count: 1 },
        { day: 'b', count: 2, extra: 'x' },
      ],
      days: [{ day: 'a', count: 1, sum: 2.5 }],
    });
    expect(figures).toEqual({
      total: '12.5',
      note: 'fine',
      nothing: '',
      empty: '',
      currencies: 'EUR, GBP',
      mixed: '[{"day":"a","count":1},7]',
      nested: '{"a":{"b":1}}',
      uneven: '[{"day":"a","count":1},{"day":"b","count":2,"extra":"x"}]',
    });
    expect(groups.map(({ name, bars }) => [name, bars.map(({ text }) => text)])).toEqual([
      ['methods', ['3', '-1']],
      ['days: count', ['1']],
      ['days: sum', ['2.5']],
    ]);
  });
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

describe('a report schedule', () => {
  it('is changed where a field was filled in, and shown with all that the provider says', async () => {
    const before = partner.sandbox.control.schedules().find(({ id }) => id === CHANGE.id);
    const answer = await partner.post(SCHEDULES, CHANGE);
    const { schedule } = answer.body as ReportScheduleView;
    expect(schedule).toMatchObject({
      schedule_type: 'daily',
      notification_email: before!.notification_email,
      parameters: '{"timezone":"UTC","currency":"GBP"}',
    });
  });

  it.each([
    [{ status: 'active' }, 'id'],
    [{ ...CHANGE, notification_email: 'unknown' }, 'notification_email'],
    [{ ...CHANGE, status: 7 }, 'status'],
    [{ ...CHANGE, owner: 'me' }, 'owner'],
  ])('is not changed by %j: the wrong field is named', async (body, field) => {
    const answer = await partner.post(SCHEDULES, body);
    expect(problemOf(answer)).toMatchObject({ status: 400, errors: [{ field }] });
    expect(partner.sandbox.control.requests()).toEqual([]);
  });

  it('that the provider does not know is said at its field', async () => {
    const answer = await partner.post(SCHEDULES, { id: 'sch_nowhere', status: 'active' });
    expect(problemOf(answer)).toMatchObject({ outcome: 'refused', errors: [{ field: 'id' }] });
  });

  it('may have changed when every answer is lost, and it is safe to send it again', async () => {
    const fault = { operation: 'update-schedule', fault: 'drop-after-commit', times: 3 } as const;
    partner.sandbox.control.addFault(fault);
    const problem = problemOf(await partner.post(SCHEDULES, CHANGE));
    expect(problem).toMatchObject({ status: 502, code: 'outcome_unknown', outcome: 'unknown' });
    expect(problem.title).toContain('it may have happened');
    expect(problem.next).toContain('Send the same again');
  });
});

function validUntil(): string {
  const links = partner.sandbox.control.signupLinks();
  return links.find(({ merchantId }) => merchantId === 1001)!.validUntil;
}

describe('a signup link', () => {
  it('is valid again, in the provider’s own words', async () => {
    const before = validUntil();
    const answer = await partner.post(LINKS, { action: 'reactivate', merchantId: '1001' });
    const { message } = answer.body as SignupLinkView;
    expect(message).toContain('14');
    expect(validUntil() > before).toBe(true);
  });

  it('needs a merchant, and one that the provider knows', async () => {
    const unnamed = await partner.post(LINKS, { action: 'reactivate' });
    expect(problemOf(unnamed)).toMatchObject({ status: 400, errors: [{ field: 'merchantId' }] });
    const unknown = await partner.post(LINKS, { action: 'reactivate', merchantId: '9999' });
    expect(problemOf(unknown)).toMatchObject({ outcome: 'refused' });
  });

  it('is extended once when the answer is lost, and that is said to be unknown', async () => {
    const fault = { operation: 'merchant-association', fault: 'drop-after-commit' } as const;
    partner.sandbox.control.addFault(fault);
    const problem = problemOf(
      await partner.post(LINKS, { action: 'reactivate', merchantId: '1001' }),
    );
    expect(problem).toMatchObject({ code: 'outcome_unknown', outcome: 'unknown' });
    expect(problem.next).toContain('try the link first');
    expect(partner.sandbox.control.requests()).toHaveLength(1);
  });
});
