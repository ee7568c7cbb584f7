import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckoutStatusReply } from '../contract.js';
import { TestStack } from '../testing/test-stack.js';

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

describe('a delivery', () => {
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

  it('that is forged never makes an order paid: it causes a look, no more', async () => {
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
});
