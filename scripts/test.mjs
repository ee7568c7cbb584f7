/**
 * `npm test`: runs every suite, one after the other, and ends with the sum of what the runners counted.
 * `npm test -- unit` runs only the suites that are named. With `--firefox` and `--webkit`
 * (`npm run check:browsers`) the element's tests and the journeys run in the browsers of this machine.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browserEnvironment, findBrowser, findFirefox, findWebKit } from './browsers.mjs';
import { ROOT, SetupError, isStopping, spawnAndWait, stoppedExitCode } from './child.mjs';
import { keepTemporaryFilesInMemory } from './memory-folder.mjs';
import { addCounts, countVitest, formatCounts, checkRun } from './test-counts.mjs';

/** @typedef {import('./test-counts.mjs').TestCounts} TestCounts */

/**
 * @typedef {object} Suite
 * @property {string} name
 * @property {string} what - What is tested, for people.
 * @property {string} [browser] - Where, if not in a Chromium.
 * @property {string} folder - Where its runner starts, below the root.
 * @property {(report: string) => string[]} args - Of node; the runner writes its report to that file.
 * @property {(report: any) => TestCounts} count
 */

const RESULTS = join(ROOT, '.cache/test-results');
/** Profiles of a Firefox that was cut short lie here, and go with it. */
const PROFILES = join(tmpdir(), 'pay-checkout-profiles-');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

/**
 * A suite of vitest.
 *
 * @param {Omit<Suite, 'args' | 'count'> & { config: string }} suite
 * @returns {Suite}
 */
function vitestSuite({ config, ...suite }) {
  const reporters = ['--reporter=default', '--reporter=json'];
  return {
    ...suite,
    args: (report) => [
      ...[VITEST, 'run', '--config', config],
      ...[...reporters, `--outputFile.json=${report}`],
    ],
    count: countVitest,
  };
}

/**
 * The element's tests, in the browser of a configuration of @web/test-runner.
 *
 * @param {Omit<Suite, 'folder' | 'args' | 'count'> & { config: string }} suite
 * @returns {Suite}
 */
function elementSuite({ config, ...suite }) {
  return {
    ...suite,
    folder: 'packages/widget',
    args: (report) => [join(ROOT, 'scripts/element-tests.mjs'), report, config],
    count: (counts) => counts,
  };
}

/** @typedef {{ name: string, seconds: string, counts: TestCounts }} Result */

/**
 * Runs the suites that are named, or all, one after the other.
 *
 * @param {readonly Suite[]} suites
 * @param {readonly string[]} names
 * @param {NodeJS.ProcessEnv} browserEnv
 * @returns {Promise<Result[]>}
 */
async function runSuites(suites, names, browserEnv) {
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    const known = suites.map(({ name }) => name).join(', ');
    throw new SetupError(`There is no suite called ${unknown.join(', ')}; there are ${known}.`);
  }
  keepTemporaryFilesInMemory();
  // Hundreds of programs of ours start; each would compile the same modules again.
  const NODE_COMPILE_CACHE = join(ROOT, '.cache/node-compile');
  const env = { ...process.env, ...browserEnv, NODE_COMPILE_CACHE };
  rmSync(RESULTS, { recursive: true, force: true });
  mkdirSync(RESULTS, { recursive: true });

  const results = [];
  for (const suite of suites.filter(({ name }) => names.length === 0 || names.includes(name))) {
    results.push(await runSuite(suite, env));
    if (isStopping()) break;
  }
  return results;
}

/**
 * Prints what was counted, and what was not run. Returns the exit code.
 *
 * @param {readonly Result[]} results
 * @param {readonly string[]} missing - The browsers that did not start, and why.
 */
function report(results, missing) {
  const sum = addCounts(results.map(({ counts }) => counts));
  // Repeated at the end: CI shows the end of a long output.
  for (const test of sum.notRun) console.log(`\nNOT RUN ${test.replaceAll(ROOT, '')}`);
  for (const failure of sum.failures) console.log(`\nFAILED ${failure.replaceAll(ROOT, '')}`);
  console.log('');
  for (const { name, seconds, counts } of results) {
    console.log(`${name.padEnd(20)} ${seconds.padStart(6)} s  ${formatCounts(counts)}`);
  }
  console.log(`\n${formatCounts(sum)}`);
  for (const browser of missing) console.error(`\n${browser}`);
  return sum.failed + missing.length === 0 ? 0 : 1;
}

/**
 * @param {Suite} suite
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Result>}
 */
async function runSuite({ name, what, browser, folder, args, count }, env) {
  console.log(`\n── ${name}: ${what}`);
  const startedAt = Date.now();
  const report = join(RESULTS, `${name}.json`);
  const exitCode = await spawnAndWait(process.execPath, args(report), {
    env,
    cwd: join(ROOT, folder),
  });
  const counts = existsSync(report)
    ? count(JSON.parse(readFileSync(report, 'utf8')))
    : addCounts([]);
  return {
    name: browser === undefined ? name : `${name} in ${browser}`,
    seconds: ((Date.now() - startedAt) / 1000).toFixed(1),
    counts: checkRun(counts, exitCode),
  };
}

const inChromium = [
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
    what: 'the journeys, in a real browser over the real processes',
    folder: 'demo',
    config: 'vitest.journey.config.ts',
  }),
];

/** @param {string} browser */
const elementIn = (browser) => ({ name: 'element', what: `the element in ${browser}`, browser });
/** @param {string} browser */
const journeysIn = (browser) => ({
  ...{ name: 'journey', what: `the journeys, in ${browser} over the real processes`, browser },
  folder: 'demo',
});

const inFirefox = [
  elementSuite({ ...elementIn('Firefox'), config: 'web-test-runner.firefox.config.mjs' }),
  vitestSuite({ ...journeysIn('Firefox'), config: 'vitest.journey.config.ts' }),
];

const inWebKit = [
  elementSuite({ ...elementIn('WebKitGTK'), config: 'web-test-runner.webkit.config.mjs' }),
  vitestSuite({ ...journeysIn('WebKitGTK'), config: 'vitest.webkit.config.ts' }),
];

/** @param {readonly string[]} names */
async function runInChromium(names) {
  return runSuites(inChromium, names, browserEnvironment(await findBrowser()));
}

/** @param {readonly string[]} names */
async function runInFirefox(names) {
  const path = findFirefox();
  const profiles = mkdtempSync(PROFILES);
  const launcher = join(ROOT, 'scripts/firefox-with-parent.sh');
  try {
    return await runSuites(inFirefox, names, {
      PAY_BROWSER: 'firefox',
      PAY_FIREFOX: path,
      FIREFOX_PATH: process.platform === 'win32' ? path : launcher,
      TMPDIR: profiles,
    });
  } finally {
    rmSync(profiles, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }
}

/** @param {readonly string[]} names */
async function runInWebKit(names) {
  findWebKit();
  return runSuites(inWebKit, names, {});
}

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith('--'));
const OTHERS = [
  { flag: '--firefox', browser: 'Firefox', run: runInFirefox },
  { flag: '--webkit', browser: 'WebKitGTK', run: runInWebKit },
];
const others = OTHERS.filter(({ flag }) => args.includes(flag));

const results = [];
const missing = [];
for (const { browser, run } of others.length > 0
  ? others
  : [{ browser: 'Chromium', run: runInChromium }]) {
  try {
    if (!isStopping()) results.push(...(await run(names)));
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    missing.push(`NOT RUN in ${browser}: ${error.message}`);
  }
}
process.exitCode = isStopping() ? stoppedExitCode() : report(results, missing);
