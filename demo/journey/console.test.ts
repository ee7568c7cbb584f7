import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TransactionsView } from '../console/console-view.js';
import { deriveOperatorKey } from '../stack/secrets.js';
import { collectAnswers } from './complaints.js';
import { cellsOf } from './console-journey.js';
import { Journey } from './journey.js';
import { GOOD_CLS, layoutShiftOf } from './layout-shift.js';
import { isFirefox } from './patience.js';
import { CARDS, PAID } from './shopper.js';

/** Each page, and what it has when it has loaded. */
const PAGES = [
  ['', '.chart'],
  ['transactions', '.transactions'],
  ['transaction', '.timeline'],
  ['checkout-session', 'form'],
  ['transfers', 'tbody tr'],
  ['reports', 'form'],
  ['signup-links', 'form'],
  ['webhooks', 'form'],
] as const;
const DESK = { width: 1280, height: 900 };
let journey: Journey;
let page: Page;
/** Everything that the browser was answered. */
let answers: readonly Promise<string>[];

beforeAll(async () => {
  journey = await Journey.start({ isWhole: true });
  ({ page } = await journey.shopper());
  await page.setViewportSize(DESK);
  answers = collectAnswers(page);
});
afterAll(() => journey.stop());

async function open(path: string): Promise<void> {
  await page.goto(`${journey.addresses.console}/${path}`);
}

function button(name: string): Locator {
  return page.getByRole('button', { name, exact: true });
}

/** By the keyboard: a mouse may miss a button below while the page scrolls to it. */
function press(name: string): Promise<void> {
  return button(name).press('Enter');
}

/** Identifiers of the rows on the page, in their order. */
function orders(): Promise<string[]> {
  return cellsOf(page, 'Order');
}

describe('the partner console', () => {
  it('shows the analytics of a timeframe, which is in the address', async () => {
    await open('');
    const chart = page.getByRole('img', { name: /^Daily: volume: 30 values/ });
    await chart.waitFor();
    expect(await page.locator('.figures dt').allTextContents()).toContain('Total volume');
    await page.getByLabel('Timeframe').selectOption('weekly');
    await press('Show');
    await page.getByRole('img', { name: /^Daily: volume: 7 values/ }).waitFor();
    expect(page.url()).toContain('timeframe=weekly');
    await page.getByText('As a table').first().click();
    expect(await page.locator('.chart').first().locator('tbody tr').count()).toBe(7);
    await page.goBack();
    await chart.waitFor();
  });

  it('draws its charts again in the colours of the night', async () => {
    const middle = (): Promise<number[]> =>
      page.evaluate(() => {
        const canvas = document.querySelector('canvas')!;
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        // The colours of the bars are those that cover most.
        const counts = new Map<string, number>();
        for (let at = 0; at < data.length; at += 4) {
          if (data[at + 3]! < 255) continue;
          const colour = [...data.slice(at, at + 3)].join();
          counts.set(colour, (counts.get(colour) ?? 0) + 1);
        }
        const [[most] = ['']] = [...counts].sort(([, one], [, other]) => other - one);
        return most.split(',').map(Number);
      });
    await open('');
    await page.locator('.chart').first().waitFor();
    await expect.poll(middle).toEqual([0x01, 0x72, 0xad]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(middle).toEqual([0x01, 0xaa, 0xff]);
    await page.emulateMedia({ colorScheme: null });
  });

  it('goes back to a timeframe that the provider chose', async () => {
    await open('?partner_name=harbour-lane');
    await page.locator('.chart').first().waitFor();
    const timeframe = page.getByLabel('Timeframe');
    expect(await timeframe.inputValue()).toBe('');
    await timeframe.selectOption('weekly');
    await press('Show');
    await page.getByRole('img', { name: /^Daily: volume: 7 values/ }).waitFor();
    const asked = page.waitForRequest(/\/api\/operations\/analytics/);
    await page.goBack();
    expect(new URL((await asked).url()).search).toBe('?partner_name=harbour-lane');
    expect(await timeframe.inputValue()).toBe('');
  });

  it('says at the field that a timeframe is too long, and that no partner has this name', async () => {
    await open(
      '?partner_name=harbour-lane&timeframe=custom&from_date=2026-01-01&to_date=2026-06-01',
    );
    await page.locator('#to_date[aria-invalid]').waitFor();
    expect(await page.locator('#to_date-error').textContent()).toContain('at most 90');
    await open('?partner_name=unknown&timeframe=weekly');
    await page.locator('#partner_name[aria-invalid]').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('partner_name');
  });

  it('counts one as one, and asks for what the address says though the form does not offer it', async () => {
    await open('transactions?limit=1');
    await page.getByText('1 transaction; there are more.').waitFor();
    expect(await page.locator('#limit').inputValue()).toBe('1');
    await open('?partner_name=harbour-lane&timeframe=yearly');
    await page.getByRole('heading', { name: 'The provider refused this.' }).waitFor();
    expect(await page.getByLabel('Timeframe').inputValue()).toBe('yearly');
  });

  it('creates a webhook, keeps its key on the machine, and tests it', async () => {
    const statuses = [204, 503];
    const endpoint = createServer((request, response) => {
      request.resume();
      response.writeHead(statuses.shift() ?? 200).end();
    }).listen(0, '127.0.0.1');
    await once(endpoint, 'listening');
    const { port } = endpoint.address() as AddressInfo;
    await open('webhooks');
    await page.locator('#url').fill(`http://127.0.0.1:${port}/in`);
    await button('Create the webhook').click();
    await page.getByRole('heading', { name: 'Webhook created' }).waitFor();
    const file = await page.locator('#create-result [data-key-file]').textContent();
    expect(statSync(file!).mode & 0o777).toBe(0o600);
    const key = readFileSync(file!, 'utf8').trim();
    expect(await page.locator('[data-key] code').textContent()).toBe(key);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button('Copy the key').click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    await button('Hide the key').click();
    expect(await page.content()).not.toContain(key);
    await page.locator('#kept').getByText(`http://127.0.0.1:${port}/in`).waitFor();
    await button(`Test http://127.0.0.1:${port}/in`).click();
    await page.getByRole('heading', { name: 'The endpoint accepted the test' }).waitFor();
    await button('Send a test').click();
    await page.getByRole('heading', { name: 'The endpoint did not accept the test' }).waitFor();
    expect(await page.locator('#test-result').textContent()).toContain('503');
    endpoint.close();
    const ownKey = 'a-key-of-my-own-0123456789';
    await page.locator('#url').fill('https://own.example/in');
    await page.locator('#hmac_key').fill(ownKey);
    await button('Create the webhook').click();
    await page.locator('#kept').getByText('https://own.example/in').waitFor();
    expect(await page.locator('[data-key]').count()).toBe(0);
    expect(await page.locator('#hmac_key').inputValue()).toBe('');
    expect(await page.content()).not.toContain(ownKey);
    const seen = (await Promise.all(answers)).join('\n');
    expect(seen).toContain('The console needs JavaScript');
    expect(seen.split(key)).toHaveLength(2);
    expect(seen).not.toContain(ownKey);
    expect(seen).not.toContain(journey.stack.secrets.providerApiKey);
  });

  it('calls a lost answer unknown, and never failed', async () => {
    await journey.sandbox.loseNextAnswer('merchant-association');
    await open('signup-links');
    await page.locator('#merchantId').fill('1001');
    await button('Send the action').click();
    await page.getByRole('heading', { name: 'Unknown: it may have happened.' }).waitFor();
    expect(await page.locator('#result').textContent()).toContain('try the link first');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Unknown');
  });

  it('says that the provider is gone, and goes on when it is back', async () => {
    await open('transactions');
    await button('Show more').waitFor();
    await journey.stack.kill('sandbox');
    await press('Show more');
    await page.getByRole('heading', { name: 'The provider cannot be reached.' }).waitFor();
    expect(await orders()).toHaveLength(50);
    await open('transfers');
    await page.getByRole('heading', { name: 'The provider cannot be reached.' }).waitFor();
    await journey.stack.restart('sandbox');
    await press('Try again');
    await page.getByText('Last working day of each month').waitFor();
  });

  it('has a payment of the shop at the top, which leads to its order at the operator and back', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await shopper.close();
    await open('transactions');
    const first = page.locator('.transactions a').first();
    await first.getByText(order).waitFor();
    await first.press('Enter');
    const link = page.getByRole('link', { name: 'Its order in the session server' });
    const { hash, origin } = new URL((await link.getAttribute('href'))!);
    expect(origin).toBe(journey.addresses.operator);
    expect(decodeURIComponent(hash)).toMatch(new RegExp(`^#/search\\?q=${order}\\.\\d+$`));
    await link.press('Enter');
    await page.getByLabel('Key').fill(deriveOperatorKey(journey.stack.secrets));
    await page.getByLabel('Key').press('Enter');
    await page.getByRole('link', { name: order, exact: true }).press('Enter');
    await page.getByRole('link', { name: /^Its transactions/ }).press('Enter');
    await expect.poll(() => page.url()).toContain(`${journey.addresses.console}/transactions?q=`);
    await expect.poll(async () => (await orders()).length).toBe(1);
    expect((await orders())[0]).toContain(order);
  });
});

describe('each page', () => {
  let transaction: string;
  const sizes = new Map<string, Promise<number>>();

  beforeAll(async () => {
    const response = await fetch(`${journey.addresses.consoleApi}/api/transactions?limit=1`);
    const { rows } = (await response.json()) as TransactionsView;
    transaction = `transaction?id=${rows[0]!['id']}`;
  });

  /** A file of the console, compressed once for all pages. */
  function sizeOf(url: string): Promise<number> {
    const size = sizes.get(url) ?? measure(url);
    sizes.set(url, size);
    return size;
  }

  async function measure(url: string): Promise<number> {
    const { pathname, search } = new URL(url);
    const response = await fetch(journey.addresses.consoleApi + pathname + search);
    const body = await response.bytes();
    return Math.min(body.length, (await promisify(brotliCompress)(body)).length);
  }

  /** What the page has loaded for itself, and not asked the back end. */
  function loadedFiles(): Promise<string[]> {
    return page.evaluate(async () => {
      await document.fonts.ready;
      const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
      return [location.href, ...loaded.filter((url) => !new URL(url).pathname.startsWith('/api/'))];
    });
  }

  function overflow(): Promise<number> {
    return page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth - clientWidth;
    });
  }

  it.each(PAGES)(
    'stays where it is while it loads, fits a phone, and is at most 100 kB compressed: /%s',
    async (path, loaded) => {
      await page.setViewportSize({ width: 390, height: 844 });
      await open(path === 'transaction' ? transaction : path);
      await page.locator(loaded).first().waitFor();
      if (!isFirefox) expect(await layoutShiftOf(page)).toBeLessThan(GOOD_CLS);
      const files = await loadedFiles();
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 844 });
        await expect.poll(overflow, { message: `at ${width}` }).toBe(0);
        // All can be hit with a thumb.
        const small = await page.evaluate(() =>
          [...document.querySelectorAll('a, button, input, select, summary')]
            .filter((control) => control.className !== 'skip')
            .map((control) => ({
              name: control.outerHTML,
              box: (control.closest('.choices label') ?? control).getBoundingClientRect(),
            }))
            .filter(({ box }) => box.height > 0 && box.height < 43.9)
            .map(({ name }) => name),
        );
        expect(small, `at ${width}`).toEqual([]);
      }
      await page.setViewportSize({ width: 360, height: 740 });
      await page.evaluate(() => void (document.documentElement.style.fontSize = '200%'));
      await expect.poll(overflow, { message: 'with letters twice as large' }).toBe(0);
      const bytes = (await Promise.all(files.map(sizeOf))).reduce((sum, size) => sum + size, 0);
      expect(bytes).toBeLessThanOrEqual(100_000);
      expect(bytes).toBeGreaterThan(15_000);
    },
  );
});
