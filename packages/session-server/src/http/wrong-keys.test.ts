import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestStack } from '../testing/test-stack.js';

const GUESSER = '198.51.100.30';
const OTHER = '198.51.100.31';

let stack: TestStack;
beforeEach(async () => {
  stack = await TestStack.start({
    env: { PAY_TRUST_PROXY: '1' },
    tuning: { rateLimits: { wrongKeysPerAddress: 3 } },
  });
  await stack.open('K1', { amount: '5.00' });
});
afterEach(() => stack.close());

const ask = (key: string, address = GUESSER) =>
  stack.fetch<{ code?: string }>('/v1/merchant/orders/K1', {
    headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': address },
  });

async function statuses(keys: readonly string[]): Promise<number[]> {
  const answers: number[] = [];
  for (const key of keys) answers.push((await ask(key)).status);
  return answers;
}

const guesses = (count: number) => Array.from({ length: count }, (_, at) => `guess-${String(at)}`);

describe('guessing the key of a merchant', () => {
  it('is stopped for one address, and says when to come back', async () => {
    expect(await statuses(guesses(5))).toEqual([401, 401, 401, 429, 429]);
    const stopped = await ask('another-guess');
    expect(stopped.body.code).toBe('too_many_requests');
    expect(Number(stopped.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask('a-guess', OTHER)).status).toBe(401);
  });

  it('is of no use beyond the limit, not even with the right key', async () => {
    expect(await statuses([...guesses(3), stack.merchantKey])).toEqual([401, 401, 401, 429]);
    expect((await ask(stack.merchantKey, OTHER)).status).toBe(200);
  });

  it('is stopped also when all guesses come at the same moment', async () => {
    const answers = await Promise.all(guesses(20).map((key) => ask(key)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
  });

  it('never shuts out a key that was right from the same address before', async () => {
    expect((await ask(stack.merchantKey)).status).toBe(200);
    expect(await statuses([...guesses(4), stack.merchantKey])).toEqual([401, 401, 401, 429, 200]);
  });
});

describe('a right key', () => {
  it('uses up none of the guesses, however often it asks', async () => {
    const keys = [...guesses(2), ...Array.from({ length: 10 }, () => stack.merchantKey)];
    expect(await statuses(keys)).toEqual([401, 401, ...Array.from({ length: 10 }, () => 200)]);
    expect(await statuses(guesses(2))).toEqual([401, 429]);
  });

  it('that was taken out of the merchants file is a wrong one again', async () => {
    expect((await ask(stack.merchantKey)).status).toBe(200);
    stack.changeMerchant({ apiKeyHash: [`sha256:${'0'.repeat(64)}`] });
    await expect.poll(async () => (await ask(stack.merchantKey)).status).toBe(401);
    expect(await statuses(guesses(3))).toEqual([401, 401, 429]);
  });
});

describe('a request without a key', () => {
  it('guesses nothing', async () => {
    const headers = { 'x-forwarded-for': GUESSER };
    for (let count = 0; count < 5; count += 1) {
      expect((await stack.fetch('/v1/merchant/orders/K1', { headers })).status).toBe(401);
    }
    expect((await ask(stack.merchantKey)).status).toBe(200);
  });
});
