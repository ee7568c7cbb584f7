/**
 * `npm run check:browsers`: the element's tests and the journeys in the Firefox of this machine, as
 * people have it. `npm run check:browsers -- journey` runs only the suites that are named.
 */
import { SetupError } from './child.mjs';
import { findFirefox } from './find-firefox.mjs';
import { elementSuite, runSuites, vitestSuite } from './suites.mjs';

const SUITES = [
  elementSuite({
    name: 'element',
    what: 'the element in Firefox',
    config: 'web-test-runner.firefox.config.mjs',
  }),
  vitestSuite({
    name: 'journey',
    what: 'the journey, in Firefox over the real processes',
    folder: 'demo',
    config: 'vitest.journey.config.ts',
  }),
];

try {
  process.exitCode = await runSuites(SUITES, process.argv.slice(2), () => ({
    PAY_BROWSER: 'firefox',
    FIREFOX_PATH: findFirefox(),
  }));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
