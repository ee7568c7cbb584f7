import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogFields } from './logger.js';
import { TestStack } from './testing/test-stack.js';

describe('a running session server', () => {
  let stack: TestStack;
  const errors: string[] = [];
  beforeAll(async () => {
    const error = (_: LogFields, message: string): void => void errors.push(message);
    const quiet = (): void => undefined;
    stack = await TestStack.start({ logger: { debug: quiet, info: quiet, warn: quiet, error } });
  });
  afterAll(() => stack.close());

  it('says that it is alive, and that it can write', async () => {
    expect((await stack.fetch('/healthz')).status).toBe(200);
    const { status, body } = await stack.fetch('/readyz');
    const queueSeconds = { webhooks: 0, events: 0, polls: 0 };
    expect([status, body]).toEqual([
      200,
      { status: 'ok', database: 'ok', migrations: 'ok', queueSeconds },
    ]);
  });

  it('describes its own HTTP: every route of the document answers', async () => {
    const { body } = await stack.fetch<{ paths: Record<string, Record<string, unknown>> }>(
      '/openapi.json',
    );
    for (const [path, operations] of Object.entries(body.paths)) {
      for (const method of Object.keys(operations)) {
        const address = path.replaceAll(/\{\w+\}/g, 'A'.repeat(30));
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
    expect(stack.shop.refused).toEqual([event]);
  });

  it('stops within some seconds while a shop hangs, and delivers after the next start', async () => {
    const arrived = stack.shop.hang();
    const { body } = await stack.open('S3', { amount: '5.00' });
    await stack.post(`/v1/checkouts/${body.checkout}/hints`, {
      kind: 'cancelled',
      sessionId: body.sessionId,
    });
    const id = await arrived;
    await stack.server.close();
    await stack.startServer();
    await expect.poll(() => stack.shop.events.map((event) => event.id)).toContain(id);
    expect(errors).toEqual([]);
  });
});
