import { describe, expect, it } from 'vitest';

import { renderBars, renderMetrics, renderTable } from './render.js';
import { widthOf } from './terminal.js';

describe('tables', () => {
  const columns = [{ title: 'name' }, { title: 'n', align: 'right' as const }];

  it('keep columns straight, wide and combining letters included', () => {
    const lines = renderTable(columns, [
      ['日本', '1'],
      ['e\u0301te', '100'],
    ]);
    expect(lines).toEqual(['name    n', '日本    1', 'e\u0301te   100']);
    expect(new Set(lines.map(widthOf))).toEqual(new Set([9]));
  });

  it('cut the widest texts where they are too wide, and never a number', () => {
    const row = ['日本日本日本日本', 'a short one', '1234567.50'];
    const wide = [{ title: 'a' }, { title: 'b' }, { title: 'amount', align: 'right' as const }];
    const lines = renderTable(wide, [row], 33);
    expect(lines).toEqual([
      'a          b               amount',
      '日本日本…  a short o…  1234567.50',
    ]);
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(33);
  });

  it('have the points of decimals below each other', () => {
    expect(
      renderTable(columns, [
        ['a', '68.00'],
        ['b', '-1'],
        ['c', '12.5'],
        ['d', ''],
      ]),
    ).toEqual(['name      n', 'a     68.00', 'b     -1', 'c     12.5', 'd']);
  });

  it('become blocks where even cut texts are too wide', () => {
    expect(renderTable(columns, [['a long name', '1']], 8)).toEqual([
      'name  a long name',
      'n     1',
    ]);
    expect(renderTable(columns, [['short', '1234567890.50']], 18)).toEqual([
      'name  short',
      'n     1234567890.50',
    ]);
  });
});

describe('bars', () => {
  it('are drawn to one scale, with the exact text beside them', () => {
    const bars = [
      { label: 'a', value: 10, text: '10.00' },
      { label: 'bb', value: 5, text: '5.00' },
      { label: 'c', value: -5, text: '-5.00' },
      { label: 'd', value: 0, text: '0' },
    ];
    expect(renderBars(bars, 21)).toEqual([
      'a   10.00  ██████████',
      'bb   5.00  █████',
      'c   -5.00  ░░░░░',
      'd       0',
    ]);
  });

  it('are drawn for metrics of any name, and other shapes come as JSON', () => {
    const data = {
      total: 3,
      none: null,
      by_day: [{ day: 'Mon', n: 2 }],
      odd: [1, 'x'],
      map: { a: 1 },
    };
    expect(renderMetrics(data, 30)).toEqual([
      'total  3',
      'none   –',
      '',
      'by_day: n',
      'Mon  2  ██████████████████████',
      '',
      'odd  [1,"x"]',
      '',
      'map',
      'a  1  ████████████████████████',
    ]);
  });
});
