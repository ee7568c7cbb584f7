import { describe, expect, it } from 'vitest';
import { startSandbox, type TestSandbox } from '../testing/test-sandbox.js';

const FAULT = { operation: 'create-session', fault: 'error', probability: 0.5, times: 100 };

async function statuses(test: TestSandbox): Promise<number[]> {
  const found: number[] = [];
  for (let call = 0; call < 12; call += 1) found.push((await test.createSession()).status);
  return found;
}

describe('a fault by header', () => {
  it('hits that call alone', async () => {
    const test = await startSandbox();
    const body = { merchant_id: 1001, order_id: 71, Amount: '12.34' };
    const send = (fault: string) =>
      test.post('/create-session', body, { 'x-sandbox-fault': fault });
    expect((await send('error; status=503')).status).toBe(503);
    await expect(send('drop-after-commit')).rejects.toThrow('fetch failed');
    expect(test.sandbox.control.sessions()).toHaveLength(1);
    expect((await test.createSession()).status).toBe(200);
    expect([(await send('explode')).status, (await send('empty-page')).status]).toEqual([400, 400]);
  });
});

describe('a fault by chance', () => {
  it('hits the same calls with the same seed, and others with another', async () => {
    const test = await startSandbox();
    const run = async (seed: string) => {
      await test.post('/_sandbox/reset', { seed });
      await test.post('/_sandbox/faults', FAULT);
      return statuses(test);
    };
    const first = await run('one');
    expect(new Set(first)).toEqual(new Set([200, 500]));
    expect(await run('one')).toEqual(first);
    expect(await run('two')).not.toEqual(first);
  });

  it('waits for a time of its range, by the clock', async () => {
    const test = await startSandbox();
    const fault = { operation: 'create-session', fault: 'no-content', latencySeconds: [600, 900] };
    await test.post('/_sandbox/faults', fault);
    const answer = test.createSession();
    await expect.poll(() => test.sandbox.control.requests()).toHaveLength(1);
    expect(test.sandbox.control.requests()).toMatchObject([{ state: 'pending' }]);
    await expect.poll(() => test.sandbox.control.faults().queued).toEqual([]);
    await test.post('/_sandbox/clock', { advanceSeconds: 900 });
    expect((await answer).status).toBe(204);
  });
});
