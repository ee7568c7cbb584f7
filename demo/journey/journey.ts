import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { TuningChanges } from '@pay-checkout/session-server';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Stack, startStack as StartStack } from '../stack/stack.js';
import type { ProcessEnv, ProcessName } from '../stack/settings.js';
import { SandboxControl } from './sandbox-control.js';
import { Shopper } from './shopper.js';
import { LATENCY_MS, PATIENCE_MS } from './patience.js';
import { type BrowserHabits, startBrowser } from './start-browser.js';

const TUNED_SESSION_SERVER = fileURLToPath(new URL('./tuned-session-server.ts', import.meta.url));
/** Polls that follow each other this fast use up a minute's usual pages in seconds. */
const TUNING: TuningChanges = { pollIntervalSeconds: 0.3, pollPagesPerMinute: 6000 };

export interface JourneyOptions extends Partial<BrowserHabits> {
  readonly env?: Partial<Record<ProcessName, ProcessEnv>>;
  /** Of the session server. */
  readonly tuning?: TuningChanges;
  /** Default false. */
  readonly hasConsole?: boolean;
}

const BUILT_STACK = new URL('../dist/stack/stack.js', import.meta.url).href;

/**
 * What a Firefox writes down like an uncaught error, though no page has thrown it: of fonts, that
 * their page was left before they came.
 */
const NOTE_OF_FIREFOX =
  /^(Cross-Origin Request Blocked|Content-Security-Policy|The resource from “.+” was blocked|downloadable font: download failed .+ status=2152398850 )/;

/** What the sandbox's SDKs throw, for some shapes and for a session that ended: the element reports it to the page. */
const THROWN_BY_SDK = [
  'configure() throws in this shape.',
  'The browser opened no window.',
  'Nothing was charged. Go back to the shop and start again.',
];

/** Answer of `GET /v1/merchant/orders/{order}`, as far as the journeys check it. */
export interface MerchantOrder {
  readonly state: string;
  readonly certain: boolean;
  readonly amountRefunded: string;
  readonly attention: readonly string[];
  readonly payment?: { readonly method?: string; readonly lastDigits?: string };
  readonly checkouts: readonly {
    readonly checkout: string;
    readonly attempts: readonly { readonly status: string }[];
    readonly transactions: readonly unknown[];
  }[];
}

/** Makes each answer of the network late, and the rest of it like that of a phone far from its mast. */
async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: 200_000,
    uploadThroughput: 100_000,
  });
}

/** Sandbox, session server and shop as real processes, and a real browser in front of them. */
export class Journey {
  readonly stack: Stack;
  readonly sandbox: SandboxControl;
  readonly browser: Browser;
  readonly #folder: string;

  private constructor(stack: Stack, browser: Browser, folder: string) {
    this.stack = stack;
    this.sandbox = new SandboxControl(stack.addresses.sandboxApi);
    this.browser = browser;
    this.#folder = folder;
  }

  static async start({
    env,
    tuning,
    hasConsole = false,
    keepsPages = false,
  }: JourneyOptions = {}): Promise<Journey> {
    // The stack finds its programs beside itself, so it is the built one that runs here.
    const { startStack } = (await import(BUILT_STACK)) as { startStack: typeof StartStack };
    const folder = await mkdtemp(join(tmpdir(), 'journey-'));
    const stack = await startStack({
      dataDirectory: folder,
      ports: { shop: 0, 'session-server': 0, sandbox: 0, console: 0 },
      hasConsole,
      env: {
        ...env,
        'session-server': {
          ...env?.['session-server'],
          TUNING: JSON.stringify({ ...TUNING, ...tuning }),
        },
      },
      programs: { 'session-server': TUNED_SESSION_SERVER },
    });
    const browser = await startBrowser({ keepsPages });
    return new Journey(stack, browser, folder);
  }

  get addresses(): Stack['addresses'] {
    return this.stack.addresses;
  }

  /**
   * A shopper with a browser of their own; every uncaught error of a page fails the test. What the sandbox's
   * SDKs throw on purpose is none.
   */
  async shopper(browser = this.browser): Promise<Shopper> {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    context.setDefaultTimeout(PATIENCE_MS);
    if (LATENCY_MS > 0) {
      // A window may be closed again before it is slow.
      context.on('page', (page) => void slowDown(page).catch(() => undefined));
    }
    context.on('weberror', (found) => {
      const error = found.error();
      if (THROWN_BY_SDK.includes(error.message)) return;
      if (!NOTE_OF_FIREFOX.test(`${error.name}: ${error.message}`)) throw error;
    });
    return new Shopper(await context.newPage(), this.addresses);
  }

  /** What the session server reports to the shop's own back end. */
  async orderAtServer(order: string): Promise<MerchantOrder> {
    const response = await fetch(`${this.addresses.payApi}/v1/merchant/orders/${order}`, {
      headers: { authorization: `Bearer ${this.stack.secrets.merchantApiKey}` },
    });
    return (await response.json()) as MerchantOrder;
  }

  /** Gives an order another price in the shop's own books, as the shop's staff would. */
  changePrice(order: string, totalMinor: number): void {
    const books = new DatabaseSync(join(this.#folder, 'shop.sqlite'), { timeout: 5000 });
    books
      .prepare(`UPDATE orders SET basket = json_set(basket, '$.totalMinor', ?) WHERE number = ?`)
      .run(totalMinor, Number(order.slice(1)));
    books.close();
  }

  /** Asserts that all agree that an order is paid, once: server, shop and timeline. */
  async expectPaid(shopper: Shopper, order: string): Promise<void> {
    await expect.poll(async () => (await shopper.orderView(order)).state).toBe('paid');
    const known = await this.orderAtServer(order);
    expect(known).toMatchObject({ state: 'paid', certain: true, attention: [] });
    expect(known.checkouts.flatMap(({ transactions }) => transactions)).toHaveLength(1);
    const { timeline } = await shopper.orderView(order);
    expect(timeline.filter(({ effect }) => effect === 'paid')).toHaveLength(1);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.stack.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
