import type { Browser, Page } from 'playwright-core';
import { describeKnown, OTHER_MERCHANTS, siteDirectoryOf } from '../stack/settings.js';
import { MERCHANT_NAME, PROVIDER_MERCHANT_ID, ROASTERY_AT_PROVIDER } from '../stack/merchants.js';
import { startConsole, type RunningConsole } from '../testing/running-console.js';
import { collectComplaints } from './complaints.js';
import { newContext } from './journey.js';
import { SandboxControl } from './sandbox-control.js';
import { startBrowser } from './start-browser.js';

const PAST = { count: 1500, days: 90 };

/** What the cells of a column say, in the table that `within` names, by the title of the column. */
export function cellsOf(page: Page, title: string, within = '.transactions'): Promise<string[]> {
  return page.locator(within).evaluateAll((tables, wanted) => {
    const rows = tables.flatMap((table) => [...table.querySelectorAll('tr:not([hidden])')]);
    const [titles, ...others] = rows.map((row) =>
      [...row.children].map(({ textContent }) => textContent.replace(/[↑↓]/, '').trim()),
    );
    const at = titles?.indexOf(wanted) ?? -1;
    return at < 0 ? [] : others.map((cells) => cells[at] ?? '');
  }, title);
}

/**
 * A person at the partner console, with a sandbox behind it and nothing else: neither is a process of its
 * own, so that it starts fast. What needs the shop or the session server is a `Journey`.
 */
export class ConsoleJourney {
  readonly page: Page;
  readonly sandbox: SandboxControl;
  /** What the browser complained of so far, such as a violation of the policy. */
  readonly complaints: readonly string[];
  readonly #console: RunningConsole;
  readonly #browser: Browser;

  private constructor(
    running: RunningConsole,
    browser: Browser,
    page: Page,
    complaints: readonly string[],
  ) {
    this.#console = running;
    this.#browser = browser;
    this.page = page;
    this.complaints = complaints;
    this.sandbox = new SandboxControl(running.providerUrl);
  }

  static async start(): Promise<ConsoleJourney> {
    const shop = { id: PROVIDER_MERCHANT_ID, name: MERCHANT_NAME, currency: 'GBP' };
    const [running, browser] = await Promise.all([
      startConsole({
        siteDirectory: siteDirectoryOf('console'),
        hasPayPage: true,
        sandbox: {
          merchants: [shop, ROASTERY_AT_PROVIDER, ...OTHER_MERCHANTS],
          history: { ...PAST, until: new Date().toISOString() },
        },
        env: { CONSOLE_KNOWN: JSON.stringify(describeKnown(shop.id, shop.name)) },
      }),
      startBrowser({ keepsPages: false }),
    ]);
    const context = await newContext(browser);
    const page = await context.newPage();
    const complaints = await collectComplaints(page, running.address);
    return new ConsoleJourney(running, browser, page, complaints);
  }

  get address(): string {
    return this.#console.address;
  }

  /** What a page is answered, without the page. */
  async read<T>(path: string): Promise<T> {
    return (await this.#console.get(path)).body as T;
  }

  async open(path: string): Promise<void> {
    await this.page.goto(`${this.address}/${path}`);
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.#console.close();
  }
}
