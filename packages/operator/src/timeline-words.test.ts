import { expect, it } from 'vitest';
import { describeEntry, describeReason } from './timeline-words.js';

it.each([
  ['a code', 'too_old', 'the transaction is older than the attempt'],
  ['a code of attention', 'amount_mismatch', 'amount mismatch'],
  ['a sentence that an older server stored', 'the row has no id', 'the row has no id'],
  ['a code of a newer server', 'never_heard_of', 'never heard of'],
])('says %s of a row as words', (_what, reason, words) => {
  expect(describeReason(reason)).toBe(words);
  const detail = { result: 'none', reason };
  const entry = { kind: 'match', at: 0, subject: 'txn', detail } as const;
  expect(describeEntry(entry)).toBe(`Transaction txn does not count: ${words}`);
});

it('names the provider’s request where a session was refused', () => {
  const detail = { result: 'refused', status: 400, providerRequestId: 'req_1' };
  const entry = { kind: 'session', at: 0, subject: '7', detail } as const;
  expect(describeEntry(entry)).toBe(
    'Session refused by the provider with 400: order_id 7, the provider’s request req_1',
  );
});
