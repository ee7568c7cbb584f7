import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReportScheduleView } from '../../shared/console-view.js';
import { problemOf, startConsole, type RunningConsole } from '../testing/running-console.js';

const PATH = '/api/report-schedules';
const CHANGE = { id: 'sch_1001_once', schedule_type: 'daily', notification_email: '' };
let partner: RunningConsole;

beforeEach(async () => {
  partner = await startConsole();
});

afterEach(async () => {
  await partner.close();
});

describe('a report schedule', () => {
  it('is changed where a field was filled in, and shown with all that the provider says', async () => {
    const before = partner.sandbox.control.schedules().find(({ id }) => id === CHANGE.id);
    const answer = await partner.post(PATH, CHANGE);
    const { schedule } = answer.body as ReportScheduleView;
    expect(schedule).toMatchObject({
      schedule_type: 'daily',
      notification_email: before!.notification_email,
      parameters: '{"timezone":"UTC","currency":"GBP"}',
    });
  });

  it.each([
    [{ status: 'active' }, 'id'],
    [{ ...CHANGE, notification_email: 'nobody' }, 'notification_email'],
    [{ ...CHANGE, status: 7 }, 'status'],
    [{ ...CHANGE, owner: 'me' }, 'owner'],
  ])('is not changed by %j: the wrong field is named', async (body, field) => {
    const answer = await partner.post(PATH, body);
    expect(problemOf(answer)).toMatchObject({ status: 400, errors: [{ field }] });
    expect(partner.sandbox.control.requests()).toEqual([]);
  });

  it('that the provider does not know is said at its field', async () => {
    const answer = await partner.post(PATH, { id: 'sch_nowhere', status: 'active' });
    expect(problemOf(answer)).toMatchObject({ outcome: 'refused', errors: [{ field: 'id' }] });
  });

  it('may have changed when every answer is lost, and it is safe to send it again', async () => {
    const fault = { operation: 'update-schedule', fault: 'drop-after-commit', times: 3 } as const;
    partner.sandbox.control.addFault(fault);
    const problem = problemOf(await partner.post(PATH, CHANGE));
    expect(problem).toMatchObject({ status: 502, code: 'outcome_unknown', outcome: 'unknown' });
    expect(problem.title).toContain('it may have happened');
    expect(problem.next).toContain('Send the same again');
  });
});
