import { afterEach, describe, expect, it } from 'vitest';
import { TestStack } from '../testing/test-stack.js';

const DAY = 86_400;

describe('the schedule', () => {
  let stack: TestStack | undefined;
  afterEach(async () => {
    await stack?.close();
    stack = undefined;
  });

  it('finds what was paid under the merchant’s former id at the provider', async () => {
    stack = await TestStack.start();
    const { body } = await stack.open('S1', { amount: '9.99' });
    await stack.payAtProvider(body.sessionId ?? '');
    await stack.server.close();
    stack.changeMerchant({ providerMerchantId: 1002 });
    await stack.startServer();
    stack.advance(120);
    await stack.until(body.checkout, 'paid');
  });

  it('polls back as far as the provider’s clock may be behind ours', async () => {
    stack = await TestStack.start();
    const { body } = await stack.open('S2', { amount: '9.99' });
    const { MerchantReference: orderRef } = stack.session(body.sessionId ?? '');
    const row = (secondsAgo: number) => ({
      merchantId: 1001,
      currencyCode: 'GBP',
      amount: '9.99',
      status: 'SUCCESS',
      transactionTime: new Date(Date.now() - secondsAgo * 1000).toISOString(),
    });
    stack.sandbox.control.addTransaction({ row: { ...row(200), orderRef } });
    // Others fill the page before it, and the last of them is older than the attempt too.
    for (let other = 0; other < 100; other += 1) {
      stack.sandbox.control.addTransaction({ row: row(100) });
    }
    stack.advance(60);
    await stack.until(body.checkout, 'paid');
  });

  it('finds a refund a month after the payment, without another poll', async () => {
    stack = await TestStack.start();
    const { sandbox } = stack;
    const lists = () =>
      sandbox.control.requests().filter(({ operation }) => operation === 'transactions-list')
        .length;
    const { body } = await stack.open('S3', { amount: '9.99' });
    await stack.payAtProvider(body.sessionId ?? '');
    await stack.post(stack.webhookPath(body.sessionId ?? ''), {});
    const paid = await stack.shop.event('checkout.paid');
    const { transaction } = paid.data as { transaction: string };
    // An unpaid one is not watched any more by then. A read that runs ends before the time moves on.
    const before = lists();
    await stack.server.close();
    stack.advance(20 * DAY);
    await stack.startServer();
    await expect.poll(lists).toBeGreaterThan(before);
    await stack.server.close();
    sandbox.control.refund(transaction);
    stack.advance(10 * DAY);
    await stack.startServer();
    const refunded = await stack.shop.event('checkout.refunded');
    expect(refunded.data).toMatchObject({ order: 'S3', state: 'paid', refund: 'full' });
  });
});
