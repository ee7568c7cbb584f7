/**
 * `npm test`: builds, then runs every suite, one after the other, and ends with the sum of what
 * the runners counted. `npm test -- unit` runs only the suites that are named.
 */
import { SetupError } from './child.mjs';
import { browserEnvironment, findBrowser } from './find-browser.mjs';
import { elementSuite, runSuites, vitestSuite } from './suites.mjs';

const SUITES = [
  vitestSuite({
    name: 'unit',
    what: 'units and real HTTP',
    folder: '.',
    config: 'vitest.config.ts',
  }),
  elementSuite({
    name: 'element',
    what: 'the element in a real browser',
    config: 'web-test-runner.config.mjs',
  }),
  vitestSuite({
    name: 'journey',
    what: 'the journey, in a real browser over the real processes',
    folder: 'demo',
    config: 'vitest.journey.config.ts',
  }),
];

try {
  process.exitCode = await runSuites(SUITES, process.argv.slice(2), async () =>
    browserEnvironment(await findBrowser()),
  );
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
