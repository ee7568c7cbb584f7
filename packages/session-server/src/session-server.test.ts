import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Logger, LogFields } from './logger.js';
import { TestStack } from './testing/test-stack.js';

const CANARIES = {
  name: 'Canary Nightjar',
  email: 'canary.nightjar@example.test',
  phone: '+44 0000 111222',
  address1: '77 Canary Lane',
  postcode: 'ZZ9 7CN',
};

describe('a running session server', () => {
  const logged: string[] = [];
  const keep = (fields: LogFields, message: string): void => {
    logged.push(JSON.stringify({ ...fields, message }));
  };
  const logger: Logger = { info: keep, warn: keep, error: keep };
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start({ logger });
  });
  afterAll(() => stack.close());

  it('says that it is alive, and that it can write', async () => {
    expect((await stack.fetch('/healthz')).status).toBe(200);
    expect((await stack.fetch('/readyz')).status).toBe(200);
  });

  it('describes its own HTTP: every route of the document answers', async () => {
    const { body } = await stack.fetch<{ paths: Record<string, Record<string, unknown>> }>(
      '/openapi.json',
    );
    for (const [path, operations] of Object.entries(body.paths)) {
      for (const method of Object.keys(operations)) {
        const address = path.replaceAll(/\{\w+\}/g, 'A'.repeat(28));
        const answer = await stack.fetch<{ code?: string }>(address, {
          method: method.toUpperCase(),
        });
        expect(answer.body?.code, `${method} ${path}`).not.toBe('not_found');
      }
    }
  });

  it('serves the element’s script to any page, also under a pinned name', async () => {
    const { status, headers, text } = await stack.fetch('/v1/pay-checkout.js');
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const { body: pinned } = await stack.fetch<{ script: string; integrity: string }>(
      '/v1/pay-checkout.json',
    );
    expect(pinned.integrity).toMatch(/^sha384-/);
    const same = await stack.fetch(pinned.script);
    expect(same.text).toBe(text);
    expect(same.headers.get('cache-control')).toContain('immutable');
  });

  it('answers an address that does not exist as problem JSON', async () => {
    const { status, body, headers } = await stack.fetch<{ code: string; requestId: string }>('/v2');
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect(body.requestId).toBe(headers.get('x-request-id'));
  });

  it('keeps what it acknowledged when it is stopped and started again', async () => {
    const { body: before } = await stack.open('S1', { amount: '5.00' });
    await stack.server.close();
    await stack.startServer();
    const { body: after } = await stack.reopen('S1');
    expect(after.sessionId).toBe(before.sessionId);
    expect(after.checkout).toBe(before.checkout);
  });

  it('sends an event again, with the same id and body, until the shop takes it', async () => {
    stack.shop.eventAnswers.push(500);
    const { body } = await stack.open('S2', { amount: '5.00' });
    await stack.post(`/v1/checkouts/${body.checkout}/hints`, {
      kind: 'cancelled',
      sessionId: body.sessionId,
    });
    const event = await stack.shop.event('checkout.cancelled');
    expect(event.data).toMatchObject({ order: 'S2', certain: false, sequence: 1 });
  }, 20_000);

  it('puts no secret and nothing personal into a log, an answer or an event', async () => {
    const answers: string[] = [];
    const order = {
      amount: '9.99',
      customer: { name: CANARIES.name, email: CANARIES.email, phone: CANARIES.phone },
      address: { address1: CANARIES.address1, postcode: CANARIES.postcode },
    };
    const { body, text } = await stack.open('S3', order);
    answers.push(text);
    const sessionId = body.sessionId ?? '';
    stack.sandbox.control.addFault({ operation: 'create-session', fault: 'error', status: 400 });
    answers.push((await stack.open('S4', order)).text);
    answers.push((await stack.open('S5', { ...order, amount: CANARIES.email })).text);
    await stack.payAtProvider(sessionId);
    await stack.post(stack.webhookPath(sessionId), order);
    answers.push((await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'))).text);
    await stack.until(body.checkout, 'paid');
    await stack.shop.event('checkout.paid');
    answers.push(
      (
        await stack.fetch('/v1/merchant/orders/S3', {
          headers: { authorization: `Bearer ${stack.merchantKey}` },
        })
      ).text,
    );
    const everything = [...answers, ...logged, ...stack.shop.events.map((event) => event.body)];
    const secrets = [stack.orderTokenSecret, stack.signingSecret, 'sandbox-key-for-tests'];
    for (const canary of [...Object.values(CANARIES), stack.merchantKey, ...secrets]) {
      expect(everything.filter((text) => text.includes(canary))).toEqual([]);
    }
    expect(logged.length).toBeGreaterThan(0);
  }, 20_000);
});
