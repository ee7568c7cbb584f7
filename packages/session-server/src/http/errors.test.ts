import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../contract.js';
import type { LogFields } from '../logger.js';
import { TestStack } from '../testing/test-stack.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.close());

describe('an address that is not percent-encoded UTF-8', () => {
  it.each([
    '/v1/return/%zz',
    '/v1/pay/teashop/%ff',
    '/v1/checkouts/%ff/leave?kind=return',
    '/v1/merchant/orders/%zz',
  ])('is named as what is wrong: %s', async (path) => {
    const { status, body } = await stack.fetch<Problem>(path);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.detail).toContain('address');
  });
});

describe('an error of a route whose answers are pages', () => {
  it.each([
    '/v1/checkouts/unknown/leave?kind=return',
    '/v1/return/%zz',
    '/v1/pay/teashop/%zz',
    '/v1/assets/%zz',
  ])('is kept, framed and sniffed as little as any other data: %s', async (path) => {
    const { status, headers } = await stack.fetch(path);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('the log of a request that failed', () => {
  it('names the merchant whose shop could not price an order', async () => {
    const lines: LogFields[] = [];
    const silent = () => undefined;
    const logger = {
      debug: silent,
      info: silent,
      warn: silent,
      error: (line: LogFields) => lines.push(line),
    };
    const logged = await TestStack.start({ logger });
    try {
      const { body } = await logged.open('L1', { amount: 'free' });
      expect(body.code).toBe('order_amount_refused');
      const { requestId, code } = body;
      expect(lines).toMatchObject([{ requestId, code, merchant: 'teashop' }]);
    } finally {
      await logged.close();
    }
  });

  it('has what was answered and what the provider answered, each under a name of its own', async () => {
    const lines: LogFields[] = [];
    const silent = () => undefined;
    const error = (line: LogFields) => lines.push(line);
    const logger = { debug: silent, info: silent, warn: silent, error };
    const logged = await TestStack.start({ logger });
    try {
      logged.sandbox.control.addFault({ operation: 'create-session', fault: 'error', status: 400 });
      const { status, body } = await logged.open('L2', { amount: '9.99' });
      expect([status, body.code]).toEqual([502, 'provider_refused']);
      expect(lines.filter(({ code }) => code === body.code)).toMatchObject([
        {
          ...{ status: 502, detail: body.detail, error: 'RequestRefusedError' },
          ...{ providerStatus: 400, causeDetail: expect.stringContaining('(400)') as string },
        },
      ]);
    } finally {
      await logged.close();
    }
  });
});

it('an amount that is refused is shown as one of the currency would be written', async () => {
  const yen = await TestStack.start({ merchant: { currency: 'JPY', split: [] } });
  try {
    const { body } = await yen.open('J1', { amount: '500.50', currency: 'JPY' });
    expect(body).toMatchObject({
      code: 'order_amount_refused',
      detail: expect.stringContaining('such as "1234"') as string,
    });
  } finally {
    await yen.close();
  }
});
