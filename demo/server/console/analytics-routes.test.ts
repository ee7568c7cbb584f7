import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnalyticsView } from '../../shared/console-view.js';
import { problemOf, startConsole, type RunningConsole } from '../testing/running-console.js';
import { describeMetrics } from './metrics-view.js';

const PATH = '/api/analytics?partner_name=';
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
    const { status, body } = await partner.get(`${PATH}harbour-lane&${timeframe}`);
    const { figures, groups } = body as AnalyticsView;
    expect(status).toBe(200);
    expect(figures).toMatchObject({ partner_name: 'harbour-lane', is_estimate: 'false' });
    const series = groups.find(({ name }) => name === 'daily: volume');
    expect(series).toMatchObject({ isSeries: true });
    expect(series!.bars).toHaveLength(days);
  });

  it('are asked for without a timeframe too: the provider then chooses', async () => {
    expect((await partner.get(`${PATH}harbour-lane`)).status).toBe(200);
  });

  it.each([
    ['harbour-lane&timeframe=custom&from_date=2026-01-01', 'to_date'],
    ['harbour-lane&timeframe=custom&to_date=2026-01-01', 'from_date'],
    ['harbour-lane&timeframe=custom&from_date=2026-01-01&to_date=2026-04-01', 'to_date'],
    ['harbour-lane&timeframe=custom&from_date=2026-02-30&to_date=2026-03-01', 'from_date'],
    ['', 'partner_name'],
  ])('refuse %s at the field that is wrong', async (query, field) => {
    const answer = await partner.get(PATH + query);
    expect(answer.status).toBe(400);
    expect(problemOf(answer).errors).toMatchObject([{ field }]);
    expect(partner.sandbox.control.requests()).toEqual([]);
  });

  it('say in the words of the client how long a range may be', async () => {
    const range = 'timeframe=custom&from_date=2026-01-01&to_date=2026-06-01';
    const [error] = problemOf(await partner.get(`${PATH}harbour-lane&${range}`)).errors!;
    expect(error!.message).toContain('a custom range has at most 90');
  });

  it('say at the field that the provider does not know a partner', async () => {
    const answer = await partner.get(`${PATH}nobody`);
    expect(answer.status).toBe(403);
    expect(problemOf(answer)).toMatchObject({
      code: 'unknown_partner',
      errors: [{ field: 'partner_name' }],
    });
  });

  it('say it when the provider did not succeed, and when its answer is a web page', async () => {
    const broken = problemOf(await partner.get(`${PATH}broken-harbour`));
    expect(broken).toMatchObject({ code: 'unsuccessful_answer' });
    const fault = { operation: 'partner-analytics', fault: 'html', times: 3 } as const;
    partner.sandbox.control.addFault(fault);
    const page = problemOf(await partner.get(`${PATH}harbour-lane`));
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
