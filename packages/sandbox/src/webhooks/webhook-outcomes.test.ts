import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startReceiver, startSandbox, type TestSandbox } from '../testing/test-sandbox.js';

const KEY = 'invented-webhook-url-key';

interface Delivered {
  readonly status: string;
  readonly session_id: string;
  readonly transaction_id: string;
}

function read(received: { text: string } | undefined): Delivered {
  return JSON.parse(received?.text ?? '{}') as Delivered;
}

/** A sandbox whose session sends to `WebhookUrl` and to an endpoint, which are one receiver here. */
async function start(options: Parameters<typeof startSandbox>[0] = {}, statuses: number[] = []) {
  const test = await startSandbox({ webhookPausesSeconds: [], ...options });
  const receiver = await startReceiver(statuses);
  const session = await test.openSession({ WebhookUrl: receiver.url, CancelUrl: receiver.url });
  return { test, receiver, session };
}

const control = (test: TestSandbox, path: string, body: unknown = {}) =>
  test.post(`/_sandbox${path}`, body);

describe('the outcomes that are sent', () => {
  it.each([
    ['declined', 'FAILED', '/pay', { scenario: 'declined' }],
    ['expired', 'EXPIRED', '/expire', {}],
    ['paid', 'SUCCESS', '/pay', {}],
  ])('%s: as %s', async (_outcome, status, path, body) => {
    const { test, receiver, session } = await start();
    await control(test, `/sessions/${session}${path}`, body);
    await receiver.whenReceived(1);
    expect(read(receiver.received[0])).toMatchObject({ status, session_id: session });
  });

  it('cancelled: when the shopper opens CancelUrl', async () => {
    const { test, receiver, session } = await start();
    await control(test, `/sessions/${session}/cancel`);
    await receiver.whenReceived(2);
    expect(receiver.received.map((each) => each.text).join(' ')).toContain('CANCELLED');
  });

  it('refunded: with the transaction that was paid', async () => {
    const { test, receiver, session } = await start();
    await control(test, `/sessions/${session}/pay`);
    const [id] = await test.listIds();
    await control(test, `/transactions/${String(id)}/refund`, { amount: '1.00' });
    await receiver.whenReceived(2);
    const delivered = receiver.received.map(read);
    expect(delivered.find(({ status }) => status === 'REFUNDED')).toMatchObject({
      transaction_id: id,
    });
  });

  it('expired: when the clock passes the end of the session', async () => {
    const { test, receiver } = await start();
    await control(test, '/clock', { advanceSeconds: 86_401 });
    await receiver.whenReceived(1);
    expect(read(receiver.received[0])).toMatchObject({ status: 'EXPIRED' });
  });

  it('are those of the switch, as often as the switch says', async () => {
    const { test, receiver, session } = await start({
      webhookOutcomes: ['paid'],
      webhookCopies: 2,
    });
    await control(test, `/sessions/${session}/pay`, { scenario: 'declined' });
    await control(test, `/sessions/${session}/pay`);
    await receiver.whenReceived(2);
    expect(receiver.received.map((each) => read(each).status)).toEqual(['SUCCESS', 'SUCCESS']);
  });
});

describe('a webhook to WebhookUrl', () => {
  it('is signed with its own key by the scheme', async () => {
    const signing = { webhookSigning: { header: 'x-signature' }, webhookUrlKey: KEY };
    const { test, receiver, session } = await start(signing);
    await control(test, `/sessions/${session}/pay`);
    await receiver.whenReceived(1);
    const [first] = receiver.received;
    const expected = createHmac('sha256', KEY).update(first?.text ?? '');
    expect(first?.headers['x-signature']).toBe(expected.digest('hex'));
    expect((await test.send('GET', '/_sandbox/deliveries')).text).not.toContain(KEY);
  });

  it('is forged with another key, about a payment that is not in the list', async () => {
    const signing = { webhookSigning: { header: 'x-signature' }, webhookUrlKey: KEY };
    const { test, receiver, session } = await start(signing);
    await control(test, '/webhooks/forge', { session });
    await receiver.whenReceived(1);
    const [first] = receiver.received;
    expect(read(first)).toMatchObject({ status: 'SUCCESS', session_id: session });
    const genuine = createHmac('sha256', KEY).update(first?.text ?? '');
    expect(first?.headers['x-signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(first?.headers['x-signature']).not.toBe(genuine.digest('hex'));
    expect(await test.listIds()).toEqual([]);
  });
});

describe('webhooks by the control routes', () => {
  it('are sent and resent: the same body under the same id', async () => {
    const { test, receiver, session } = await start();
    const { body } = await control(test, '/webhooks/send', { session, outcome: 'declined' });
    const [id] = body['webhooks'] as string[];
    await receiver.whenReceived(1);
    await expect.poll(() => test.sandbox.control.deliveries()).toHaveLength(1);
    const again = await control(test, `/webhooks/${String(id)}/resend`);
    expect(again.body).toMatchObject({ webhook: id, attempt: 2, status: 200 });
    expect(receiver.received.map(({ text }) => text)).toEqual([
      receiver.received[0]?.text,
      receiver.received[0]?.text,
    ]);
    expect((await control(test, '/webhooks/none/resend')).status).toBe(404);
  });

  it('go out last first', async () => {
    const { test, receiver, session } = await start();
    await control(test, '/webhooks/reorder', { count: 2 });
    await control(test, '/webhooks/send', { session, outcome: 'declined' });
    await control(test, '/webhooks/send', { session, outcome: 'paid' });
    await receiver.whenReceived(2);
    expect(receiver.received.map((each) => read(each).status)).toEqual(['SUCCESS', 'FAILED']);
  });

  it('are late, and retried, by the clock of the sandbox', async () => {
    const pauses = { webhookDelaySeconds: 3600, webhookPausesSeconds: [7200] };
    const { test, receiver, session } = await start(pauses, [500]);
    await control(test, `/sessions/${session}/pay`);
    expect(receiver.received).toEqual([]);
    await control(test, '/clock', { advanceSeconds: 3600 });
    await receiver.whenReceived(1);
    await expect.poll(() => test.sandbox.control.deliveries()).toHaveLength(1);
    await control(test, '/clock', { advanceSeconds: 7200 });
    await receiver.whenReceived(2);
    await expect
      .poll(() => test.sandbox.control.deliveries().map(({ status }) => status))
      .toEqual([500, 200]);
  });

  it('do not outlive a reset', async () => {
    const { test, receiver, session } = await start({ webhookDelaySeconds: 60 });
    await control(test, `/sessions/${session}/pay`);
    await control(test, '/reset');
    await control(test, '/clock', { advanceSeconds: 61 });
    const next = await test.openSession({ WebhookUrl: receiver.url });
    await control(test, '/webhooks/send', { session: next });
    await control(test, '/clock', { advanceSeconds: 61 });
    await receiver.whenReceived(1);
    expect(receiver.received.map((each) => read(each).session_id)).toEqual([next]);
  });
});

describe('the clock', () => {
  it('is the Date of each answer', async () => {
    const test = await startSandbox();
    await control(test, '/clock', { now: '2031-05-01T12:00:00.000Z' });
    const { headers } = await test.createSession();
    expect(headers.get('date')).toMatch(/^Thu, 01 May 2031 12:00:0/);
  });

  it('starts over with other transactions, of the seed', async () => {
    const test = await startSandbox({ history: { count: 3 } });
    const before = await test.listIds();
    await control(test, '/reset', { seed: 'other' });
    expect(await test.listIds()).not.toEqual(before);
    await control(test, '/reset');
    expect(await test.listIds()).toEqual(before);
  });
});
