import { describe, expect, it } from 'vitest';
import { startReceiver, startSandbox } from './testing/test-sandbox.js';

const APPROVED = '9000000000000001';
const DECLINED = '9000000000000019';
const CHALLENGED = '9000000000000027';
const LISTED_LATE = '9000000000000035';
const NEVER_RETURNS = '9000000000000043';
const WEBHOOK_TWICE = '9000000000000050';
const WEBHOOK_MISSING = '9000000000000068';
const SLOW = '9000000000000076';
const EXPIRED = '9000000000000084';

const RedirectUrl = 'https://pay.example/return';

describe('paying a session', () => {
  it('approves once, and answers a second submission with the same outcome', async () => {
    const test = await startSandbox();
    const session = await test.openSession({ RedirectUrl });
    const approved = { outcome: 'approved', redirectUrl: RedirectUrl };
    expect((await test.pay(session, APPROVED)).body).toEqual(approved);
    expect((await test.pay(session, APPROVED)).body).toEqual(approved);
    expect((await test.pay(session, DECLINED)).body).toEqual(approved);
    expect(await test.listIds()).toHaveLength(1);
  });

  it('approves once when two submissions run at the same time', async () => {
    const test = await startSandbox({
      scenarios: [
        {
          name: 'slow',
          cardNumber: SLOW,
          title: 'Slow',
          description: 'Approved after a moment.',
          decision: 'approve',
          takesSeconds: 0.05,
        },
      ],
    });
    const session = await test.openSession();
    const answers = await Promise.all([test.pay(session, SLOW), test.pay(session, SLOW)]);
    expect(answers.map(({ body }) => body['outcome'])).toEqual(['approved', 'approved']);
    expect(await test.listIds()).toHaveLength(1);
  });

  it('declines, and lets another card pay the same session', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    expect((await test.pay(session, DECLINED)).body).toMatchObject({ outcome: 'declined' });
    expect(await test.listIds()).toEqual([]);
    expect((await test.pay(session, APPROVED)).body).toEqual({ outcome: 'approved' });
  });

  it('asks for a code: a wrong one and a cancel decline, the right one approves', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    const answer = async (body: object) => {
      expect((await test.pay(session, CHALLENGED)).body).toEqual({ outcome: 'challenge' });
      return (await test.post(`/pages/sessions/${session}/challenge`, body)).body['outcome'];
    };
    expect(await answer({ code: '1111' })).toBe('declined');
    expect(await answer({ cancel: true })).toBe('declined');
    expect(await test.listIds()).toEqual([]);
    expect(await answer({ code: '1234' })).toBe('approved');
    expect(await test.listIds()).toHaveLength(1);
  });

  it('does not approve a code when no card waits for one', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    const { body } = await test.post(`/pages/sessions/${session}/challenge`, { code: '1234' });
    expect(body).toMatchObject({ outcome: 'declined' });
    expect(await test.listIds()).toEqual([]);
  });

  it('lists a late transaction only after its time, in the order of payment', async () => {
    const test = await startSandbox();
    await test.pay(await test.openSession({ order_id: 1 }), LISTED_LATE);
    test.sandbox.control.clock.advance(19);
    await test.pay(await test.openSession({ order_id: 2 }), APPROVED);
    const orders = async () =>
      (await test.list()).data.transactions.map(({ resellerOrderId }) => resellerOrderId);
    expect(await orders()).toEqual(['2']);
    test.sandbox.control.clock.advance(1);
    expect(await orders()).toEqual(['2', '1']);
  });

  it('approves without sending the shopper back', async () => {
    const test = await startSandbox();
    const session = await test.openSession({ RedirectUrl });
    expect((await test.pay(session, NEVER_RETURNS)).body).toEqual({ outcome: 'approved' });
    expect(await test.listIds()).toHaveLength(1);
  });

  it('expires a session, which can then never be paid', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    expect((await test.pay(session, EXPIRED)).body).toEqual({ outcome: 'expired' });
    expect((await test.pay(session, APPROVED)).body).toEqual({ outcome: 'expired' });
    expect(await test.listIds()).toEqual([]);
  });

  it('expires a session by the clock', async () => {
    const test = await startSandbox({ sessionLifetimeSeconds: 60 });
    const session = await test.openSession();
    test.sandbox.control.clock.advance(60);
    expect((await test.pay(session, APPROVED)).body).toEqual({ outcome: 'expired' });
    expect(test.sandbox.control.sessions()).toMatchObject([{ state: 'expired' }]);
  });

  it('refuses a real card and names every invalid field', async () => {
    const test = await startSandbox();
    const session = await test.openSession();
    const answer = await test.pay(session, '9000000000000100', {
      expiry: '01/20',
      securityCode: '1',
      name: ' ',
    });
    expect(answer.status).toBe(422);
    expect(answer.text).not.toContain('9000000000000100');
    const errors = answer.body['errors'] as { field: string }[];
    expect(errors.map(({ field }) => field)).toEqual(['number', 'expiry', 'securityCode', 'name']);
  });
});

describe('the webhook of a payment', () => {
  it('is sent after the transaction is recorded, and says which session was paid', async () => {
    const test = await startSandbox();
    const receiver = await startReceiver();
    const session = await test.openSession({ WebhookUrl: receiver.url, Amount: '12.30' });
    await test.pay(session, APPROVED);
    await receiver.whenReceived(1);
    const [row] = (await test.list()).data.transactions;
    const text = receiver.received[0]?.text ?? '';
    expect(text).toContain('"amount":12.30');
    expect(JSON.parse(text)).toMatchObject({
      session_id: session,
      order_id: 71,
      MerchantReference: 'A1001.71',
      status: 'SUCCESS',
      transaction_id: row?.['id'],
    });
    expect(receiver.received[0]?.headers['content-type']).toBe('application/json');
  });

  it('is sent twice, or not at all, in those scenarios', async () => {
    const test = await startSandbox();
    const receiver = await startReceiver();
    const WebhookUrl = receiver.url;
    await test.pay(await test.openSession({ WebhookUrl, order_id: 1 }), WEBHOOK_MISSING);
    await test.pay(await test.openSession({ WebhookUrl, order_id: 2 }), WEBHOOK_TWICE);
    await receiver.whenReceived(2);
    const orders = receiver.received.map(
      ({ text }) => (JSON.parse(text) as { order_id: number }).order_id,
    );
    expect(orders).toEqual([2, 2]);
  });

  it('has a body that an option replaces', async () => {
    const test = await startSandbox({ webhookPayload: ({ session }) => ({ about: session?.id }) });
    const receiver = await startReceiver();
    const session = await test.openSession({ WebhookUrl: receiver.url });
    await test.pay(session, APPROVED);
    await receiver.whenReceived(1);
    expect(receiver.received[0]?.text).toBe(JSON.stringify({ about: session }));
  });
});
