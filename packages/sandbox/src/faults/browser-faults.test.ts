import { describe, expect, it } from 'vitest';
import { startSandbox, type TestSandbox } from '../testing/test-sandbox.js';
import type { FaultTarget } from './fault-table.js';

const APPROVED = '9000000000000001';
const CHALLENGED = '9000000000000027';
const SDK = '/sdk/checkout.js';

/** What the shopper's browser asks for, by target. */
async function makeRequests(test: TestSandbox) {
  const session = await test.openSession();
  await test.pay(session, CHALLENGED);
  return {
    'sdk-script': () => test.send('GET', SDK),
    'pay-page': () => test.send('GET', `/pages/pay/${session}`),
    'challenge-page': () => test.send('GET', `/pages/challenge/${session}`),
    'challenge-answer': () => test.post(`/pages/sessions/${session}/challenge`, { code: '1234' }),
    'card-payment': () => test.pay(session, APPROVED),
  };
}

const add = (test: TestSandbox, operation: FaultTarget, fault: object) =>
  test.post('/_sandbox/faults', { operation, ...fault });

const TARGETS = [
  'sdk-script',
  'pay-page',
  'challenge-page',
  'challenge-answer',
  'card-payment',
] as const;

describe.each(TARGETS)('a fault of %s', (target) => {
  it('hits only that, once', async () => {
    const test = await startSandbox();
    const requests = await makeRequests(test);
    await add(test, target, { fault: 'error', status: 503 });
    const statuses: number[] = [];
    for (const other of TARGETS) statuses.push((await requests[other]()).status);
    expect(statuses).toEqual(TARGETS.map((other) => (other === target ? 503 : 200)));
    expect((await requests[target]()).status).toBe(200);
  });

  it('closes the connection, or answers with a web page', async () => {
    const test = await startSandbox();
    const requests = await makeRequests(test);
    await add(test, target, { fault: 'drop-before-work' });
    await expect(requests[target]()).rejects.toThrow('fetch failed');
    await add(test, target, { fault: 'html', status: 200 });
    const page = await requests[target]();
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(page.text).toContain('sandbox gateway');
  });

  it('only waits, by the clock, and the answer is as it would be', async () => {
    const test = await startSandbox();
    const requests = await makeRequests(test);
    await add(test, target, { fault: 'wait', latencySeconds: [600, 900] });
    let isAnswered = false;
    const answer = requests[target]().finally(() => (isAnswered = true));
    await expect.poll(() => test.sandbox.control.faults().queued).toEqual([]);
    await test.post('/_sandbox/clock', { advanceSeconds: 599 });
    expect(isAnswered).toBe(false);
    await test.post('/_sandbox/clock', { advanceSeconds: 301 });
    expect((await answer).status).toBe(200);
  });
});

describe('faults of what the shopper’s browser loads', () => {
  it('the script is absent, cut, held, slow or compressed', async () => {
    const test = await startSandbox();
    const operation = 'sdk-script';
    const { text } = await test.send('GET', SDK);
    await add(test, operation, { fault: 'error', status: 404 });
    expect((await test.send('GET', SDK)).status).toBe(404);
    await add(test, operation, { fault: 'truncated-body' });
    await expect(test.send('GET', SDK)).rejects.toThrow('terminated');
    await add(test, operation, { fault: 'hold' });
    const held = test.send('GET', SDK);
    await expect.poll(() => test.sandbox.control.faults().held).toBe(1);
    await test.send('DELETE', '/_sandbox/faults');
    expect((await held).text).toBe(text);
    for (const fault of [{ fault: 'slow-body', seconds: 0.1 }, { fault: 'gzip' }]) {
      await add(test, operation, fault);
      const start = performance.now();
      const script = await test.send('GET', SDK);
      if (fault.seconds) expect(performance.now() - start).toBeGreaterThan(60);
      expect(script.text).toBe(text);
      expect(script.headers.get('content-type')).toContain('text/javascript');
      expect(script.headers.get('access-control-allow-origin')).toBe('*');
    }
    await add(test, operation, { fault: 'error' });
    expect((await test.send('GET', '/sdk/shapes/handle.js')).status).toBe(500);
    expect((await test.send('GET', SDK)).headers.get('cache-control')).toBe('no-cache');
  });

  it('wait for 2 seconds, if no time is given', async () => {
    const test = await startSandbox({ fixedTime: '2026-05-01T12:00:00.000Z' });
    await add(test, 'sdk-script', { fault: 'wait' });
    let isAnswered = false;
    const answer = test.send('GET', SDK).finally(() => (isAnswered = true));
    await expect.poll(() => test.sandbox.control.faults().queued).toEqual([]);
    await test.post('/_sandbox/clock', { advanceSeconds: 1.9 });
    expect(isAnswered).toBe(false);
    await test.post('/_sandbox/clock', { advanceSeconds: 0.1 });
    expect((await answer).status).toBe(200);
  });

  it('a card is charged although its answer is lost, and the next try does not charge again', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    await add(test, 'card-payment', { fault: 'drop-after-commit' });
    await expect(test.pay(session, APPROVED)).rejects.toThrow('fetch failed');
    expect(await test.listIds()).toHaveLength(1);
    expect((await test.pay(session, APPROVED)).body['outcome']).toBe('approved');
    expect(await test.listIds()).toHaveLength(1);
  });

  it('hit by chance, of the seed, or the request with the header', async () => {
    const test = await startSandbox();
    const page = `/pages/form/${await test.openSession()}`;
    await add(test, 'pay-page', { fault: 'error', probability: 0.5, times: 100 });
    const statuses = new Set<number>();
    for (let call = 0; call < 12; call += 1) statuses.add((await test.send('GET', page)).status);
    expect(statuses).toEqual(new Set([200, 500]));
    await test.send('DELETE', '/_sandbox/faults');
    const ask = async (fault: string) =>
      (await test.send('GET', page, { headers: { 'x-sandbox-fault': fault } })).status;
    expect([await ask('html; status=504'), await ask('empty-page'), await ask('lost')]).toEqual([
      504, 400, 400,
    ]);
    expect((await test.send('GET', page)).status).toBe(200);
  });
});
