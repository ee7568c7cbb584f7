import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestStack } from '../testing/test-stack.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.close());

it('an answer that is data is rendered and framed by no one, whatever its route', async () => {
  const { body } = await stack.open('A1', { amount: '9.99' });
  const webhook = stack.webhookPath(body.sessionId ?? '');
  const answers = await Promise.all([
    stack.fetch(`/v1/checkouts?id=${body.checkout}:0`),
    stack.fetch('/v1/checkout-config?merchant=teashop'),
    stack.fetch(`/v1/checkouts/${body.checkout}/hints`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"kind":"shown"}',
    }),
    stack.fetch(webhook, { method: 'POST', body: 'any' }),
    stack.fetch('/v1/merchant/orders/A1', {
      headers: { authorization: `Bearer ${stack.merchantKey}` },
    }),
    stack.fetch('/v1/elsewhere'),
    stack.fetch('/healthz'),
    stack.fetch('/readyz'),
    stack.fetch('/openapi.json'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([
    200, 200, 200, 204, 200, 404, 200, 200, 200,
  ]);
  for (const { headers } of answers) {
    expect(headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  }
});

it('no answer says how the host name is to be reached: that is of the proxy, which speaks TLS', async () => {
  const { body } = await stack.open('A2', { amount: '9.99' });
  const paths = [
    `/v1/checkouts?id=${body.checkout}:0`,
    '/v1/pay-checkout.js',
    `/v1/pay/teashop/${stack.token('A2')}`,
    stack.returnPath(body.sessionId ?? '', 'CancelUrl'),
    '/v1/return/unknown',
    '/v1/elsewhere',
  ];
  for (const path of paths) {
    const { headers } = await stack.fetch(path);
    expect(headers.get('strict-transport-security'), path).toBeNull();
  }
  for (const name of ['nginx.conf', 'Caddyfile']) {
    const file = readFileSync(new URL(`../../../../ops/${name}`, import.meta.url), 'utf8');
    expect(file).toContain('Strict-Transport-Security "max-age=31536000"');
  }
});
