import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSandbox, type Sandbox } from '@pay-checkout/sandbox';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessiblePage } from './barriers.js';
import { collectComplaints } from './complaints.js';
import { PATIENCE_MS } from './patience.js';
import { startBrowser } from './start-browser.js';

const API_KEY = 'a-long-invented-api-key';
const DESKTOP = { width: 1280, height: 900 };

let sandbox: Sandbox;
let url: string;
/** Receives webhooks and shoppers. */
let shop: Server;
let shopUrl: string;
const received: string[] = [];
let browser: Browser;
let page: Page;
let complaints: readonly string[];
/** All that the sandbox answered to the page. */
const answers: Promise<string>[] = [];

beforeAll(async () => {
  shop = createServer((request, response) => {
    received.push(request.url ?? '');
    request.resume();
    response.end('{}');
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  shopUrl = `http://127.0.0.1:${String((shop.address() as AddressInfo).port)}`;
  sandbox = createSandbox({ apiKey: API_KEY, history: { count: 100_000 } });
  ({ url } = await sandbox.listen());
  browser = await startBrowser({ keepsPages: false });
  const context = await browser.newContext({ viewport: DESKTOP });
  page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  complaints = await collectComplaints(page, url);
  page.on('requestfinished', (request) => {
    const text = request.response().then((response) => response?.text());
    answers.push(text.then((said) => said ?? '').catch(() => ''));
  });
});
afterAll(async () => {
  await browser.close();
  await sandbox.close();
  shop.closeAllConnections();
  shop.close();
});

async function createSession(order: number, changes: object = {}): Promise<string> {
  const response = await fetch(`${url}/create-session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', api_key: API_KEY },
    body: JSON.stringify({
      merchant_id: 1001,
      order_id: order,
      Amount: '12.34',
      MerchantReference: `A1001.${String(order)}`,
      CancelUrl: `${shopUrl}/cancelled`,
      WebhookUrl: `${shopUrl}/webhook`,
      AvsPostcode: 'ZZ1 1ZZ',
      SplitFee: [{ partner_merchant_id: 501, type_id: 1, value: 2.5, value_type: 'percent' }],
      ...changes,
    }),
  });
  return ((await response.json()) as { session_id: string }).session_id;
}

const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
const press = (name: string) => page.getByRole('button', { name, exact: true }).press('Enter');
const timeline = (text: string | RegExp) =>
  page.locator('.timeline').getByText(text).first().waitFor();
const said = (text: string | RegExp) => page.locator('.said').getByText(text).waitFor();
const open = async (path: string) => {
  await page.goto(`${url}/#/${path}`);
};

describe('the sandbox’s page', () => {
  it('says how to begin, and shows a call as it comes', async () => {
    await page.goto(url);
    await page.getByText('No calls yet.').waitFor();
    await expectAccessiblePage(page);
    await createSession(71);
    const call = page.getByRole('link', { name: /200 create-session order 71/ });
    await call.waitFor();
    await call.press('Enter');
    await heading('Request 1');
    expect(await page.locator('header [aria-current=page]').allTextContents()).toEqual([
      'Requests',
    ]);
    await page.getByLabel('Request body').getByText('"12.34"').waitFor();
    await page.getByLabel('As curl').getByText('api_key: $SANDBOX_API_KEY').waitFor();
    await expectAccessiblePage(page);
  });

  it('finds calls by their bodies while one types', async () => {
    await createSession(72);
    await open('requests');
    await page.getByRole('searchbox').pressSequentially('a1001.72');
    await expect.poll(() => page.locator('.calls li').count()).toBe(1);
    expect(await page.locator('.calls').textContent()).toContain('order 72');
    expect(page.url()).toContain('search=a1001.72');
  });

  it('declines, cancels, pays and refunds a session by buttons, and says what happened', async () => {
    const session = await createSession(73);
    await open(`sessions/${session}`);
    await timeline('create-session');
    await page.getByRole('cell', { name: '2.5 percent' }).waitFor();
    await page.getByRole('cell', { name: '£0.30' }).waitFor();
    await press('Decline');
    await said(/^declined/);
    await timeline('Card submitted (declined):');
    await press('Cancel');
    await said('The shopper has opened CancelUrl.');
    expect(received).toContain('/cancelled');
    await expectAccessiblePage(page);
    await press('Pay');
    await said(/^approved/);
    await timeline('Paid: £12.34 with a card that ends in 0001');
    await timeline(/^Webhook to .*, try 1:/);
    await page.getByLabel('Refund', { exact: true }).last().fill('2.34');
    await press('Refund this part');
    await said('Refunded. The transaction is SUCCESS.');
    await press('Refund the rest');
    await said('Refunded. The transaction is REFUNDED.');
    await expectAccessiblePage(page);
  });

  it('creates a session, leads to its pay page, and expires it', async () => {
    await open('sessions');
    await press('Create a session');
    await heading(/^Session /);
    const link = page.getByRole('link', { name: 'Open the pay page' });
    expect((await fetch(url + ((await link.getAttribute('href')) ?? ''))).status).toBe(200);
    await press('Expire');
    await said('The session has expired.');
    await open('sessions');
    await page.getByLabel('State').selectOption('expired');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await expectAccessiblePage(page);
  });

  it('shows every digit of an amount in a currency that people write without decimals', async () => {
    sandbox.control.addMerchant({ id: 1007, name: 'Kesztyű', currency: 'HUF' });
    const session = await createSession(74, { merchant_id: 1007, Amount: '1234.50' });
    await open(`sessions/${session}`);
    await page.getByText('HUF 1,234.50').first().waitFor();
  });

  it('sends a webhook again', async () => {
    const before = received.filter((path) => path === '/webhook').length;
    await open('webhooks');
    await page.getByRole('button', { name: 'Resend' }).first().press('Enter');
    await said(/was sent again/);
    await page.getByText('Try 2').waitFor();
    expect(received.filter((path) => path === '/webhook')).toHaveLength(before + 1);
    await expectAccessiblePage(page);
  });

  it('sends webhooks out of order, forged and late', async () => {
    const events = () => sandbox.control.deliveries().map(({ event }) => event);
    const before = events().length;
    await open('webhooks');
    await press('Reorder');
    await said('The next 2 webhooks are sent in reverse order.');
    await page.getByLabel('Session').selectOption('order 73, £12.34');
    await page.getByLabel('Event').selectOption('declined');
    await press('Send');
    await said('Sent: 1.');
    await page.getByLabel('Event').selectOption('paid');
    await press('Send with a wrong key');
    await said('Sent with a wrong key: 1.');
    await expect.poll(() => events().slice(before)).toEqual(['payment.paid', 'payment.declined']);
    await press('Delay');
    await said('Webhooks are sent after 60 seconds from now on.');
    expect(sandbox.control.switches.webhookDelaySeconds).toBe(60);
    sandbox.control.setSwitches({ webhookDelaySeconds: null });
  });

  it('pages through 100,000 transactions', async () => {
    await open('transactions');
    await page.getByText('100,001 transactions').waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(50);
    await expectAccessiblePage(page);
    const first = await page.locator('tbody tr').first().textContent();
    await page.getByRole('link', { name: 'Older' }).press('Enter');
    await expect.poll(() => page.locator('tbody tr').first().textContent()).not.toBe(first);
  });

  it('finds a transaction, and lists it late', async () => {
    await open('transactions');
    await page.getByRole('searchbox').fill('A1001.73');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await page.locator('tbody a').press('Enter');
    await heading(/^Transaction txn_/);
    await press('Hide');
    await said('It is hidden from the list for 60 seconds.');
    await press('List it now');
    await said('It is in the list now.');
    await expectAccessiblePage(page);
  });

  it('queues a fault, and clears it', async () => {
    await open('faults');
    await page.getByLabel('Target').selectOption('webhook');
    await page.getByRole('combobox', { name: /^Fault/ }).selectOption('wrong-signature');
    await page.getByLabel('Probability').fill('0.5');
    await page.getByLabel('Delay in seconds, from').fill('0.5');
    await page.getByLabel('to', { exact: true }).fill('2');
    await press('Queue');
    await said('Queued: wrong-signature for webhook.');
    expect(sandbox.control.faults().queued).toMatchObject([
      { operation: 'webhook', probability: 0.5, latencySeconds: [0.5, 2] },
    ]);
    await page.getByLabel('Target').selectOption('create-session');
    await page.getByRole('combobox', { name: /^Fault/ }).selectOption('error');
    await page.getByLabel('Status').fill('503');
    await page.getByRole('combobox', { name: /^Fault/ }).selectOption('redirect');
    // What was typed for one fault is nothing of another.
    expect(await page.getByLabel('Location').inputValue()).toBe('');
    await page.getByRole('combobox', { name: /^Fault/ }).selectOption('hold');
    await press('Queue');
    await said('Queued: hold for create-session.');
    const held = createSession(74);
    await page.getByText('1 call is held without an answer.').waitFor();
    await expectAccessiblePage(page);
    await press('Clear, and answer held calls');
    await held;
  });

  it('plays a test card', async () => {
    await open('scenarios');
    await page.getByRole('button', { name: 'Submit Insufficient funds' }).press('Enter');
    await said('Insufficient funds: the outcome is declined.');
    await expectAccessiblePage(page);
  });

  it('turns a switch, refuses a wrong value, and turns it back', async () => {
    await open('switches');
    await page.getByLabel('transfersKey').selectOption('required');
    await said('transfersKey is now required.');
    await page.getByLabel('sessionLifetimeSeconds').fill('');
    await press('Set sessionLifetimeSeconds');
    await page.getByLabel('webhookPausesSeconds').fill('many');
    await press('Set webhookPausesSeconds');
    await page
      .getByRole('alert')
      .getByText('webhookPausesSeconds: expected an array of seconds.')
      .waitFor();
    // Nothing typed is no zero.
    expect(sandbox.control.switches.sessionLifetimeSeconds).toBe(86_400);
    await press('Undo transfersKey');
    await said('transfersKey has its default again.');
    await expectAccessiblePage(page);
  });

  it('moves the clock', async () => {
    await open('sandbox');
    await press('+ 1 day');
    await said(/^The clock says \d{4}-/);
    expect(sandbox.control.clock.offsetSeconds).toBe(86_400);
    await expectAccessiblePage(page);
  });

  it('resets everything, once a person confirms it', async () => {
    await press('Reset everything …');
    await expectAccessiblePage(page);
    await press('Cancel');
    expect(sandbox.control.sessions()).not.toEqual([]);
    await press('Reset everything …');
    await press('Reset');
    await said('The sandbox is reset.');
    expect(sandbox.control.sessions()).toEqual([]);
  });

  it('was sent no key, and broke no policy', async () => {
    const text = (await Promise.all(answers)).join('\n');
    expect(text).toContain('create-session');
    expect(text).not.toContain(API_KEY);
    expect(complaints).toEqual([]);
  });

  it('says that the sandbox has stopped', async () => {
    await sandbox.close();
    await page.getByText('Connecting again …').waitFor();
    await open('sessions');
    await page.getByText('The sandbox does not answer.').waitFor();
    await expectAccessiblePage(page);
  });
});
