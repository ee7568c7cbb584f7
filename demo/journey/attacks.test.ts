import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { PlacedOrder } from '../shop/order-view.js';
import { Journey } from './journey.js';
import { PAID, CARDS, Shopper } from './shopper.js';

declare global {
  interface Window {
    /** What other windows sent to a foreign page. */
    overheard?: unknown[];
  }
}

const FOREIGN_PAGE = 'http://foreign.localhost/';

let journey: Journey;
let shopper: Shopper;
let placed: PlacedOrder;
beforeAll(async () => {
  journey = await Journey.start();
  shopper = await journey.shopper();
  placed = await shopper.order();
  await shopper.visitBarePage();
});
afterAll(() => journey.stop());

/** Opens a checkout from the page that the shopper is on, as any script on it could. */
async function openFromPage(
  change: Readonly<Record<string, unknown>> = {},
): Promise<{ status: number; code?: string; fields: readonly string[]; sessionId?: string }> {
  const body = {
    merchant: journey.stack.merchant,
    order: placed.order,
    orderToken: placed.orderToken,
    ...change,
  };
  return shopper.page.evaluate(
    async ({ pay, body }) => {
      const response = await fetch(`${pay}/v1/checkouts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const reply = (await response.json()) as {
        code?: string;
        sessionId?: string;
        errors?: { field: string }[];
      };
      const { code, sessionId, errors = [] } = reply;
      return {
        status: response.status,
        fields: errors.map(({ field }) => field),
        ...(code === undefined ? {} : { code }),
        ...(sessionId === undefined ? {} : { sessionId }),
      };
    },
    { pay: journey.addresses.pay, body },
  );
}

/** A page of a foreign origin in another tab, which records every message sent to it. */
async function openForeignPage(): Promise<Page> {
  const { page } = await shopper.tab();
  // No page of the network: some browsers ask before it may open those of this machine.
  await page
    .context()
    .grantPermissions(['local-network-access'])
    .catch(() => undefined);
  await page.route(FOREIGN_PAGE, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Foreign</title>' }),
  );
  await page.addInitScript((foreign) => {
    if (location.href !== foreign) return;
    const overheard: unknown[] = (window.overheard = []);
    addEventListener('message', ({ data }) => overheard.push(data));
  }, FOREIGN_PAGE);
  await page.goto(FOREIGN_PAGE);
  return page;
}

/** Opens a window as a script of this page does. */
async function openWindow(page: Page, address: string): Promise<Shopper> {
  const opened = page.waitForEvent('popup');
  await page.evaluate((url) => void window.open(url, '_blank', 'popup'), address);
  return new Shopper(await opened, journey.addresses);
}

describe('a page that asks for what is not its to say', () => {
  it.each([
    ['amount', '0.01'],
    ['returnUrl', 'https://evil.example/'],
    ['RedirectUrl', 'https://evil.example/'],
  ])('with %s in the body is refused by that name, and opens nothing', async (field, value) => {
    const answer = await openFromPage({ [field]: value });
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request', fields: [field] });
    expect(await journey.sandbox.sessionsOf(placed.order)).toEqual([]);
  });

  it.each([
    ['an unknown merchant', { merchant: 'unknown' }, 404, 'unknown_merchant'],
    [
      'the token of another order',
      { orderToken: 'A9.1900000000.'.padEnd(56, 'x') },
      404,
      'order_not_found',
    ],
    ['no token', { orderToken: undefined }, 401, 'order_token_missing'],
  ])('with %s is refused', async (_what, change, status, code) => {
    expect(await openFromPage(change)).toMatchObject({ status, code });
    expect(await journey.sandbox.sessionsOf(placed.order)).toEqual([]);
  });

  it('from an origin that is not the merchant’s is refused, and the browser hides the answer', async () => {
    const response = await fetch(`${journey.addresses.payApi}/v1/checkouts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
      body: JSON.stringify({
        merchant: journey.stack.merchant,
        order: placed.order,
        orderToken: placed.orderToken,
      }),
    });
    expect(response.status).toBe(403);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(await response.json()).toMatchObject({ code: 'origin_not_allowed' });
    expect(await journey.sandbox.sessionsOf(placed.order)).toEqual([]);
  });
});

describe('many at the same time', () => {
  it('ten parallel opens are one session at the provider', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => openFromPage()));
    expect(new Set(answers.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(await journey.sandbox.sessionsOf(placed.order)).toHaveLength(1);
  });

  it('a double click is one session, and one payment', async () => {
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.fillCard(CARDS.approved);
    await shopper.form.getByRole('button', { name: /^Pay/ }).dblclick();
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, order);
    expect(await journey.sandbox.sessionsOf(order)).toHaveLength(1);
  });
});

describe('a page of a foreign origin that opens our pages', () => {
  it('hears nothing of a payment, and the shopper is offered the way to the shop', async () => {
    const { order, orderToken } = await shopper.order();
    const { addresses, stack } = journey;
    const page = await openForeignPage();
    const hosted = await openWindow(
      page,
      `${addresses.pay}/v1/pay/${stack.merchant}/${orderToken}`,
    );
    await hosted.payWith(CARDS.approved);
    const onward = { name: 'Continue to the shop' };
    await hosted.page.getByRole('link', onward).waitFor();
    if (!hosted.page.isClosed()) await hosted.page.waitForEvent('close');
    await journey.expectPaid(shopper, order);
    const [session] = await journey.sandbox.sessionsOf(order);
    const returned = await openWindow(page, session?.RedirectUrl ?? '');
    await returned.page.locator('body[data-state="waiting"]').waitFor();
    const overheard = new Set(
      await page.evaluate(() => window.overheard?.map((one) => JSON.stringify(one))),
    );
    expect([...overheard]).toEqual(['{"type":"pay-checkout:hello"}']);
    await returned.page.getByRole('link', onward).click();
    await returned.page.waitForURL(`${addresses.shop}/result?**`);
    await page.close();
  });
});
