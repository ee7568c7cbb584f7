/**
 * `npm test`: builds, then runs every suite, one after the other, and ends with the sum of what
 * the runners counted. `npm test -- unit` runs only the suites that are named.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { ROOT, SetupError, isStopping, spawnAndWait, stoppedExitCode } from './child.mjs';
import { browserEnvironment, findBrowser } from './find-browser.mjs';
import { addCounts, countVitest, formatCounts, judgeRun } from './test-counts.mjs';

const RESULTS = join(ROOT, '.cache/test-results');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

/**
 * @param {string} name
 * @param {string} config
 */
function vitest(name, config) {
  const report = join(RESULTS, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return [VITEST, 'run', '--config', config, ...reporters];
}

const SUITES = [
  {
    name: 'unit',
    what: 'units and real HTTP',
    folder: '.',
    args: vitest('unit', 'vitest.config.ts'),
    count: countVitest,
  },
  {
    name: 'element',
    what: 'the element in a real browser',
    folder: 'packages/widget',
    args: [join(ROOT, 'scripts/element-tests.mjs'), join(RESULTS, 'element.json')],
    count: (/** @type {import('./test-counts.mjs').TestCounts} */ counts) => counts,
  },
  {
    name: 'journey',
    what: 'the journey, in a real browser over the real processes',
    folder: 'demo',
    args: vitest('journey', 'vitest.journey.config.ts'),
    count: countVitest,
  },
];

/**
 * @param {(typeof SUITES)[number]} suite
 * @param {NodeJS.ProcessEnv} env
 */
async function runSuite({ name, what, folder, args, count }, env) {
  console.log(`\n── ${name}: ${what}`);
  const startedAt = Date.now();
  const cwd = join(ROOT, folder);
  const exitCode = await spawnAndWait(process.execPath, args, { env, cwd });
  const report = join(RESULTS, `${name}.json`);
  const counts = existsSync(report)
    ? count(JSON.parse(readFileSync(report, 'utf8')))
    : { passed: 0, failed: 0, skipped: 0 };
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  return { name, seconds, counts: judgeRun(counts, exitCode) };
}

/** @param {readonly string[]} names */
async function runAll(names) {
  const unknown = names.filter((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    const known = SUITES.map(({ name }) => name).join(', ');
    throw new SetupError(`There is no suite called ${unknown.join(', ')}; there are ${known}.`);
  }
  const buildCode = await build();
  if (buildCode !== 0) return buildCode;
  const env = { ...process.env, ...browserEnvironment(await findBrowser()) };
  rmSync(RESULTS, { recursive: true, force: true });
  mkdirSync(RESULTS, { recursive: true });

  const results = [];
  for (const suite of SUITES.filter(({ name }) => names.length === 0 || names.includes(name))) {
    results.push(await runSuite(suite, env));
    if (isStopping()) return stoppedExitCode();
  }
  console.log('');
  for (const { name, seconds, counts } of results) {
    console.log(`${name.padEnd(8)} ${seconds.padStart(6)} s  ${formatCounts(counts)}`);
  }
  const sum = addCounts(results.map(({ counts }) => counts));
  console.log(`\n${formatCounts(sum)}`);
  return sum.failed === 0 ? 0 : 1;
}

try {
  process.exitCode = await runAll(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
