import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startReceiver, startSandbox, type TestSandbox } from '../testing/test-sandbox.js';

const APPROVED = '9000000000000001';
const CREATE = '/developer-service/webhooks/create';
const TEST = '/developer-service/webhooks/test';

interface Created {
  readonly webhook_id: string;
  readonly hmac_key: string;
}

async function create(test: TestSandbox, body: object): Promise<Created> {
  return (await test.post(CREATE, body)).body['data'] as Created;
}

async function startSilentServer(): Promise<string> {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('POST /developer-service/webhooks/create', () => {
  it('generates a key of 256 bits, and shows it in full only once', async () => {
    const test = await startSandbox();
    const created = await create(test, { url: 'https://platform.example/hooks/secret-path' });
    expect(created.hmac_key).toMatch(/^[0-9a-f]{64}$/);
    const shown = await test.send('GET', '/_sandbox/webhooks');
    expect(shown.body['webhooks']).toEqual([
      {
        webhook_id: created.webhook_id,
        to: 'https://platform.example',
        events: [],
        hmac_key: `********${created.hmac_key.slice(-4)}`,
      },
    ]);
    const everything = await Promise.all(
      ['/', '/_sandbox/requests', '/_sandbox/webhooks', '/_sandbox/deliveries'].map((path) =>
        test.send('GET', path),
      ),
    );
    for (const { text } of everything) {
      expect(text).not.toContain(created.hmac_key);
      expect(text).not.toContain('secret-path');
    }
  });

  it('keeps a given key, and can write a generated one in other formats', async () => {
    const test = await startSandbox({ hmacKeyFormat: 'whsec' });
    const body = { url: 'https://platform.example/', hmac_key: 'short' };
    expect((await create(test, body)).hmac_key).toBe('short');
    expect((await create(test, { url: body.url })).hmac_key).toMatch(/^whsec_.{44}$/);
    expect(test.sandbox.control.endpoints()[0]?.hmac_key).toBe('********');
  });

  it('makes a second endpoint for the same URL', async () => {
    const test = await startSandbox();
    const body = { url: 'https://platform.example/', events: ['payment'], description: 'Both' };
    expect((await create(test, body)).webhook_id).not.toBe((await create(test, body)).webhook_id);
    expect(test.sandbox.control.endpoints()).toHaveLength(2);
  });

  it.each([
    ['url', undefined],
    ['url', 'ftp://platform.example/'],
    ['events', 'payment'],
    ['hmac_key', ''],
    ['secret', 'x'],
  ])('refuses %s = %j by name', async (field, value) => {
    const test = await startSandbox();
    const body = { url: 'https://platform.example/', [field]: value };
    const answer = await test.post(CREATE, body);
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toMatchObject([{ field }]);
    expect(test.sandbox.control.endpoints()).toEqual([]);
  });
});

describe('a payment', () => {
  it('is sent to every registered endpoint and to WebhookUrl, unsigned', async () => {
    const test = await startSandbox();
    const first = await startReceiver();
    const second = await startReceiver();
    const own = await startReceiver();
    await create(test, { url: first.url });
    await create(test, { url: second.url });
    await test.pay(await test.openSession({ WebhookUrl: own.url }), APPROVED);
    await Promise.all([first, second, own].map((receiver) => receiver.whenReceived(1)));
    expect(first.received[0]?.text).toBe(own.received[0]?.text);
    expect(JSON.stringify(first.received[0]?.headers)).not.toContain('signature');
    await expect
      .poll(() =>
        test.sandbox.control.deliveries().map(({ endpointId }) => endpointId !== undefined),
      )
      .toEqual(expect.arrayContaining([true, true, false]));
  });

  it('has a replaceable payload', async () => {
    const receiver = await startReceiver();
    const test = await startSandbox({
      webhookPayload: ({ row, endpoint }) => ({ id: row.id, to: endpoint?.description }),
    });
    await create(test, { url: receiver.url, description: 'ours' });
    await test.pay(await test.openSession(), APPROVED);
    await receiver.whenReceived(1);
    const [id] = await test.listIds();
    expect(JSON.parse(receiver.received[0]?.text ?? '')).toEqual({ id, to: 'ours' });
  });
});

describe('POST /developer-service/webhooks/test', () => {
  it('posts {event: test} and returns what the endpoint answered', async () => {
    const test = await startSandbox();
    const receiver = await startReceiver([], 'thanks');
    const { webhook_id: webhookId } = await create(test, { url: receiver.url });
    const answer = await test.post(TEST, { webhookId, resellerId: 7001 });
    expect(answer.body).toEqual({ data: { status_code: 200, response: 'thanks' } });
    expect(receiver.received.map(({ text }) => text)).toEqual(['{"event":"test"}']);
  });

  it.each([500, 404, 301])('reports a %d inside the reply, once', async (status) => {
    const test = await startSandbox();
    const receiver = await startReceiver([status], 'no');
    const { webhook_id: webhookId } = await create(test, { url: receiver.url });
    const answer = await test.post(TEST, { webhookId });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ data: { status_code: status, response: 'no' } });
    expect(receiver.received).toHaveLength(1);
  });

  it('reports a timeout inside the reply', async () => {
    const test = await startSandbox({ webhookTimeoutSeconds: 0.05, noAnswerStatusCode: 504 });
    const { webhook_id: webhookId } = await create(test, { url: await startSilentServer() });
    const answer = await test.post(TEST, { webhookId });
    expect(answer.status).toBe(200);
    expect(answer.body['data']).toEqual({
      status_code: 504,
      response: 'The endpoint did not answer within 0.05 seconds.',
    });
  });

  it('waits ten seconds by default', async () => {
    const { completeSettings } = await import('../settings.js');
    expect(completeSettings({ apiKey: 'x' }).webhookTimeoutSeconds).toBe(10);
  });

  it('reports an unreachable endpoint inside the reply', async () => {
    const test = await startSandbox();
    const { webhook_id: webhookId } = await create(test, { url: 'http://127.0.0.1:1/' });
    const answer = await test.post(TEST, { webhookId });
    expect(answer.body['data']).toMatchObject({ status_code: 0 });
  });

  it('answers 404 for an unknown webhookId, and refuses by name', async () => {
    const test = await startSandbox();
    expect((await test.post(TEST, { webhookId: 'wh_9' })).status).toBe(404);
    const bad = await test.post(TEST, { webhookId: 7, resellerId: 'x' });
    expect(bad.body['errors']).toMatchObject([{ field: 'webhookId' }, { field: 'resellerId' }]);
  });
});
