import type { CheckoutConfigReply } from '@pay-checkout/session-server/contract';
import { csp } from '@pay-checkout/session-server/security';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collectComplaints } from './complaints.js';
import { Journey } from './journey.js';
import { CARDS, PAID, Shopper } from './shopper.js';
import { NONCE, StrictPage } from './strict-page.js';

let journey: Journey;
let shopper: Shopper;
beforeAll(async () => {
  journey = await Journey.start({ tuning: { settleWindowSeconds: 2 } });
});
beforeEach(async () => {
  shopper = await journey.shopper();
});
afterEach(() => shopper.close());
afterAll(() => journey.stop());

/** Asserts that the page's browser has nothing to complain of, and that nothing of ours is styled inline. */
async function expectClean(strict: StrictPage): Promise<void> {
  expect(strict.complaints()).toEqual([]);
  expect(await strict.styledElements()).toEqual([]);
}

describe("under default-src 'none', a nonce, and Trusted Types", () => {
  it('pays in the page', async () => {
    const strict = await StrictPage.open(shopper, journey);
    await shopper.button('Pay').click();
    await shopper.form.getByLabel('Card number').waitFor();
    await expectClean(strict);
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    expect((await strict.phases()).slice(0, 2)).toEqual(['opening', 'ready']);
    expect((await strict.phases()).at(-1)).toBe('paid');
    await expectClean(strict);
  });

  it('pays after a decline and a 3-D Secure challenge', async () => {
    const strict = await StrictPage.open(shopper, journey, { autostart: '' });
    await shopper.payWith(CARDS.declined);
    await shopper.reads('The payment was declined. Please check the card or try another card.');
    await expectClean(strict);
    await shopper.payWith(CARDS.challenged);
    await shopper.enterCode('1234');
    await shopper.reads(PAID);
    await expectClean(strict);
  });

  it('pays in an overlay', async () => {
    const strict = await StrictPage.open(shopper, journey, { mode: 'overlay' });
    await shopper.button('Pay').click();
    await shopper.form.getByLabel('Card number').waitFor();
    expect(await shopper.page.locator('pay-checkout dialog:modal').count()).toBe(1);
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await expectClean(strict);
  });

  it('pays in a window', async () => {
    const strict = await StrictPage.open(shopper, journey, { mode: 'popup' });
    const opened = shopper.page.waitForEvent('popup');
    await shopper.button('Pay').click();
    const popup = await opened;
    await shopper.reads('Please pay in the other window. If you cannot see it, press the button.');
    await expectClean(strict);
    await new Shopper(popup, journey.addresses).payWith(CARDS.approved);
    await shopper.reads(PAID);
    await expectClean(strict);
  });

  it('goes to the hosted page', async () => {
    const strict = await StrictPage.open(shopper, journey, { mode: 'redirect' });
    await shopper.button('Pay').click();
    await shopper.page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.payWith(CARDS.approved);
    await shopper.page.waitForURL(`${journey.addresses.shop}/result?**`);
    await shopper.reads(PAID);
    expect(strict.complaints()).toEqual([]);
  });

  it('says that the shopper cancelled, and pays after all', async () => {
    const strict = await StrictPage.open(shopper, journey);
    await shopper.button('Pay').click();
    await shopper.form
      .getByRole('button', { name: 'Cancel' })
      .or(shopper.form.getByRole('link', { name: 'Cancel' }))
      .click();
    await shopper.reads('You left the payment form. You can try again.');
    await expectClean(strict);
    await shopper.button('Pay').click();
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await expectClean(strict);
  });
});

describe('under the policy that the session server writes for shops', () => {
  it('pays, with a nonce and Trusted Types enforced', async () => {
    const { pay, payApi } = journey.addresses;
    const { merchant } = journey.stack;
    const asked = await fetch(`${payApi}/v1/checkout-config?merchant=${merchant}`);
    const { sdk } = (await asked.json()) as CheckoutConfigReply;
    const { policy } = csp({ publicUrl: pay, sdk, nonce: NONCE, trustedTypes: {} });
    expect(policy).toContain("require-trusted-types-for 'script'");
    const strict = await StrictPage.open(shopper, journey, {}, policy);
    await shopper.button('Pay').click();
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await expectClean(strict);
  });
});

describe('under the policy that the session server sends with its hosted page', () => {
  it('pays, and the browser has nothing to complain of', async () => {
    const hosted = `${journey.addresses.pay}/v1/pay/`;
    const complaints = await collectComplaints(shopper.page, hosted);
    const arrived = shopper.page.waitForResponse((response) => response.url().startsWith(hosted));
    await shopper.orderAndGoToPayment('redirect');
    const policy = (await arrived).headers()['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    await shopper.payWith(CARDS.declined);
    await shopper.reads('The payment was declined. Please check the card or try another card.');
    await shopper.payWith(CARDS.challenged);
    await shopper.enterCode('1234');
    await shopper.page.waitForURL(`${journey.addresses.shop}/result?**`);
    await shopper.reads(PAID);
    expect(complaints).toEqual([]);
  });
});
