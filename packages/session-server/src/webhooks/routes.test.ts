import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckoutStatusReply, Problem } from '../contract.js';
import { TestStack } from '../testing/test-stack.js';

/** What every answer that is data carries. */
const DATA_HEADERS = [
  'cache-control',
  'content-security-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
];

const toCode = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`;

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.close());

async function opened(order: string) {
  const { body } = await stack.open(order, { amount: '9.99' });
  const sessionId = body.sessionId ?? '';
  return { checkout: body.checkout, sessionId, path: stack.webhookPath(sessionId) };
}

async function stateOf(checkout: string): Promise<string | undefined> {
  const { body } = await stack.fetch<CheckoutStatusReply>(`/v1/checkouts?id=${checkout}:0`);
  return body.checkouts[0]?.state;
}

const listCalls = (): number =>
  stack.sandbox.control.requests().filter(({ operation }) => operation === 'transactions-list')
    .length;

describe('a webhook', () => {
  it.each([
    ['JSON', 'application/json', '{"status":"SUCCESS"}'],
    ['a form', 'application/x-www-form-urlencoded', 'status=SUCCESS'],
    ['bytes', 'application/octet-stream', '\u0000\u0001'],
    ['nothing', '', ''],
    ['broken JSON', 'application/json', '{'],
  ])('with %s as its body is taken', async (_what, type, body) => {
    const { path } = await opened('A1');
    const { status } = await stack.fetch(path, {
      method: 'POST',
      headers: type === '' ? {} : { 'content-type': type },
      body,
    });
    expect(status).toBe(204);
  });

  it('that is forged never makes an order paid: it triggers a poll, no more', async () => {
    const { checkout, path } = await opened('A2');
    const before = listCalls();
    await stack.post(path, { status: 'SUCCESS', state: 'paid', amount: 9.99 });
    await expect.poll(listCalls).toBeGreaterThan(before + 1);
    expect(await stateOf(checkout)).toBe('open');
  });

  it('to an address that was never given out is a 404', async () => {
    const { status } = await stack.post(`/v1/webhooks/${'A'.repeat(22)}`, {});
    expect(status).toBe(404);
  });

  it('to the token of a return address is a 404', async () => {
    const { sessionId } = await opened('A3');
    const token = stack.returnPath(sessionId, 'RedirectUrl').split('/').at(-1) ?? '';
    expect((await stack.post(`/v1/webhooks/${token}`, {})).status).toBe(404);
  });

  it('that is too large is refused', async () => {
    const { path } = await opened('A4');
    const { status } = await stack.fetch(path, { method: 'POST', body: 'x'.repeat(300_000) });
    expect(status).toBe(413);
  });

  it('that does not say how large it is is refused when it grows too large', async () => {
    const { path } = await opened('A5');
    const chunk = new Uint8Array(10_000).fill(120);
    let chunks = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1;
        if (chunks > 30) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const answer = await fetch(`${stack.url}${path}`, { method: 'POST', body, duplex: 'half' });
    expect(answer.status).toBe(413);
  });

  it.each([
    ['with a slash at its end', (path: string) => `${path}/`],
    ['with a query', (path: string) => `${path}?from=provider`],
    ['in capitals', (path: string) => path.replace('/v1/webhooks', '/V1/WEBHOOKS')],
    ['with letters as codes', (path: string) => path.replace(/.$/, toCode)],
  ])('is taken at its address %s', async (_how, change) => {
    const { path } = await opened('A6');
    expect((await stack.fetch(change(path), { method: 'POST', body: '{}' })).status).toBe(204);
  });

  it('is taken at its address with a host, as a proxy may ask', async () => {
    const { path } = await opened('A7');
    const { hostname, port } = new URL(stack.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const options = { hostname, port, method: 'POST', path: `http://pay.localhost:4200${path}` };
      const asked = request(options, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.once('error', reject).end('{}');
    });
    expect(status).toBe(204);
  });

  it.each([
    ['below its address', 404, (path: string) => `${path}/more`],
    ['at an address without a token', 404, (path: string) => path.replace(/[^/]+$/, '')],
    ['at an address that cannot be decoded', 400, (path: string) => `${path}%zz`],
  ])('is refused %s', async (_where, expected, change) => {
    const { path } = await opened('A8');
    const { status } = await stack.fetch(change(path), { method: 'POST', body: '{}' });
    expect(status).toBe(expected);
  });

  it('cannot be asked for: its address answers nothing but POST', async () => {
    const { path } = await opened('A9');
    expect((await stack.fetch(path)).status).toBe(404);
  });

  it.each([
    ['taken', 204, '{}', undefined],
    ['a test', 200, '{"event":"test"}', undefined],
    ['too large', 413, 'x'.repeat(300_000), 'body_too_large'],
    ['for an unknown address', 404, '{}', 'webhook_not_found'],
  ])('that is %s is answered as data, under an id of its own', async (_what, code, body, error) => {
    const { path } = await opened('A10');
    const address = code === 404 ? path.replace(/....$/, 'AAAA') : path;
    const send = () => stack.fetch<Problem>(address, { method: 'POST', body });
    const [one, two] = [await send(), await send()];
    expect(one.status).toBe(code);
    expect(one.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(two.headers.get('x-request-id')).not.toBe(one.headers.get('x-request-id'));
    const health = await stack.fetch('/healthz');
    for (const name of DATA_HEADERS) {
      expect(one.headers.get(name), name).toBe(health.headers.get(name));
      expect(one.headers.get(name), name).not.toBeNull();
    }
    if (error === undefined) return;
    expect(one.headers.get('content-type')).toContain('application/problem+json');
    expect(one.body).toMatchObject({
      code: error,
      status: code,
      requestId: one.headers.get('x-request-id'),
    });
  });
});
