import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestStack } from '../testing/test-stack.js';
import { runMerchants } from './merchants-command.js';

const EVERY = { interval: 200 };
const logged: string[] = [];
const note = (fields: object, message: string) =>
  void logged.push(JSON.stringify([fields, message]));

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({
    logger: { debug: note, info: note, warn: note, error: note },
    // Until the server has read a change, the new key is a wrong one.
    tuning: { rateLimits: { wrongKeysPerAddress: 10_000 } },
  });
});
afterAll(() => stack.close());

const run = (...words: string[]) => runMerchants(stack.env, words).join('\n');
const statusWith = async (key: string) =>
  (await stack.fetch('/v1/merchant/events', { headers: { authorization: `Bearer ${key}` } }))
    .status;

describe('a running server', () => {
  it('takes the new and the old key of a merchant, until the old one is retired', async () => {
    const { secrets } = JSON.parse(run('rotate', 'teashop', 'api-key', '--json')) as {
      secrets: { 'api-key': string };
    };
    const key = secrets['api-key'];
    await expect.poll(() => statusWith(key), EVERY).toBe(200);
    expect(await statusWith(stack.merchantKey)).toBe(200);
    run('rotate', 'teashop', 'api-key', '--retire');
    await expect.poll(() => statusWith(stack.merchantKey), EVERY).toBe(401);
    expect(await statusWith(key)).toBe(200);
    expect([key, stack.merchantKey].filter((secret) => logged.join().includes(secret))).toEqual([]);
  });

  it('opens checkouts of a merchant that was added, and none of one that was disabled', async () => {
    stack.shop.orders.set('A1', { amount: '5.00' });
    const add = [
      ...['add', 'second', '--like', 'teashop', '--name', 'Second', '--account', 'default'],
      ...['--provider-merchant-id', '1001', '--origin', 'http://shop.localhost:4100'],
      ...['--return-url', 'http://shop.localhost:4100/result?checkout={checkout}', '--json'],
    ];
    const { secrets } = JSON.parse(run(...add)) as { secrets: { 'api-key': string } };
    await expect.poll(() => statusWith(secrets['api-key']), EVERY).toBe(200);
    run('disable', 'teashop');
    await expect
      .poll(async () => (await stack.reopen('A1')).body.code, EVERY)
      .toBe('merchant_disabled');
  });
});
