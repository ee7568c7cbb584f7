import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, firefox } from 'playwright-core';
import { vi } from 'vitest';
import { findBrowser, findFirefox, findInstalledBrowser } from '../../scripts/browsers.mjs';
import { isFirefox, PATIENCE_MS } from './patience.js';

/** With `keepsPages` the browser keeps pages for the way back, as it does for people. */
export interface BrowserHabits {
  readonly keepsPages: boolean;
}

/** The browser that the journeys run in. */
export async function startBrowser(habits: BrowserHabits): Promise<Browser> {
  return isFirefox ? startFirefox(habits) : startChromium(await findBrowser(), habits);
}

/**
 * A browser that keeps pages for the way back: `main` if it does (the headless shell from npm does not),
 * otherwise an installed Chromium. `undefined` if there is none.
 */
export async function findBrowserThatKeepsPages(main: Browser): Promise<Browser | undefined> {
  if (await canKeepPages(main)) return main;
  const installed = isFirefox ? undefined : findInstalledBrowser();
  if (installed === undefined) return undefined;
  const browser = await startChromium(installed, { keepsPages: true });
  if (await canKeepPages(browser)) return browser;
  await browser.close();
  return undefined;
}

/** Leaves a plain page, goes back, and reads whether the browser shows it as it was left. */
async function canKeepPages(browser: Browser): Promise<boolean> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Plain</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(`${origin}/first`);
    await page.evaluate(() => {
      document.title = 'As it was left';
    });
    await page.goto(`${origin}/second`);
    await page.evaluate(() => void setTimeout(() => history.back()));
    // Not `waitForURL`: no driver hears of a way back to a page that a Firefox kept.
    const title = await vi.waitFor(
      () =>
        page.evaluate(() => {
          if (location.pathname !== '/first') throw new Error('The browser has not gone back yet.');
          return document.title;
        }),
      { timeout: PATIENCE_MS },
    );
    return title === 'As it was left';
  } finally {
    await context.close();
    server.closeAllConnections();
    server.close();
  }
}

function startChromium(
  { executablePath, args, env }: Awaited<ReturnType<typeof findBrowser>>,
  { keepsPages }: BrowserHabits,
): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args,
    env: { ...process.env, ...env },
    ignoreDefaultArgs: keepsPages ? ['--disable-back-forward-cache'] : [],
  });
}

/** The channel makes Playwright speak WebDriver BiDi, which a Firefox as people have it understands. */
function startFirefox({ keepsPages }: BrowserHabits): Promise<Browser> {
  return firefox.launch({
    channel: 'moz-firefox',
    executablePath: findFirefox(),
    firefoxUserPrefs: {
      // Without it a press reaches the frame of another site, and nothing in it.
      'remote.events.async.mouse.enabled': true,
      ...(!keepsPages && { 'browser.sessionhistory.max_total_viewers': 0 }),
    },
  });
}
