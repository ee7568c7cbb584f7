import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { Servers, type ServersOptions, startServers } from './servers.js';
import { Shopper } from './shopper.js';
import { LATENCY_MS, PATIENCE_MS } from './patience.js';
import { type BrowserHabits, startBrowser } from './start-browser.js';

export interface JourneyOptions extends ServersOptions, Partial<BrowserHabits> {
  /**
   * Whether its shoppers see what moves while they wait. Without a graphics card that is a tenth of all
   * that a journey computes, so most do without.
   */
  readonly hasMotion?: boolean;
}

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

/**
 * A browser of its own for one person; every uncaught error of a page fails the test. What the sandbox's
 * SDKs throw on purpose is none.
 */
export async function newContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    reducedMotion: 'reduce',
    ...options,
  });
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
  return context;
}

/** The servers, and a real browser in front of them. */
export class Journey extends Servers {
  private constructor(
    started: Awaited<ReturnType<typeof startServers>>,
    readonly browser: Browser,
    readonly hasMotion: boolean,
  ) {
    super(started);
  }

  static async start(given: JourneyOptions = {}): Promise<Journey> {
    const { keepsPages = false, hasMotion = false, ...options } = given;
    const [started, browser] = await Promise.all([
      startServers(options),
      startBrowser({ keepsPages }),
    ]);
    return new Journey(started, browser, hasMotion);
  }

  /** A shopper with a browser of their own. */
  async shopper(browser = this.browser): Promise<Shopper> {
    const context = await newContext(browser, {
      reducedMotion: this.hasMotion ? 'no-preference' : 'reduce',
    });
    return new Shopper(await context.newPage(), this.addresses);
  }

  override async stop(): Promise<void> {
    await this.browser.close();
    await super.stop();
  }
}
