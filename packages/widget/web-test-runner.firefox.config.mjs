import { chromeLauncher } from '@web/test-runner-chrome';
import { NEEDS_CHROMIUM, skipTests } from './test-server/skip-tests.ts';
import config from './web-test-runner.config.mjs';

/** Firefox closes the socket of the runner when a navigation starts, even one that leads nowhere. */
const STARTS_NAVIGATION = /^redirecting,|of all phases,|the way to the payment page/;

/** Puppeteer starts a Firefox like a Chrome, and speaks WebDriver BiDi with it. */
const firefox = chromeLauncher({
  launchOptions: { browser: 'firefox', executablePath: process.env.FIREFOX_PATH },
});
firefox.name = 'Firefox';

/** The same tests in the Firefox of this machine, at `FIREFOX_PATH`. */
export default {
  ...config,
  browsers: [firefox],
  plugins: [...config.plugins, skipTests({ body: NEEDS_CHROMIUM, title: STARTS_NAVIGATION })],
  testFramework: { config: { ...config.testFramework.config, timeout: 30_000 } },
};
