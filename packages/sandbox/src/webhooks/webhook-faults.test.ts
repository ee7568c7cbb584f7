import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startReceiver, startSandbox, type TestSandbox } from '../testing/test-sandbox.js';

const APPROVED = '9000000000000001';
const KEY = 'invented-webhook-url-key';

/** Pays a session that sends to the address, with a fault of its webhook. */
async function payWithFault(test: TestSandbox, WebhookUrl: string, fault: object) {
  const answer = await test.post('/_sandbox/faults', { operation: 'webhook', ...fault });
  expect(answer.status).toBe(201);
  await test.pay(await test.openSession({ WebhookUrl }), APPROVED);
}

const attempts = (test: TestSandbox) =>
  test.sandbox.control
    .deliveries()
    .map(({ attempt, status, error, fault }) => [attempt, status ?? error, fault]);

it('a lost webhook is not sent, and not retried', async () => {
  const test = await startSandbox({ webhookPausesSeconds: [0] });
  const receiver = await startReceiver();
  await payWithFault(test, receiver.url, { fault: 'lost' });
  await expect.poll(() => attempts(test)).toEqual([[1, 'lost', 'lost']]);
  await test.pay(await test.openSession({ order_id: 72, WebhookUrl: receiver.url }), APPROVED);
  await receiver.whenReceived(1);
  expect(receiver.received[0]?.text).toContain('"order_id":72');
});

it('a reset webhook begins, is cut in its body, and is retried', async () => {
  const test = await startSandbox({ webhookPausesSeconds: [0] });
  const cut: string[] = [];
  const whole: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (data: Buffer) => (text += data.toString()));
    request.on('error', () => cut.push(text));
    request.on('end', () => {
      whole.push(text);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  await payWithFault(test, `http://127.0.0.1:${port}/`, { fault: 'reset' });
  await expect
    .poll(() => attempts(test))
    .toEqual([
      [1, 'ECONNRESET', 'reset'],
      [2, 200, undefined],
    ]);
  expect(whole).toHaveLength(1);
  await expect.poll(() => cut).toEqual([whole[0]?.slice(0, Math.floor(whole[0].length / 2))]);
});

it('a duplicate webhook comes twice, under one id, signed alike', async () => {
  const test = await startSandbox({
    webhookSigning: { header: 'x-signature', idHeader: 'x-id' },
    webhookUrlKey: KEY,
  });
  const receiver = await startReceiver();
  await payWithFault(test, receiver.url, { fault: 'duplicate' });
  await receiver.whenReceived(2);
  const [first, second] = receiver.received;
  expect(second?.text).toBe(first?.text);
  for (const header of ['x-id', 'x-signature']) {
    expect(first?.headers[header]).toBeDefined();
    expect(second?.headers[header]).toBe(first?.headers[header]);
  }
  await expect
    .poll(() => attempts(test))
    .toEqual([
      [1, 200, 'duplicate'],
      [2, 200, 'duplicate'],
    ]);
});

it('a webhook with a wrong signature is genuine otherwise, and the retry is signed right', async () => {
  const test = await startSandbox({
    webhookSigning: { header: 'x-signature' },
    webhookUrlKey: KEY,
    webhookPausesSeconds: [0],
  });
  const receiver = await startReceiver([401]);
  await payWithFault(test, receiver.url, { fault: 'wrong-signature' });
  await receiver.whenReceived(2);
  const [wrong, right] = receiver.received;
  expect(wrong?.text).toBe(right?.text);
  const signature = createHmac('sha256', KEY)
    .update(right?.text ?? '')
    .digest('hex');
  expect(right?.headers['x-signature']).toBe(signature);
  expect(wrong?.headers['x-signature']).toMatch(/^[0-9a-f]{64}$/);
  expect(wrong?.headers['x-signature']).not.toBe(signature);
});

it('a webhook is late by a time of the range, or slow in its body', async () => {
  const test = await startSandbox();
  const receiver = await startReceiver();
  await payWithFault(test, receiver.url, { fault: 'wait', latencySeconds: [600, 900] });
  await expect.poll(() => test.sandbox.control.faults().queued).toEqual([]);
  await test.post('/_sandbox/clock', { advanceSeconds: 599 });
  expect(receiver.received).toEqual([]);
  await test.post('/_sandbox/clock', { advanceSeconds: 301 });
  await receiver.whenReceived(1);
  await payWithFault(test, receiver.url, { fault: 'slow-body', seconds: 0.1 });
  await receiver.whenReceived(2);
  expect(receiver.received[1]?.headers['transfer-encoding']).toBe('chunked');
  expect(receiver.received[1]?.text).toContain('payment.paid');
});

it('the webhook test meets faults, too, and reports them in its reply', async () => {
  const test = await startSandbox();
  const receiver = await startReceiver();
  const created = await test.post('/developer-service/webhooks/create', { url: receiver.url });
  const { webhook_id: webhookId } = created.body['data'] as { webhook_id: string };
  test.sandbox.control.addFault({ operation: 'webhook', fault: 'lost' });
  const { body } = await test.post('/developer-service/webhooks/test', { webhookId });
  expect(body['data']).toMatchObject({ status_code: 0 });
  expect(receiver.received).toEqual([]);
});

it('a webhook has no fault of an answer', async () => {
  const test = await startSandbox();
  const answer = await test.post('/_sandbox/faults', { operation: 'webhook', fault: 'error' });
  expect([answer.status, answer.body['errors']]).toMatchObject([400, [{ field: 'fault' }]]);
});
