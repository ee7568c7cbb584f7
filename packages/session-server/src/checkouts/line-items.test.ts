import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestStack } from '../testing/test-stack.js';

const LINES = [
  { name: 'Darjeeling, 100 g', quantity: 2, amount: '11.00' },
  { name: 'Voucher', quantity: 1, amount: '-1.01' },
];

let stack: TestStack;
let openShop: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
  openShop = await TestStack.start({ merchant: { openBy: 'order' } });
});
afterAll(() => Promise.all([stack.close(), openShop.close()]));

describe('the lines of an order that its shop is asked for', () => {
  it('are shown before and after its checkout is created', async () => {
    const { body: opened } = await stack.open('L1', { amount: '9.99', lineItems: LINES });
    expect(opened).toMatchObject({ amount: '9.99', lineItems: LINES });
    const { body: preview } = await stack.reopen('L1', { preview: true });
    expect(preview).toMatchObject({ amount: '9.99', lineItems: LINES });
  });

  it('are shown to no one who only knows the name of the order', async () => {
    await openShop.open('L2', { amount: '9.99', lineItems: LINES });
    for (const more of [{ preview: true }, {}]) {
      const { body } = await openShop.reopen('L2', { orderToken: undefined, ...more });
      expect(body).toMatchObject({ amount: '9.99' });
      expect(body).not.toHaveProperty('lineItems');
    }
  });

  it('keep no one from reading that the order is paid, however wrong', async () => {
    const { body: opened } = await stack.open('L4', { amount: '9.99' });
    await stack.payAtProvider(opened.sessionId ?? '');
    await stack.fetch(stack.returnPath(opened.sessionId ?? '', 'RedirectUrl'));
    await stack.until(opened.checkout, 'paid');
    const wrong = [{ name: 'Tea', amount: '1.00' }];
    const { body } = await stack.open('L4', { amount: '9.99', status: 'paid', lineItems: wrong });
    expect(body).toMatchObject({ checkout: opened.checkout, state: 'paid' });
  });

  it('are refused when they do not add up, with both sums', async () => {
    const { status, body } = await stack.open('L3', { amount: '9.98', lineItems: LINES });
    expect([status, body.code]).toEqual([502, 'order_lookup_failed']);
    expect(body.detail).toContain('lineItems (expected amounts that add up to 9.98');
    expect(body.detail).toContain('they add up to 9.99');
  });
});
