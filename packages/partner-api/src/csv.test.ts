import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { TRANSACTION_COLUMNS, TransactionCsv } from './csv.js';
import { parseJson } from './decimal.js';
import type { Transaction } from './resources/transaction.js';

function lineOf(row: Transaction, columns: readonly string[], guardFormulas = true): string {
  return new TransactionCsv({ columns, extra: false, guardFormulas }).toText([row]);
}

/** A reader of RFC 4180, written from its grammar. */
function readCsv(text: string): string[][] {
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  const records: string[][] = [[]];
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (match === null) throw new Error(`not CSV at ${at}`);
    records.at(-1)!.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    if (match[3] === '\r\n') records.push([]);
  }
  return records.slice(0, -1);
}

describe('CSV', () => {
  it('has the fields of spec 2.1 as columns, in its order', () => {
    expect(TRANSACTION_COLUMNS).toHaveLength(23);
    expect(TRANSACTION_COLUMNS.slice(0, 5).join()).toBe(
      'id,source,transactionTime,orderRef,amount',
    );
    expect(TRANSACTION_COLUMNS.at(-1)).toBe('amountRefunded');
  });

  it('keeps a field of any name in its extra column', () => {
    const json = '{"id":"a","__proto__":{"x":1},"constructor":12345678901234567890.5}';
    const [cells] = readCsv(new TransactionCsv().toText([parseJson(json) as Transaction]));
    expect(cells?.at(-1)).toBe('{"__proto__":{"x":1},"constructor":12345678901234567890.5}');
  });

  it('gives any text back to a reader of RFC 4180', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(texts, (values) => {
        const columns = values.map((_, at) => `f${at}`);
        const row = Object.fromEntries(values.map((value, at) => [`f${at}`, value]));
        expect(readCsv(lineOf(row, columns, false))).toEqual([values]);
      }),
    );
  });

  it('disarms texts that a spreadsheet would run, and leaves numbers alone', () => {
    const row = { a: '=1+1', b: '@cmd', c: '＝1', d: '-', amount: -1.5, e: 'a=b' };
    const columns = ['a', 'b', 'c', 'd', 'amount', 'e'];
    expect(lineOf(row, columns)).toBe(`"'=1+1","'@cmd","'＝1","'-",-1.5,"a=b"\r\n`);
    expect(lineOf(row, columns, false)).toBe('"=1+1","@cmd","＝1","-",-1.5,"a=b"\r\n');
  });

  it('disarms them too where a spreadsheet splits a cell at a semicolon or a tab', () => {
    expect(lineOf({ a: 'Ada;=1', b: 'x\t@y' } as object, ['a', 'b'])).toBe(
      `"Ada;'=1","x\t'@y"\r\n`,
    );
    // A cell that begins with what it is split at.
    expect(lineOf({ a: '\t=1', b: ';@y' } as object, ['a', 'b'])).toBe(`"'\t'=1",";'@y"\r\n`);
    expect(lineOf({ a: '\t\t=1' } as object, ['a'])).toBe(`"'\t'\t'=1"\r\n`);
  });

  it('keeps fields without a column in one column of JSON, exact numbers included', () => {
    const csv = new TransactionCsv({ columns: ['id'], extra: true, guardFormulas: true });
    expect(csv.header).toBe('"id","extra"\r\n');
    expect(csv.toText([{ id: 'a' }])).toBe('"a",\r\n');
    const row = parseJson('{"id":"a","x":{"y":12345678901234567.89},"z":null}') as Transaction;
    expect(csv.toText([row])).toBe('"a","{""x"":{""y"":12345678901234567.89},""z"":null}"\r\n');
  });

  it('has the columns of the document, and the rest, guarded, by default', () => {
    const csv = new TransactionCsv();
    const header = [...TRANSACTION_COLUMNS, 'extra'].map((name) => `"${name}"`).join(',');
    expect(csv.header).toBe(`${header}\r\n`);
    const lines = csv.toText([{ id: '=1' }, { id: '\uFEFF', more: ';=1' } as Transaction]);
    const empty = ','.repeat(TRANSACTION_COLUMNS.length);
    expect(lines).toBe(`"'=1"${empty}\r\n"\uFEFF"${empty}"{""more"":"";\\u003d1""}"\r\n`);
  });

  it('leaves a cell empty, and counts it, rather than write a changed number', () => {
    const csv = new TransactionCsv({ columns: ['amount'], extra: false, guardFormulas: true });
    expect(csv.toText([{ amount: Number.POSITIVE_INFINITY }])).toBe('\r\n');
    expect(csv.inexactNumbers).toBe(1);
  });
});
