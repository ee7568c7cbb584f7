/**
 * `npm run check:browsers`: the element's tests and the journeys in the Firefox of this machine, as
 * people have it. `npm run check:browsers -- journey` runs only the suites that are named.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, SetupError } from './child.mjs';
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

// Profiles of a browser that was cut short lie here, and go with it.
const folder = mkdtempSync(join(tmpdir(), 'check-browsers-'));

/** What the runners need to start Firefox, so that it ends with them. */
function firefoxEnvironment() {
  const firefox = findFirefox();
  return {
    PAY_BROWSER: 'firefox',
    PAY_FIREFOX: firefox,
    FIREFOX_PATH:
      process.platform === 'win32' ? firefox : join(ROOT, 'scripts/firefox-with-parent.sh'),
    TMPDIR: folder,
  };
}

try {
  process.exitCode = await runSuites(SUITES, process.argv.slice(2), firefoxEnvironment);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}
