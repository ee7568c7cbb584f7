import { afterEach, describe, expect, it } from 'vitest';
import type { TuningChanges } from '../config.js';
import type { Logger } from '../logger.js';
import { TestStack } from '../testing/test-stack.js';

let stack: TestStack;
const warnings: string[] = [];
const logger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields, message) => void warnings.push(JSON.stringify({ ...fields, message })),
  error: () => undefined,
};

async function start(
  env: Readonly<Record<string, string>>,
  tuning: TuningChanges = {},
): Promise<void> {
  warnings.length = 0;
  stack = await TestStack.start({ env, tuning, logger });
}
afterEach(() => stack.close());

/** An invented address, another one each time. */
const madeUp = (at: number) => ({ 'x-forwarded-for': `198.51.100.${String(at)}` });

describe('a server without a configured proxy', () => {
  it('believes no address of a header: a client that invents one each time is limited all the same', async () => {
    const rateLimits = { createPerAddress: 2, statusPerAddress: 2, wrongKeysPerAddress: 2 };
    await start({ PAY_TRUST_PROXY: '0' }, { rateLimits });
    const ways: ((at: number) => Promise<{ status: number }>)[] = [
      (at) => stack.post('/v1/checkouts', {}, madeUp(at)),
      (at) => stack.fetch('/v1/checkouts', { headers: madeUp(at) }),
      (at) =>
        stack.fetch('/v1/merchant/orders/A1', {
          headers: { authorization: `Bearer guess-${String(at)}`, ...madeUp(at) },
        }),
    ];
    const answers = [];
    for (const ask of ways) {
      for (let at = 1; at <= 3; at += 1) answers.push((await ask(at)).status);
    }
    expect(answers).toEqual([400, 400, 429, 400, 400, 429, 401, 401, 429]);
  });

  it.each([
    ['x-forwarded-for', '198.51.100.7'],
    ['forwarded', 'for=198.51.100.7;proto=https'],
  ])(
    'says once that one stands before it, when there is a header of one: %s',
    async (name, value) => {
      await start({});
      await stack.fetch('/healthz');
      expect(warnings).toEqual([]);
      const headers = { [name]: value };
      await stack.fetch('/healthz', { headers });
      await stack.post('/v1/checkouts', {}, headers);
      const message = 'a proxy stands before the server, and PAY_TRUST_PROXY is 0';
      expect(warnings).toEqual([JSON.stringify({ message })]);
    },
  );
});

describe('a server with configured proxies', () => {
  it.each(['1', '127.0.0.1'])('says nothing of their headers: %s', async (proxies) => {
    await start({ PAY_TRUST_PROXY: proxies });
    await stack.fetch('/healthz', { headers: madeUp(1) });
    expect(warnings).toEqual([]);
  });
});
