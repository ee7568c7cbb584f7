import { describe, expect, it } from 'vitest';
import { describeAnswer } from './answer-view.js';

describe('an answer', () => {
  it('shows fields of any name and type, and leaves none out', () => {
    const { fields, groups, others } = describeAnswer(
      {
        success: true,
        data: {
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
        },
      },
      true,
    );
    expect(others).toEqual({ success: 'true' });
    expect(fields).toEqual({
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

  it('that has data though none was asked for keeps its own fields in sight', () => {
    expect(describeAnswer({ session_id: 's1', data: { odd: 'x' } })).toEqual({
      fields: { session_id: 's1', data: '{"odd":"x"}' },
      groups: [],
      others: {},
    });
  });
});
