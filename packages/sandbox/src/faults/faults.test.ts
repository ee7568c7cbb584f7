import { describe, expect, it } from 'vitest';
import { OPERATIONS, type Operation } from '../logged-request.js';
import { startReceiver, startSandbox, type TestSandbox } from '../testing/test-sandbox.js';

const LIST = '/v1/transactions/list';

async function startWith(order: object): Promise<TestSandbox> {
  const test = await startSandbox({ history: { count: 30 } });
  const answer = await test.post('/_sandbox/faults', { operation: 'transactions-list', ...order });
  expect(answer.status).toBe(201);
  return test;
}

async function makeCalls(
  test: TestSandbox,
): Promise<Record<Operation, () => Promise<{ status: number }>>> {
  const receiver = await startReceiver();
  const created = await test.post('/developer-service/webhooks/create', { url: receiver.url });
  const { webhook_id: webhookId } = created.body['data'] as { webhook_id: string };
  return {
    'transactions-list': () => test.post(LIST, {}),
    'update-schedule': () => test.post('/v1/reports/update-schedule', { id: 'sch_1001_daily' }),
    'merchant-association': () =>
      test.post('/merchants-sandbox/api/v1/merchants/merchant-association', {
        action: 'reactivate',
        merchantId: '1001',
      }),
    'scheduled-transfers': () => test.readTransfers('1001'),
    'partner-analytics': () =>
      test.post('/v1/analytics/partner_analytics', { partner_name: 'harbour-lane' }),
    'create-session': () => test.createSession(),
    'create-webhook': () => test.post('/developer-service/webhooks/create', { url: receiver.url }),
    'test-webhook': () => test.post('/developer-service/webhooks/test', { webhookId }),
  };
}

describe('faults', () => {
  it.each(OPERATIONS)('hit only %s, once', async (operation) => {
    const test = await startSandbox();
    const calls = await makeCalls(test);
    test.sandbox.control.addFault({ operation, fault: 'error', status: 503 });
    const statuses: number[] = [];
    for (const other of OPERATIONS) statuses.push((await calls[other]()).status);
    expect(statuses).toEqual(OPERATIONS.map((other) => (other === operation ? 503 : 200)));
    expect((await calls[operation]()).status).toBe(200);
  });

  it('say when to retry, in seconds or as a date that is not too early', async () => {
    const test = await startWith({ fault: 'error', status: 429, retryAfterSeconds: 7 });
    expect((await test.post(LIST, {})).headers.get('retry-after')).toBe('7');
    test.sandbox.control.addFault({
      operation: 'transactions-list',
      fault: 'error',
      status: 429,
      retryAfterSeconds: 7,
      retryAfterAs: 'date',
    });
    const before = Date.now();
    const date = (await test.post(LIST, {})).headers.get('retry-after') ?? '';
    expect(new Date(date).toUTCString()).toBe(date);
    expect(Date.parse(date) - before).toBeGreaterThanOrEqual(7000);
    expect(Date.parse(date) - Date.now()).toBeLessThanOrEqual(8000);
  });

  it('answer a web page, a redirect or nothing, without doing anything', async () => {
    const test = await startSandbox();
    const operation = 'create-session';
    test.sandbox.control.addFault({ operation, fault: 'html', status: 200 });
    test.sandbox.control.addFault({ operation, fault: 'redirect', location: 'https://a.example/' });
    test.sandbox.control.addFault({ operation, fault: 'drop-before-work' });
    const page = await test.createSession();
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    const redirect = await test.createSession();
    expect(redirect.status).toBe(302);
    expect(redirect.headers.get('location')).toBe('https://a.example/');
    await expect(test.createSession()).rejects.toThrow('fetch failed');
    expect(test.sandbox.control.sessions()).toEqual([]);
  });

  it('answer 204, or compressed', async () => {
    const test = await startWith({ fault: 'no-content' });
    const empty = await test.post(LIST, {});
    expect(empty.status).toBe(204);
    expect(empty.text).toBe('');
    test.sandbox.control.addFault({ operation: 'transactions-list', fault: 'gzip' });
    const packed = await test.post(LIST, {});
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.body).toHaveProperty('pagination');
  });

  it('cut the body in the middle, after the work', async () => {
    const test = await startSandbox();
    test.sandbox.control.addFault({ operation: 'create-session', fault: 'truncated-body' });
    await expect(test.createSession()).rejects.toThrow('terminated');
    expect(test.sandbox.control.sessions()).toHaveLength(1);
  });

  it('stall the body until they are released', async () => {
    const test = await startWith({ fault: 'stalled-body' });
    const stalled = test.post(LIST, {});
    await expect.poll(() => test.sandbox.control.faults().held).toBe(1);
    await test.send('DELETE', '/_sandbox/faults');
    expect((await stalled).body).toHaveProperty('pagination');
  });

  it('send the body slowly, cut also inside characters', async () => {
    const test = await startWith({ fault: 'slow-body', seconds: 0.1 });
    const slow = await test.post(LIST, {});
    expect(slow.text).toBe((await test.post(LIST, {})).text);
    expect(slow.text).toMatch(/[^\0-\x7f]/);
  });

  it('send fields and values that no client knows', async () => {
    const test = await startWith({ fault: 'unknown-field' });
    expect((await test.list()).data.transactions[0]).toHaveProperty('something_new');
    for (const fault of ['unknown-enum', 'wrong-type', 'huge-amount'] as const) {
      test.sandbox.control.addFault({ operation: 'transactions-list', fault });
    }
    const [strange] = (await test.list()).data.transactions;
    expect(strange).toMatchObject({ status: 'something_new', paymentMethod: 'something_new' });
    const wrong = await test.list();
    expect(wrong.pagination.hasMore).toBe('true');
    expect(wrong.data.transactions[0]?.['amount']).toMatch(/^\d+(\.\d+)?$/);
    expect((await test.post(LIST, {})).text).toContain('"amount":12345678901234567890.12');
  });

  it('change a reply that is an array, too', async () => {
    const test = await startSandbox();
    const operation = 'scheduled-transfers';
    test.sandbox.control.addFault({ operation, fault: 'unknown-enum' });
    expect((await test.readTransfers('1001')).body).toMatchObject([
      { status: 'something_new' },
      { status: 'something_new' },
    ]);
  });

  it('report failed analytics', async () => {
    const test = await startSandbox();
    test.sandbox.control.addFault({ operation: 'partner-analytics', fault: 'success-false' });
    const body = { partner_name: 'harbour-lane' };
    const failed = await test.post('/v1/analytics/partner_analytics', body);
    expect(failed.body).toMatchObject({ success: false, data: { partner_name: 'harbour-lane' } });
  });

  it.each([
    { operation: 'create-session', fault: 'empty-page' },
    { operation: 'transactions-list', fault: 'success-false' },
  ])('refuse %j, which is no fault of the operation', async (order) => {
    const test = await startSandbox();
    const answer = await test.post('/_sandbox/faults', order);
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toMatchObject([{ field: 'fault' }]);
  });
});

describe('faults of the cursor', () => {
  it('repeat the one that was sent', async () => {
    const test = await startWith({ fault: 'repeated-cursor', times: 2 });
    const first = await test.list();
    const cursor = first.pagination.nextCursor;
    const second = await test.list({ cursor });
    expect(second.pagination).toEqual({ hasMore: true, nextCursor: cursor });
    expect((await test.list({ cursor })).pagination.nextCursor).not.toBe(cursor);
  });

  it('leave it empty, or out', async () => {
    const test = await startWith({ fault: 'empty-cursor' });
    expect((await test.list()).pagination).toEqual({ hasMore: true, nextCursor: '' });
    test.sandbox.control.addFault({ operation: 'transactions-list', fault: 'missing-cursor' });
    expect((await test.list()).pagination).toEqual({ hasMore: true });
  });

  it('send empty pages with new cursors that skip nothing', async () => {
    const test = await startSandbox({ history: { count: 30 }, cursorLifetimeSeconds: 60 });
    const all = await test.listIds({ limit: 30 });
    const order = { operation: 'transactions-list', fault: 'empty-page' } as const;
    const seen: unknown[] = [];
    const cursors: unknown[] = [];
    for (let page = 0, cursor: string | undefined; page < 20; page += 1) {
      if (page % 3 === 0) test.sandbox.control.addFault({ ...order, times: 2 });
      const reply = await test.list({ limit: 6, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...reply.data.transactions.map(({ id }) => id));
      cursor = reply.pagination.nextCursor;
      cursors.push(cursor);
      if (cursor === undefined) break;
    }
    expect(seen).toEqual(all);
    expect(new Set(cursors).size).toBe(cursors.length);
  });
});
