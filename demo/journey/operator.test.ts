import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { deriveOperatorKey } from '../stack/secrets.js';
import { expectAccessiblePage } from './barriers.js';
import { collectAnswers, collectComplaints } from './complaints.js';
import { Journey } from './journey.js';
import { PATIENCE_MS } from './patience.js';
import { CARDS } from './shopper.js';

let journey: Journey;
let page: Page;
let key: string;
let complaints: readonly string[];
/** An order that was cancelled and then paid, so that a person has to look. */
let late: string;
/** All that the server answered to the page. */
let answers: readonly Promise<string>[];

async function post<T>(url: string, body: unknown): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: journey.addresses.shop },
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}

interface Opened {
  readonly checkout: string;
  readonly sessionId: string;
}

async function payLate(): Promise<string> {
  const { payApi, sandboxApi } = journey.addresses;
  const shopper = await journey.shopper();
  const { order, orderToken } = await shopper.order();
  await shopper.close();
  const { merchant } = journey.stack;
  const opened = await post<Opened>(`${payApi}/v1/checkouts`, { merchant, order, orderToken });
  const { checkout, sessionId } = opened;
  const hint = (kind: string) =>
    post(`${payApi}/v1/checkouts/${checkout}/hints`, { kind, sessionId });
  await hint('cancelled');
  await untilState(order, 'cancelled');
  await post(`${sandboxApi}/pages/sessions/${sessionId}/payments`, {
    ...{ number: CARDS.approved, expiry: '12/39', securityCode: '123', name: 'Robin' },
  });
  await hint('shown');
  await untilState(order, 'paid');
  return order;
}

async function untilState(order: string, state: string): Promise<void> {
  const read = async () => expect((await journey.orderAtServer(order)).state).toBe(state);
  await vi.waitFor(read, { timeout: PATIENCE_MS });
}

/** The shop did not acknowledge that an order was cancelled, for three days. */
function deadLetter(): void {
  const database = new DatabaseSync(join(journey.stack.dataDirectory, 'session-server.sqlite'), {
    timeout: 5000,
  });
  database.exec(
    `UPDATE outbox_events SET status = 'dead_lettered' WHERE type = 'checkout.cancelled'`,
  );
  database.close();
}

beforeAll(async () => {
  journey = await Journey.start();
  key = deriveOperatorKey(journey.stack.secrets);
  late = await payLate();
  deadLetter();
  ({ page } = await journey.shopper());
  complaints = await collectComplaints(page, journey.addresses.operator);
  answers = collectAnswers(page);
  await page.goto(journey.addresses.operator);
});
afterAll(() => journey.stop());

const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const press = (name: string) => page.getByRole('button', { name }).first().press('Enter');

async function signIn(): Promise<void> {
  await page.getByLabel('Key').fill(key);
  await page.getByLabel('Key').press('Enter');
}

const expectAccessible = (): Promise<void> => expectAccessiblePage(page);

describe('the operator’s page', () => {
  it('lets no one in without a key, and says so', async () => {
    await heading('Sign in');
    await expectAccessible();
    await page.getByLabel('Key').fill('a-wrong-key');
    await press('Sign in');
    await page.getByText('This is none of the keys of PAY_OPERATOR_KEY.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('key');
    await signIn();
    await heading('Attention');
  });

  it('has what waits for a person, and leads from there to the order', async () => {
    await page.getByRole('link', { name: /^Attention\s+1$/ }).waitFor();
    await expectAccessible();
    await page.getByRole('link', { name: late }).click();
    await heading(`Order ${late}`);
    expect(await page.title()).toBe(`Order ${late} · Pay Checkout operator`);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    // Not `goBack`: the driver of Firefox waits for a load that it never sees here.
    await page.evaluate(() => void setTimeout(() => history.back()));
    await heading('Attention');
  });

  it('finds an order, and tells what happened to it', async () => {
    await page.getByRole('searchbox').fill(late.slice(0, -1).toLowerCase());
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('link', { name: late, exact: true }).click();
    await heading(`Order ${late}`);
    const timeline = page.locator('.timeline');
    await timeline.getByText('Checkout: cancelled → paid').waitFor();
    await timeline.getByText('Hint of the page: cancelled').waitFor();
    await timeline.getByText('Event checkout.paid, try 1: answer 2').waitFor();
    await timeline.getByText('Provider’s list polled').first().waitFor();
    const times = await timeline.locator('time').allTextContents();
    expect(times.filter((text) => !text.trim().endsWith(' UTC'))).toEqual([]);
    await expectAccessible();
  });

  it('finds a customer by e-mail, and lists orders with what they come to', async () => {
    await page.getByRole('searchbox').fill('Robin@example.test');
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('cell', { name: 'the customer’s e-mail' }).first().waitFor();
    await expectAccessible();
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await heading('Orders');
    await page.getByRole('link', { name: late, exact: true }).waitFor();
    await page.getByText('In all: 1 paid.').waitFor();
    await expectAccessible();
    await page.getByLabel('Only those that need a person').check();
    await page.getByLabel('State').selectOption('open');
    await press('Show');
    await page.getByText('No order matches.').waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), press('Download CSV')]);
    expect(readFileSync(await download.path(), 'utf8').trimEnd()).toMatch(
      /^\W*"merchant","order",/,
    );
    await page.goto(`${journey.addresses.operator}/#/orders?state=paid`);
    await page.getByRole('link', { name: late, exact: true }).click();
    await heading(`Order ${late}`);
  });

  it('redelivers an event, and shows that it was delivered without being reloaded', async () => {
    await press('Redeliver');
    await page.getByText('The event is being delivered again.').waitFor();
    await page
      .locator('.timeline')
      .getByText(/^key-\w{8} redelivered msg_/)
      .waitFor();
    await expect.poll(() => page.getByText('dead lettered', { exact: true }).count()).toBe(0);
  });

  it('hands an order to a colleague, who sees it in the queue', async () => {
    await press('Add a note …');
    await page.getByRole('textbox', { name: 'Note' }).fill('please ring the shop');
    await page.getByLabel('For (optional)').fill('bo');
    await expectAccessible();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.locator('.timeline').getByText('for bo: “please ring the shop”').waitFor();
    await page.getByRole('link', { name: 'Queues' }).click();
    await page.getByText('for bo:').waitFor();
    await page.getByLabel('Merchant').fill('no-such-shop');
    await press('Show');
    await page.getByText('This queue has nothing of this merchant.').waitFor();
    await page.getByRole('link', { name: 'Queues' }).click();
    await page.getByLabel(`Choose ${late}`).check();
    await press('Resolve what is chosen …');
    await page.getByRole('heading', { name: 'Resolve 1' }).waitFor();
    await expectAccessible();
    await press('Cancel');
    await page.getByRole('link', { name: late, exact: true }).click();
    await heading(`Order ${late}`);
  });

  it('loses nothing that was typed when the session ends in the meantime', async () => {
    await press('Resolve …');
    const note = page.getByLabel('Note');
    await note.waitFor();
    await expectAccessible();
    await note.fill('called the shop');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Resolve', exact: true }).click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await signIn();
    await page.getByText('Resolved. It comes back when there is new attention.').waitFor();
    await page.locator('.timeline').getByText('late payment: “called the shop”').waitFor();
    await page.getByRole('link', { name: 'Audit trail' }).click();
    await heading('Audit trail');
    await page.getByRole('cell', { name: 'called the shop' }).waitFor();
    await expectAccessible();
    await page.getByRole('link', { name: 'Queues' }).click();
    await page.getByText('This queue is empty.').waitFor();
  });

  it('compares a day with the provider’s list, and saves it as a file', async () => {
    await page.getByRole('link', { name: 'Report' }).click();
    await heading('Report of a day');
    await expectAccessible();
    const [checkout] = (await journey.orderAtServer(late)).checkouts;
    const day = checkout?.transactions[0]?.transactionTime.slice(0, 10) ?? '';
    await page.getByLabel('Day (UTC)').fill(day);
    await press('Compare');
    await heading(`Report of ${day}`);
    await page.getByRole('heading', { name: /^Matched\s+1$/ }).waitFor();
    await page.getByRole('table', { name: 'Matched' }).getByRole('link', { name: late }).waitFor();
    await expectAccessible();
    const [download] = await Promise.all([page.waitForEvent('download'), press('Download as CSV')]);
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines.filter((line) => line.startsWith('"matched"'))).toHaveLength(1);
    expect(lines.at(-2)).toMatch(/^"complete",/);
  });

  it('keeps what is chosen when another one comes in above it', async () => {
    await page.getByRole('link', { name: 'Queues' }).click();
    const pages = page.getByRole('navigation', { name: 'Pages' });
    const current = () => pages.locator('[aria-current=page]').allTextContents();
    await expect.poll(current).toEqual(['Queues']);
    const chosen = page.getByLabel(`Choose ${await payLate()}`);
    await chosen.check();
    const newer = page.getByLabel(`Choose ${await payLate()}`);
    await newer.waitFor();
    expect([await chosen.isChecked(), await newer.isChecked()]).toEqual([true, false]);
  });

  it('says that it is offline, keeps what it shows, and goes on', async () => {
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByText('Up for').waitFor();
    await expectAccessible();
    await page.context().setOffline(true);
    await page.getByText('This browser is offline.').waitFor();
    expect(await page.getByText('Up for').count()).toBe(1);
    await page.context().setOffline(false);
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  it('asks nothing while no one sees it', async () => {
    await page.clock.install();
    await page.reload();
    await page.getByText('Up for').waitFor();
    let asked = 0;
    page.on('request', () => (asked += 1));
    const look = (visibility: 'hidden' | 'visible') =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'visibilityState', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, visibility);
    await page.clock.runFor(6000);
    await expect.poll(() => asked).toBeGreaterThan(0);
    await look('hidden');
    const before = asked;
    await page.clock.runFor(60_000);
    expect(asked).toBe(before);
    await look('visible');
    // For the page, and for the problems of the servers.
    await expect.poll(() => asked).toBe(before + 2);
  });

  it('signs out, and shows nothing any more', async () => {
    await press('Sign out');
    await heading('Sign in');
    await page.goBack();
    await heading('Sign in');
    await page.reload();
    await heading('Sign in');
  });

  it('was sent no secret and nothing of a person, and broke no policy', async () => {
    const text = (await Promise.all(answers)).join('\n');
    expect(text).toContain(late);
    const { providerApiKey, merchantApiKey, orderTokenSecret, signingSecret } =
      journey.stack.secrets;
    for (const secret of [key, providerApiKey, merchantApiKey, orderTokenSecret, signingSecret]) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toMatch(/Robin|robin@|Sample Street/);
    expect(complaints).toEqual([]);
  });
});
