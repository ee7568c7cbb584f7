import { chromeLauncher } from '@web/test-runner-chrome';
import { NEEDS_CHROMIUM, skipTests } from './test-server/skip-tests.ts';
import config from './web-test-runner.config.mjs';

/** Firefox closes the socket of the runner when a navigation starts, even one that leads nowhere. */
const STARTS_NAVIGATION = /^redirecting,|of all phases,|the way to the payment page/;

/** Puppeteer starts a Firefox like a Chrome, and speaks WebDriver BiDi with it. */
function startFirefox() {
  const firefox = chromeLauncher({
    launchOptions: { browser: 'firefox', executablePath: process.env.FIREFOX_PATH },
  });
  firefox.name = 'Firefox';
  return firefox;
}

/** In a Firefox whose own buttons have had the focus, as other files leave it, these tests hang. */
const IN_A_FIREFOX_OF_ITS_OWN = 'src/pay-checkout/overlay-focus.test.ts';

/** The same tests in the Firefox of this machine, at `FIREFOX_PATH`. */
export default {
  ...config,
  files: ['src/**/*.test.ts', `!${IN_A_FIREFOX_OF_ITS_OWN}`],
  browsers: [startFirefox()],
  groups: [{ name: 'overlay', files: IN_A_FIREFOX_OF_ITS_OWN, browsers: [startFirefox()] }],
  concurrentBrowsers: 1,
  plugins: [...config.plugins, skipTests({ body: NEEDS_CHROMIUM, title: STARTS_NAVIGATION })],
};
