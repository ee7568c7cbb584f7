/** Test suites that run one after the other, each in its runner, and end with the sum of their counts. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { ROOT, SetupError, isStopping, spawnAndWait, stoppedExitCode } from './child.mjs';
import { addCounts, countVitest, formatCounts, judgeRun } from './test-counts.mjs';

/** @typedef {import('./test-counts.mjs').TestCounts} TestCounts */

/**
 * @typedef {object} Suite
 * @property {string} name
 * @property {string} what - What is tested, for the person who reads along.
 * @property {string} folder - Where its runner starts, below the root.
 * @property {(report: string) => string[]} args - Of node; the runner writes its report to that file.
 * @property {(report: any) => TestCounts} count
 */

const RESULTS = join(ROOT, '.cache/test-results');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

/**
 * A suite of vitest.
 *
 * @param {Pick<Suite, 'name' | 'what' | 'folder'> & { config: string }} suite
 * @returns {Suite}
 */
export function vitestSuite({ config, ...suite }) {
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
 * @param {Pick<Suite, 'name' | 'what'> & { config: string }} suite
 * @returns {Suite}
 */
export function elementSuite({ config, ...suite }) {
  return {
    ...suite,
    folder: 'packages/widget',
    args: (report) => [join(ROOT, 'scripts/element-tests.mjs'), report, config],
    count: (counts) => counts,
  };
}

/**
 * Builds, runs the suites that are named, or all, and resolves with an exit code.
 *
 * @param {readonly Suite[]} suites
 * @param {readonly string[]} names
 * @param {() => NodeJS.ProcessEnv | Promise<NodeJS.ProcessEnv>} findEnv - What the runners need.
 */
export async function runSuites(suites, names, findEnv) {
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    const known = suites.map(({ name }) => name).join(', ');
    throw new SetupError(`There is no suite called ${unknown.join(', ')}; there are ${known}.`);
  }
  const env = { ...process.env, ...(await findEnv()) };
  const buildCode = await build();
  if (buildCode !== 0) return buildCode;
  rmSync(RESULTS, { recursive: true, force: true });
  mkdirSync(RESULTS, { recursive: true });

  const results = [];
  for (const suite of suites.filter(({ name }) => names.length === 0 || names.includes(name))) {
    results.push(await runSuite(suite, env));
    if (isStopping()) return stoppedExitCode();
  }
  const sum = addCounts(results.map(({ counts }) => counts));
  // Said once more where nobody has to look for it: CI shows the end of a long output.
  for (const test of sum.notRun) console.log(`\nNOT RUN ${test.replaceAll(ROOT, '')}`);
  for (const failure of sum.failures) console.log(`\nFAILED ${failure.replaceAll(ROOT, '')}`);
  console.log('');
  for (const { name, seconds, counts } of results) {
    console.log(`${name.padEnd(8)} ${seconds.padStart(6)} s  ${formatCounts(counts)}`);
  }
  console.log(`\n${formatCounts(sum)}`);
  return sum.failed === 0 ? 0 : 1;
}

/**
 * @param {Suite} suite
 * @param {NodeJS.ProcessEnv} env
 */
async function runSuite({ name, what, folder, args, count }, env) {
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
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  return { name, seconds, counts: judgeRun(counts, exitCode) };
}
