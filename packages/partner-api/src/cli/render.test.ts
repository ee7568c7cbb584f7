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

  it('leave out their last columns where they are too wide, by name, and cut no text', () => {
    const row = ['txn-1234567890', '2026-03-01T10:15:00.000Z', '1234567.50', 'GBP'];
    const wide = [
      ...[{ title: 'id' }, { title: 'time' }],
      ...[{ title: 'amount', align: 'right' as const }, { title: 'currency' }],
    ];
    const lines = renderTable(wide, [row], 55);
    expect(lines).toEqual([
      'id              time                          amount',
      'txn-1234567890  2026-03-01T10:15:00.000Z  1234567.50',
      'Too wide, left out: currency',
    ]);
    expect(renderTable(wide, [row], 40).at(-1)).toBe('Too wide, left out: amount, currency');
  });

  it('leave out what matters least first, wherever it stands', () => {
    const ranked = [
      ...[
        { title: 'time', rank: 2 },
        { title: 'id', rank: 0 },
      ],
      ...[
        { title: 'shop', rank: 3 },
        { title: 'amount', rank: 1 },
      ],
    ];
    const row = ['10:15', 'txn-1', 'teashop', '9.99'];
    expect(renderTable(ranked, [row], 22)).toEqual([
      'time   id     amount',
      '10:15  txn-1  9.99',
      'Too wide, left out: shop',
    ]);
    expect(renderTable(ranked, [row], 14)).toEqual([
      'id     amount',
      'txn-1  9.99',
      'Too wide, left out: time, shop',
    ]);
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

  it('become blocks where even two columns are too wide', () => {
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
  it('are drawn to one scale, with the exact text next to them', () => {
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
