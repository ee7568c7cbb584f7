import { chromeLauncher } from '@web/test-runner-chrome';
import config from './web-test-runner.config.mjs';

/** Titles of tests that need what no Firefox gives to a page or to a driver. */
const NEEDS_CHROMIUM = [
  // A page can ask for a collection of garbage.
  'a thousand tags that come and go leave nothing behind',
  // A driver can say what the person prefers.
  'follows a dark page, and only a page that is dark',
  'turns its spinner slowly for one who wants less motion',
];

/** Puppeteer starts a Firefox like a Chrome, and speaks WebDriver BiDi with it. */
const firefox = chromeLauncher({
  launchOptions: { browser: 'firefox', executablePath: process.env.FIREFOX_PATH },
});
firefox.name = 'Firefox';

/** The same tests in the Firefox of this machine, at `FIREFOX_PATH`. */
export default {
  ...config,
  browsers: [firefox],
  testFramework: {
    config: {
      ...config.testFramework.config,
      timeout: 30_000,
      grep: `/${NEEDS_CHROMIUM.join('|')}/`,
      invert: true,
    },
  },
};
