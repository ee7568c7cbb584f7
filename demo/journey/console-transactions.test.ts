/** The list of transactions in the partner console, and a single transaction. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TransactionsView } from '../console/console-view.js';
import { expectNoBarriers } from './barriers.js';
import { cellsOf, ConsoleJourney } from './console-journey.js';

let journey: ConsoleJourney;
let page: Page;

beforeAll(async () => {
  journey = await ConsoleJourney.start();
  ({ page } = journey);
  await page.setViewportSize({ width: 1280, height: 900 });
});
afterAll(() => journey.stop());

function button(name: string): Locator {
  return page.getByRole('button', { name, exact: true });
}

/** By the keyboard: a mouse may miss a button below while the page scrolls to it. */
function press(name: string): Promise<void> {
  return button(name).press('Enter');
}

/** Asks with the filters of the form, and waits for the answer: what was there before may equal it. */
async function show(): Promise<void> {
  await press('Show');
  await page.locator('#result:not([aria-busy])').waitFor();
}

/** The orders of the rows on the page. */
function orders(): Promise<string[]> {
  return cellsOf(page, 'Order');
}

/** The statuses of the rows, each once and without what was given back. */
async function statuses(): Promise<Set<string>> {
  const texts = await page.locator('.transactions [data-status]').allInnerTexts();
  return new Set(texts);
}

/** The words of what has the focus. */
function focused(): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.textContent?.trim());
}

/** The cells of a column, without what stands around a number. */
async function numbersOf(title: string): Promise<number[]> {
  const texts = await cellsOf(page, title);
  return texts.map((text) => Number(text.replace(/[^\d.]/g, '')));
}

describe('the transactions', () => {
  it('filters transactions, shows more of them, and all that is known of one', async () => {
    await journey.open('transactions');
    await page.locator('#status').selectOption('SUCCESS');
    await page.locator('#merchantId').fill('1002');
    await show();
    expect(new Set(await cellsOf(page, 'Merchant'))).toEqual(new Set(['Lanternfish Books']));
    const first = await orders();
    await press('Show more');
    await expect.poll(async () => (await orders()).length).toBe(100);
    const all = await orders();
    expect(all.slice(0, 50)).toEqual(first);
    expect(new Set(all).size).toBe(100);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-controls'))).toBe(
      'row-50',
    );
    await page.keyboard.press('Enter');
    expect(await page.locator('#row-50').textContent()).toContain('pspReference');
    expect(await statuses()).toEqual(new Set(['Succeeded']));
    await page.reload();
    await expect.poll(orders).toEqual(all);
  });

  it('draws the rows that are added, and none of those that stand', async () => {
    await journey.open('transactions');
    await button('Show more').waitFor();
    const drawn = await page.evaluateHandle(() => {
      const counted = { times: 0 };
      const parse = Date.parse.bind(Date);
      // Each row that is drawn has its moment read once.
      Date.parse = (text) => {
        counted.times += 1;
        return parse(text);
      };
      return counted;
    });
    for (const rows of [100, 150]) {
      await press('Show more');
      await expect.poll(async () => (await orders()).length).toBe(rows);
      expect(await drawn.evaluate(({ times }) => times)).toBe(rows - 50);
    }
  });

  it('says that a row of the provider cannot be read, and shows those around it', async () => {
    await page.route('**/api/transactions?*', (route) =>
      route.fulfill({
        json: { rows: [{ id: 'a', orderRef: 'A1' }], unreadable: 1, hasMore: false, others: {} },
      }),
    );
    await journey.open('transactions');
    await page.getByText('1 row of the provider cannot be read').waitFor();
    expect(await orders()).toEqual(['A1']);
    await page.unroute('**/api/transactions?*');
  });

  it('unfolds the filters that are in the address, and those that are wrong', async () => {
    await journey.open('transactions?timezone=UTC');
    await page.getByLabel('Time zone of the days').waitFor();
    await page.getByText('More filters').click();
    await page.getByLabel('Time zone of the days').waitFor({ state: 'hidden' });
    await page.locator('#resellerId').evaluate((field: HTMLInputElement) => (field.value = 'x'));
    await press('Show');
    await page.locator('#resellerId-error').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('resellerId');
  });

  it('adds to a list while the page of another list is still to come', async () => {
    await journey.open('transactions');
    await button('Show more').waitFor();
    await journey.sandbox.holdNext('transactions-list');
    await press('Show more');
    await expect.poll(() => journey.sandbox.heldCalls()).toBe(1);
    await page.locator('#status').selectOption('SUCCESS');
    await show();
    await press('Show more');
    await expect.poll(async () => (await orders()).length).toBe(100);
    await journey.sandbox.releaseFaults();
  });

  it('adds nothing to a list that makes way for one still to come', async () => {
    await journey.open('transactions');
    await button('Show more').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname === '/api/transactions') asked.push(search);
    });
    await journey.sandbox.holdNext('transactions-list');
    await page.locator('#status').selectOption('REFUND');
    await press('Show');
    await expect.poll(() => journey.sandbox.heldCalls()).toBe(1);
    await press('Show more');
    await journey.sandbox.releaseFaults();
    await page.locator('#result:not([aria-busy])').waitFor();
    expect(await statuses()).toEqual(new Set(['Refunded']));
    expect(asked).toEqual([expect.stringContaining('REFUND')]);
  });

  it('has the filtered list as a file', async () => {
    await journey.open('transactions?status=REFUND');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      press('Export all as CSV'),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines.length).toBeGreaterThan(50);
    expect(lines.slice(1).every((line) => /,"?REFUNDED"?,/.test(line))).toBe(true);
  });

  it('are added up exactly, in each currency, for the rows that are shown', async () => {
    await page.route('**/api/transactions?*', (route) =>
      route.fulfill({
        json: {
          rows: [
            { id: 'a', currencyCode: 'GBP', amount: '0.10', amountRefunded: '0.10' },
            { id: 'b', currencyCode: 'GBP', amount: '0.20' },
            { id: 'c', currencyCode: 'KWD', amount: '9007199254740993.001' },
          ],
          ...{ unreadable: 0, hasMore: false, others: {} },
        },
      }),
    );
    await journey.open('transactions');
    await page.getByText('Totals of 3 transactions shown').waitFor();
    expect(await cellsOf(page, 'Currency', '.totals')).toEqual(['GBP', 'KWD']);
    const [pounds, dinars] = await cellsOf(page, 'Amount', '.totals');
    expect(pounds).toBe('£0.30');
    expect(dinars).toMatch(/9,007,199,254,740,993\.001$/);
    expect((await cellsOf(page, 'Refunded', '.totals'))[0]).toMatch(/^£0\.10\s*of 1$/);
    await page.unroute('**/api/transactions?*');
  });

  it('are sorted by exact amounts, with the columns of choice, and stay so after a reload', async () => {
    await journey.open('transactions?merchantId=1002');
    await press('Amount');
    await expect.poll(() => page.url()).toContain('sort=amount');
    const amounts = await numbersOf('Amount');
    expect(amounts).toEqual(amounts.toSorted((one, other) => one - other));
    await page.getByText('Columns', { exact: true }).click();
    await page.getByLabel('net', { exact: true }).check();
    await page.getByLabel('Paid with').uncheck();
    await expect.poll(() => numbersOf('net').then(({ length }) => length)).toBe(50);
    await page.reload();
    await expect.poll(() => numbersOf('Amount')).toEqual(amounts);
    expect(await numbersOf('net')).toHaveLength(50);
    expect(await cellsOf(page, 'Paid with')).toEqual([]);
    const heading = page.locator('.transactions').getByRole('columnheader', { name: 'Amount' });
    expect(await heading.getAttribute('aria-sort')).toBe('ascending');
  });

  it('are found by a text in any field, in all rows and not only in those that are shown', async () => {
    const list = '/api/transactions?limit=500';
    const { nextCursor } = await journey.read<TransactionsView>(list);
    const { rows } = await journey.read<TransactionsView>(`${list}&cursor=${nextCursor}`);
    const old = rows.at(-1)!['orderRef']!;
    await journey.open('transactions');
    await page.getByLabel('Search').fill(old.toLowerCase());
    await show();
    expect(await orders()).toEqual([old]);
    expect(page.url()).toContain(`q=${old.toLowerCase()}`);
    await page.getByLabel('Search').fill('nothing like this');
    await show();
    await page.getByText('No transactions match this search.').waitFor();
  });

  it('are where they were when a person comes back from one of them', async () => {
    await journey.open('transactions');
    await press('Show more');
    await expect.poll(async () => (await orders()).length).toBe(100);
    const link = page.locator('.transactions a').nth(80);
    await link.scrollIntoViewIfNeeded();
    const order = (await link.textContent())!.trim();
    const scrolled = await page.evaluate(() => scrollY);
    await link.press('Enter');
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await expectNoBarriers(page, 'the console', 'transaction');
    expect(await page.getByRole('region', { name: 'Summary' }).innerText()).toContain(order);
    await page.goBack();
    await expect.poll(async () => (await orders()).length).toBe(100);
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(scrolled);
  });

  it('are exported with the number of rows so far, until a person stops it', async () => {
    await journey.open('transactions');
    // Else the call that is held is the one for the list.
    await button('Export all as CSV').waitFor();
    await journey.sandbox.holdNext('transactions-list');
    await press('Export all as CSV');
    await page.getByText('0 rows so far').waitFor();
    await expect.poll(() => journey.sandbox.heldCalls()).toBe(1);
    await press('Stop');
    await page.getByText('Stopped. No file was saved.').waitFor();
    expect(await focused()).toBe('Export all as CSV');
    await journey.sandbox.releaseFaults();
  });

  it('are not waited for when a person stops a slow answer, who can then ask again', async () => {
    await journey.sandbox.holdNext('transactions-list');
    await journey.open('transactions');
    await press('Stop waiting');
    await page.getByText('try again at any time').waitFor();
    expect(await focused()).toBe('You stopped waiting.');
    await press('Try again');
    await button('Show more').waitFor();
    await journey.sandbox.holdNext('transactions-list');
    await press('Show more');
    await press('Stop waiting');
    await page.getByText('Stopped. No more were added.').waitFor();
    expect(await focused()).toBe('Show more');
    await press('Show more');
    await expect.poll(async () => (await orders()).length).toBe(100);
    await journey.sandbox.releaseFaults();
  });

  it('say that there are none, and what to do next', async () => {
    await journey.open('transactions?fromDate=2001-01-01&toDate=2001-01-02');
    await page.getByText('Try more days').waitFor();
    await journey.open('transaction');
    await page.getByText('No transaction chosen').waitFor();
  });

  it('say that an export was cut off, and save nothing', async () => {
    await journey.open('transactions');
    let downloads = 0;
    page.on('download', () => (downloads += 1));
    await page.route('**/api/transactions.csv*', (route) => route.abort());
    await press('Export all as CSV');
    await page.getByRole('heading', { name: 'The export was cut off.' }).waitFor();
    expect(downloads).toBe(0);
    await page.unroute('**/api/transactions.csv*');
  });

  it('have not made the browser complain', () => {
    expect(journey.complaints).toEqual([]);
  });
});
