import { describe, expect, it } from 'vitest';

import { describeSchedule } from './schedule-words.js';

describe('schedules in words', () => {
  it('say when a cron expression is due, in the zone that was given', () => {
    const words = describeSchedule('30 6 * * 1-5', 'Asia/Tokyo', new Date('2026-03-06T00:00:00Z'));
    expect(words).toEqual({
      words: 'At 06:30, Monday through Friday',
      nextRuns: [
        'Mon 2026-03-09 06:30 GMT+09:00',
        'Tue 2026-03-10 06:30 GMT+09:00',
        'Wed 2026-03-11 06:30 GMT+09:00',
      ],
    });
  });

  it('give one run a day over both changes of the clock', () => {
    const runsFrom = (day: string): readonly string[] =>
      describeSchedule('30 1 * * *', 'Europe/London', new Date(`${day}T12:00:00Z`))!.nextRuns;
    const daysOf = (runs: readonly string[]): string[] => runs.map((run) => run.slice(4, 14));
    expect(daysOf(runsFrom('2026-03-27'))).toEqual(['2026-03-28', '2026-03-29', '2026-03-30']);
    expect(daysOf(runsFrom('2026-10-23'))).toEqual(['2026-10-24', '2026-10-25', '2026-10-26']);
  });

  it.each([
    'Last working day of each month',
    'every monday at nine sharp',
    '',
    '61 * * * *',
    '2026-01-01T00:00:00',
    '0 0 12 ? * 2',
  ])('leave %j as it is', (text) => {
    expect(describeSchedule(text, 'UTC')).toBeUndefined();
  });
});
