import { describe, expect, it } from 'vitest';

import { decimalOf } from '../decimal.js';
import { UPDATE_SCHEDULE } from '../resources/reports.js';
import { LIST_TRANSACTIONS } from '../resources/transactions.js';
import { answerJson, clientOf, failureOf, pageOf, startServer } from '../testing/test-server.js';
import { DriftLog, findMismatches } from './reply.js';

const ROWS = [
  { id: 'canary-1', amount: '12.50', merchantId: 1.5, colour: 'canary-blue' },
  { id: null, amount: 12.5, 'ada@example.com': true, colour: 'red' },
];

describe('validation', () => {
  it('"warn" gives everything as it came, and counts what differs without its values', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf(...ROWS)));
    const client = clientOf(server.url);
    expect(client.driftReport()).toEqual({});
    expect((await client.transactions.list()).data.transactions).toEqual(ROWS);
    await client.transactions.list();
    const report = client.driftReport();
    expect(report).toEqual({
      'transactions.list': {
        answers: 2,
        unknownFields: {
          'data.transactions[].colour': 4,
          'data.transactions[].(odd name)': 2,
        },
        unexpectedTypes: {
          'data.transactions[].amount: text instead of number': 2,
          'data.transactions[].merchantId: number instead of whole number': 2,
          'data.transactions[].id: null instead of text': 2,
        },
      },
    });
    for (const value of ['canary', '12.5', 'ada@', 'red']) {
      expect(JSON.stringify(report)).not.toContain(value);
    }
  });

  it('is silent about an answer that is as the document says, in either variant', async () => {
    const rows = [{ id: 'a', amount: 1, last4Digits: '0004' }, { net: 1.5, deductions: 0 }, {}];
    await using server = await startServer((response) => answerJson(response, pageOf(...rows)));
    const client = clientOf(server.url);
    await client.transactions.list();
    expect(client.driftReport()).toEqual({});
  });

  it('is silent about a metric with zeros at its end, or with many digits', async () => {
    await using server = await startServer((response) => {
      response.end('{"success":true,"data":{"volume":68.00,"long":12345678901234567.89}}');
    });
    const client = clientOf(server.url, { validation: 'strict' });
    const { data } = await client.analytics.partner({ partner_name: 'a' });
    expect([decimalOf(data, 'volume'), client.driftReport()]).toEqual(['68.00', {}]);
  });

  it('"off" counts nothing', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf(...ROWS)));
    const client = clientOf(server.url, { validation: 'off' });
    await client.transactions.list();
    expect(client.driftReport()).toEqual({});
  });

  it('"strict" makes another type an error that names place and kinds, not the value', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf(...ROWS)));
    const client = clientOf(server.url, { validation: 'strict' });
    const error = await failureOf(client.transactions.list());
    expect(error).toMatchObject({ name: 'InvalidResponseError', problem: 'shape', attempt: 1 });
    expect((error as Error).message).toContain('data.transactions[].amount (text) is not a number');
    expect((error as Error).message).not.toContain('12.50');
    expect(client.driftReport()).toHaveProperty(['transactions.list', 'answers'], 1);
  });

  it('"strict" lets fields pass that the document does not list: it says that some may come', async () => {
    const rows = [{ id: 'a', colour: 'blue' }];
    await using server = await startServer((response) => answerJson(response, pageOf(...rows)));
    const { transactions } = clientOf(server.url, { validation: 'strict' });
    expect((await transactions.list()).data.transactions).toEqual(rows);
  });

  it('can be chosen for one call', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf(...ROWS)));
    const client = clientOf(server.url, { validation: 'off' });
    await client.transactions.list();
    expect(await failureOf(client.transactions.list({}, { validation: 'strict' }))).toMatchObject({
      problem: 'shape',
    });
    expect(
      await failureOf(client.transactions.list({}, { validation: 'loose' as 'off' })),
    ).toMatchObject({ field: 'validation' });
  });
});

describe('the drift report', () => {
  it('stays small, however many names a provider invents', () => {
    const log = new DriftLog();
    const fields = Array.from({ length: 5_000 }, (_, number) => [`f${number}`, 1]);
    log.add('a', LIST_TRANSACTIONS.reply, { data: Object.fromEntries(fields) as object }, []);
    const { unknownFields = {} } = log.report()['a'] ?? {};
    expect(Object.keys(unknownFields)).toHaveLength(201);
    expect(unknownFields['(others)']).toBe(4_800);
  });

  it('counts every field that the document does not list, once a row', () => {
    const drift = new DriftLog();
    const transactions = [{ id: 'a', colour: 1 }, { colour: 2, size: 3 }, {}];
    const body = { data: { transactions, total: 3 }, pagination: { hasMore: false }, trace: 'x' };
    drift.add('transactions.list', LIST_TRANSACTIONS.reply, body, []);
    expect(drift.report()['transactions.list']?.unknownFields).toEqual({
      'data.transactions[].colour': 2,
      'data.transactions[].size': 1,
      'data.total': 1,
      trace: 1,
    });
  });

  it('names neither the row of a list nor the name in a record', () => {
    const body = { parameters: { 'ada@example.com': 7 } };
    expect(findMismatches(UPDATE_SCHEDULE.reply, body)).toEqual([
      { place: 'parameters{}', expected: 'text', kind: 'whole number' },
    ]);
  });
});
