import { expect, it } from 'vitest';
import { Activity } from './inspector/activity.js';
import { RequestLog } from './request-log.js';

function logCalls(count: number, body: string): RequestLog {
  const log = new RequestLog(new Activity());
  for (let sent = 0; sent < count; sent += 1) {
    const entry = log.add({
      operation: 'transactions-list',
      at: '2026-01-01T00:00:00.000Z',
      method: 'POST',
      path: '/v1/transactions/list',
      sentKey: true,
      framing: 'length',
    });
    log.finish(entry, { request: { headers: {}, body } });
  }
  return log;
}

it('keeps the latest 10,000 calls', () => {
  const log = logCalls(10_005, '{}');
  expect(log.list()).toHaveLength(10_000);
  expect([log.list()[0]?.number, log.find(5)]).toEqual([6, undefined]);
  expect(log.find(6)?.request?.body).toBe('{}');
});

it('drops the bodies of older calls before they fill the memory', () => {
  const log = logCalls(5000, 'x'.repeat(16_384));
  expect(log.list()).toHaveLength(5000);
  const kept = log.list().filter(({ number }) => log.find(number)?.request !== undefined);
  expect(kept.length * 16_384).toBeGreaterThan(30 * 1024 * 1024);
  expect(kept.length * 16_384).toBeLessThan(33 * 1024 * 1024);
  expect(kept.at(-1)?.number).toBe(5000);
});
