import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SCENARIOS } from '../scenarios.js';
import { startReceiver, startSandbox, type TestSandbox } from '../testing/test-sandbox.js';

interface Delivered {
  readonly event: string;
  readonly status: string;
}

const APPROVED = '9000000000000001';
const DECLINED = '9000000000000019';

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const read = ({ received }: Receiver) => received.map(({ text }) => JSON.parse(text) as Delivered);

const statuses = (receiver: Receiver) => read(receiver).map(({ status }) => status);

async function register(test: TestSandbox, receiver: Receiver, fields: object = {}) {
  await test.post('/developer-service/webhooks/create', { url: receiver.url, ...fields });
}

describe('the Cancel button of the hosted page', () => {
  it('reports the cancel, which is sent once to WebhookUrl and to the endpoint', async () => {
    const test = await startSandbox();
    const [own, endpoint] = [await startReceiver(), await startReceiver()];
    await register(test, endpoint);
    const CancelUrl = 'https://pay.example/cancel';
    const session = await test.openSession({ WebhookUrl: own.url, CancelUrl });
    const { text } = await test.send('GET', `/pages/pay/${session}`);
    const [, report = ''] = /data-leave="[^"]*cancel"\s+data-report="([^"]+)"/.exec(text) ?? [];
    // As a beacon: no body.
    const { body } = await test.send('POST', report);
    expect(body).toEqual({ outcome: 'left', redirectUrl: CancelUrl });
    await Promise.all([own.whenReceived(1), endpoint.whenReceived(1)]);
    expect([statuses(own), statuses(endpoint)]).toEqual([['CANCELLED'], ['CANCELLED']]);
    await test.pay(session, APPROVED);
    await test.send('POST', report);
    await own.whenReceived(2);
    await expect.poll(() => test.sandbox.control.deliveries()).toHaveLength(4);
    expect(statuses(own)).toEqual(['CANCELLED', 'SUCCESS']);
    expect((await test.send('POST', '/pages/sessions/none/cancel')).status).toBe(404);
  });
});

describe('a refund', () => {
  it('of a past transaction is sent to the endpoints', async () => {
    const test = await startSandbox({ history: { count: 30 } });
    const receiver = await startReceiver();
    await register(test, receiver);
    const { transactions } = (await test.list()).data;
    const past = transactions.find((row) => row['amountRefunded'] === 0);
    const refund = `/_sandbox/transactions/${String(past?.['id'])}/refund`;
    await test.post(refund, { amount: '1.00' });
    await receiver.whenReceived(1);
    expect(read(receiver)).toEqual([
      {
        event: 'payment.refunded',
        status: 'REFUNDED',
        order_id: Number(past?.['resellerOrderId']),
        MerchantReference: past?.['orderRef'],
        merchant_id: past?.['merchantId'],
        transaction_id: past?.['id'],
        amount: past?.['amount'],
        amountRefunded: 1,
        currencyCode: past?.['currencyCode'],
      },
    ]);
    await test.setSwitches({ webhookOutcomes: ['paid'] });
    expect((await test.post(refund, { amount: '1.00' })).status).toBe(200);
    await test.setSwitches({ webhookOutcomes: null });
    await test.post(refund, { amount: '0.50' });
    await receiver.whenReceived(2);
    expect(read(receiver)[1]).toMatchObject({ amountRefunded: 2.5 });
  });

  it('of either transaction of a session that was charged twice is sent to WebhookUrl', async () => {
    const test = await startSandbox({ webhookOutcomes: ['refunded'] });
    const receiver = await startReceiver();
    const session = await test.openSession({ WebhookUrl: receiver.url });
    await test.post(`/_sandbox/sessions/${session}/pay`, { scenario: 'paid-twice' });
    for (const id of await test.listIds()) {
      await test.post(`/_sandbox/transactions/${String(id)}/refund`, {});
    }
    await receiver.whenReceived(2);
    const ids = read(receiver).map(
      (each) => (each as unknown as { transaction_id: string }).transaction_id,
    );
    expect(ids.toSorted()).toEqual((await test.listIds()).toSorted());
  });
});

describe('the events of an endpoint', () => {
  it('choose what it gets; without any it gets everything', async () => {
    const test = await startSandbox();
    const [every, declines, none] = [
      await startReceiver(),
      await startReceiver(),
      await startReceiver(),
    ];
    await register(test, every, { events: [] });
    await register(test, declines, { events: ['payment.declined', 'payment.expired'] });
    await register(test, none, { events: ['charge.failed'] });
    const session = await test.openSession();
    await test.pay(session, DECLINED);
    await test.pay(session, APPROVED);
    await every.whenReceived(2);
    await declines.whenReceived(1);
    await expect.poll(() => test.sandbox.control.deliveries()).toHaveLength(3);
    expect(statuses(every).toSorted()).toEqual(['FAILED', 'SUCCESS']);
    expect(statuses(declines)).toEqual(['FAILED']);
    expect(none.received).toEqual([]);
    await test.setSwitches({ webhookEvents: { declined: 'charge.failed' } });
    await test.pay(await test.openSession(), DECLINED);
    await none.whenReceived(1);
    expect(read(none)).toMatchObject([{ event: 'charge.failed', status: 'FAILED' }]);
  });
});

describe('a signing scheme', () => {
  it('signs with webhookUrlKey for WebhookUrl, and with hmac_key for an endpoint', async () => {
    const test = await startSandbox({
      webhookSigning: { header: 'x-signature', algorithm: 'sha512', signatureEncoding: 'base64' },
      webhookUrlKey: 'invented-webhook-url-key',
    });
    const [own, endpoint] = [await startReceiver(), await startReceiver()];
    await register(test, endpoint, { hmac_key: 'invented-endpoint-key' });
    await test.pay(await test.openSession({ WebhookUrl: own.url }), DECLINED);
    await Promise.all([own.whenReceived(1), endpoint.whenReceived(1)]);
    for (const [{ received }, key] of [
      [own, 'invented-webhook-url-key'],
      [endpoint, 'invented-endpoint-key'],
    ] as const) {
      const expected = createHmac('sha512', key).update(received[0]?.text ?? '');
      expect(received[0]?.headers['x-signature']).toBe(expected.digest('base64'));
    }
  });
});

describe('the cards of webhooks', () => {
  const cardOf = (name: string) =>
    SCENARIOS.find((scenario) => scenario.name === name)?.cardNumber ?? '';

  it.each([
    ['webhook-late', [], ['SUCCESS']],
    ['webhook-twice', ['SUCCESS', 'SUCCESS'], []],
    ['webhook-missing', [], []],
    ['webhook-forged', ['FAILED', 'SUCCESS'], []],
  ])('%s: sends %j at once, and %j 20 seconds later', async (name, atOnce, later) => {
    const test = await startSandbox();
    const receiver = await startReceiver();
    const session = await test.openSession({ WebhookUrl: receiver.url });
    await test.pay(session, cardOf(name));
    await receiver.whenReceived(atOnce.length);
    // The next webhook shows that nothing before it is still to come.
    const sendAnother = () => test.post('/_sandbox/webhooks/send', { session, outcome: 'expired' });
    await sendAnother();
    await receiver.whenReceived(atOnce.length + 1);
    const first = [...atOnce, 'EXPIRED'];
    expect(statuses(receiver).toSorted()).toEqual(first.toSorted());
    await test.post('/_sandbox/clock', { advanceSeconds: 20 });
    await receiver.whenReceived(first.length + later.length);
    await sendAnother();
    await receiver.whenReceived(first.length + later.length + 1);
    expect(statuses(receiver).toSorted()).toEqual([...first, ...later, 'EXPIRED'].toSorted());
  });

  it('webhook-out-of-order: the decline comes after the payment', async () => {
    const test = await startSandbox();
    const receiver = await startReceiver();
    const session = await test.openSession({ WebhookUrl: receiver.url });
    await test.pay(session, cardOf('webhook-out-of-order'));
    await test.pay(session, APPROVED);
    await receiver.whenReceived(1);
    await test.post('/_sandbox/clock', { advanceSeconds: 20 });
    await receiver.whenReceived(2);
    expect(statuses(receiver)).toEqual(['SUCCESS', 'FAILED']);
  });

  it('webhook-forged: charges nothing, and its signature is of another key', async () => {
    const test = await startSandbox({
      webhookSigning: { header: 'x-signature' },
      webhookUrlKey: 'invented-webhook-url-key',
    });
    const receiver = await startReceiver();
    await test.pay(await test.openSession({ WebhookUrl: receiver.url }), cardOf('webhook-forged'));
    await receiver.whenReceived(2);
    const genuine = receiver.received.map(
      ({ text, headers }) =>
        createHmac('sha256', 'invented-webhook-url-key').update(text).digest('hex') ===
        headers['x-signature'],
    );
    expect(statuses(receiver).map((status, index) => [status, genuine[index]])).toEqual(
      expect.arrayContaining([
        ['FAILED', true],
        ['SUCCESS', false],
      ]),
    );
    expect(await test.listIds()).toEqual([]);
  });
});
