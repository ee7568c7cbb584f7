import { type Browser, chromium, firefox } from 'playwright-core';
import { findBrowser } from '../../scripts/find-browser.mjs';
import { findFirefox } from '../../scripts/find-firefox.mjs';
import { isFirefox } from './patience.js';

/** With `keepsPages` the browser keeps pages for the way back, as it does for people. */
export interface BrowserHabits {
  readonly keepsPages: boolean;
}

/** The browser that the journeys run in. */
export function startBrowser(habits: BrowserHabits): Promise<Browser> {
  return isFirefox ? startFirefox(habits) : startChromium(habits);
}

async function startChromium({ keepsPages }: BrowserHabits): Promise<Browser> {
  const { executablePath, args, env } = await findBrowser();
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
