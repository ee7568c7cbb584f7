import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problemOf, startConsole, type RunningConsole } from '../testing/running-console.js';
import type { AnswerView } from './console-view.js';

const ANALYTICS = '/api/operations/analytics.partner?partner_name=';
const SCHEDULES = '/api/operations/reports.updateSchedule';
const LINKS = '/api/operations/merchants.associate';
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
  ])('of %s are fields and bars', async (timeframe, days) => {
    const { status, body } = await partner.get(`${ANALYTICS}harbour-lane&${timeframe}`);
    const { fields, groups } = body as AnswerView;
    expect(status).toBe(200);
    expect(fields).toMatchObject({ partner_name: 'harbour-lane', is_estimate: 'false' });
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

describe('a report schedule', () => {
  it('is changed where a field was filled in, and shown with all that the provider says', async () => {
    const before = partner.sandbox.control.schedules().find(({ id }) => id === CHANGE.id);
    const answer = await partner.post(SCHEDULES, CHANGE);
    const { fields, request } = answer.body as AnswerView;
    expect(JSON.parse(request)).toEqual({ id: CHANGE.id, schedule_type: 'daily' });
    expect(fields).toMatchObject({
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
    const { fields } = answer.body as AnswerView;
    expect(fields['message']).toContain('14');
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
