import { chromeLauncher } from '@web/test-runner-chrome';
import config from './web-test-runner.config.mjs';

/**
 * What no Firefox gives: to a page a collection of garbage, to a driver what the person prefers, the
 * accessibility tree and forced colours.
 */
const NEEDS_CHROMIUM = /\b(gc|emulateMedia|inForcedColors|accessibilityTree|isLive)\(/;

/** Firefox closes the socket of the runner when a navigation starts, even one that leads nowhere. */
const STARTS_NAVIGATION = /^redirecting,|of all phases,/;

/** Skips the tests that need what only Chromium has. The counts include them as skipped. */
const skipping = {
  name: 'skip-what-needs-chromium',
  /** @param {{ path: string, body: unknown }} file */
  transform({ path, body }) {
    if (!path.endsWith('.test.ts')) return undefined;
    return `beforeEach(function () {
      const { body, title } = this.currentTest;
      if (${NEEDS_CHROMIUM}.test(body) || ${STARTS_NAVIGATION}.test(title)) this.skip();
    });
    ${body}`;
  },
};

/** Puppeteer starts a Firefox like a Chrome, and speaks WebDriver BiDi with it. */
const firefox = chromeLauncher({
  launchOptions: { browser: 'firefox', executablePath: process.env.FIREFOX_PATH },
});
firefox.name = 'Firefox';

/** The same tests in the Firefox of this machine, at `FIREFOX_PATH`. */
export default {
  ...config,
  browsers: [firefox],
  plugins: [...config.plugins, skipping],
  testFramework: { config: { ...config.testFramework.config, timeout: 30_000 } },
};
