import { describe, expect, it } from 'vitest';

import { answerJson, clientOf, startServer } from '../testing/test-server.js';
import { type CheckResult, runChecks } from './commands/conformance.js';
import { TRANSACTION_CHECKS } from './conformance-checks.js';

/** How the checks end for a provider whose every list has these rows. */
async function resultsFor(transactions: readonly Record<string, unknown>[]) {
  await using server = await startServer((response) =>
    answerJson(response, { data: { transactions }, pagination: { hasMore: false } }),
  );
  const client = clientOf(server.url);
  const newest = (await client.transactions.list()).data.transactions;
  const signal = new AbortController().signal;
  const nothing = {
    merchantId: undefined,
    partnerName: undefined,
    scheduleId: undefined,
    webhookUrl: undefined,
    keyFile: undefined,
  };
  const results: CheckResult[] = [];
  const target = { client, newest, signal, ...nothing };
  for await (const result of runChecks(TRANSACTION_CHECKS, target, false)) results.push(result);
  return (title: string) => results.find((result) => result.title.startsWith(title));
}

describe('the checks of the list', () => {
  it('go on when no time is a text, and say so', async () => {
    const about = await resultsFor([{ id: 'a', transactionTime: 1_771_000_000 }]);
    expect(about('writes transactionTime')?.result).toBe('deviates');
    expect(about('fromDate and toDate')).toMatchObject({
      result: 'skipped',
      reason: 'no transaction has a time',
    });
    expect(about('names the time zone')?.result).toBe('deviates');
  });

  it.each(['yesterday, at noon', '2026-02-30T10:00:00.000Z', '31/03/2026 10:00'])(
    'go on when a time is %s',
    async (transactionTime) => {
      const about = await resultsFor([{ id: 'a', transactionTime }]);
      expect(about('fromDate and toDate')).toMatchObject({
        result: 'deviates',
        reason: 'a time does not start with its day',
      });
      expect(about('names the time zone')?.result).toBe('deviates');
    },
  );

  it('see a row of another day', async () => {
    const times = ['2026-03-31T10:00:00.000Z', '2026-03-01T10:00:00.000Z'];
    const about = await resultsFor(times.map((transactionTime) => ({ transactionTime })));
    expect(about('fromDate and toDate')).toMatchObject({ reason: 'a row of another day came' });
  });
});
