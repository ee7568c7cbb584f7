import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectAnswers } from './complaints.js';
import { Journey } from './journey.js';

/** Each page, and what it has when it has loaded. */
const PAGES = [
  ['', '.chart'],
  ['transactions', '.transactions'],
  ['checkout-session', 'form'],
  ['transfers', '.rows'],
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
  journey = await Journey.start({ hasConsole: true });
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
  return textsOf('.transactions [data-title="Order"]');
}

async function textsOf(selector: string): Promise<string[]> {
  return (await page.locator(selector).allTextContents()).map((text) => text.trim());
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
    expect(await page.locator('.scroll').first().locator('tbody tr').count()).toBe(7);
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
    expect(await middle()).toEqual([0x27, 0x40, 0x8b]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(middle).toEqual([0xa9, 0xbc, 0xf6]);
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
    const asked = page.waitForRequest(/\/api\/analytics/);
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
    const seen = (await Promise.all(answers)).join('\n');
    expect(seen).toContain('The console needs JavaScript');
    expect(seen.split(key)).toHaveLength(2);
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

  it('loads at most 200 kB for a page, compressed', async () => {
    for (const [path, loaded] of PAGES) {
      const fresh = (await journey.shopper()).page;
      const sizes: Promise<number>[] = [];
      fresh.on('requestfinished', (request) => {
        if (new URL(request.url()).pathname.startsWith('/api/')) return;
        sizes.push(
          request
            .response()
            .then((response) => response!.body())
            .then((body) => Math.min(body.length, brotliCompressSync(body).length)),
        );
      });
      await fresh.goto(`${journey.addresses.console}/${path}`, { waitUntil: 'networkidle' });
      await fresh.locator(loaded).first().waitFor();
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      await fresh.context().close();
      expect({ path, isSmall: bytes <= 200_000, bytes }).toMatchObject({ isSmall: true });
      expect(bytes).toBeGreaterThan(50_000);
    }
  });

  it('fits a small phone when its letters are twice as large', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const [path, loaded] of PAGES) {
      await open(path);
      await page.locator(loaded).first().waitFor();
      const sideways = await page.evaluate(() => {
        const { documentElement: root } = document;
        root.style.fontSize = '200%';
        return root.scrollWidth - root.clientWidth;
      });
      expect({ path, sideways }).toEqual({ path, sideways: 0 });
    }
  });

  it('fits a phone: nothing scrolls sideways, and all can be hit with a thumb', async () => {
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      for (const [path, loaded] of PAGES) {
        await open(path);
        await page.locator(loaded).first().waitFor();
        const found = await page.evaluate(() => ({
          sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          small: [...document.querySelectorAll('a, button, input, select, summary')]
            .filter((control) => control.className !== 'skip')
            .map((control) => ({
              name: control.outerHTML,
              box: (control.closest('.choices label') ?? control).getBoundingClientRect(),
            }))
            .filter(({ box }) => box.height > 0 && box.height < 43.9)
            .map(({ name }) => name),
        }));
        expect({ path, width, ...found }).toEqual({ path, width, sideways: 0, small: [] });
      }
    }
  });
});
