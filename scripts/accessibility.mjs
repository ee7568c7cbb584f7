/**
 * `npm run accessibility`: runs axe on each state of each page, as the tests do, and writes what it counted
 * into docs/accessibility.md, with the date.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import prettier from 'prettier';
import { browserEnvironment, findBrowser } from './browsers.mjs';
import { ROOT, spawnAndWait } from './child.mjs';

/** @typedef {{ page: string, state: string, passes: number, violations: number, incomplete: number }} Count */

const DOCUMENT = join(ROOT, 'docs/accessibility.md');
const FOLDER = join(ROOT, '.cache/accessibility');
const COUNTS = join(FOLDER, 'counts.jsonl');
const PLACE = /(<!-- axe -->\n)[^]*(<!-- \/axe -->)/;

/**
 * Runs one file of tests; its pages add a line to `COUNTS` for each run of axe.
 *
 * @param {string} folder
 * @param {readonly string[]} args
 */
async function runTests(folder, args) {
  const env = { ...process.env, ...browserEnvironment(await findBrowser()) };
  return spawnAndWait(process.execPath, args, {
    cwd: join(ROOT, folder),
    env: { ...env, PAY_AXE_COUNTS: COUNTS },
  });
}

/**
 * The table of the document: a line for each state, with the sums over its runs.
 *
 * @param {readonly Count[]} counts
 */
function renderTable(counts) {
  const states = Map.groupBy(counts, ({ page, state }) => `| ${page} | ${state} |`);
  const lines = [...states].map(([start, runs]) => {
    /** @param {'passes' | 'violations' | 'incomplete'} what */
    const sum = (what) => runs.reduce((total, run) => total + run[what], 0);
    const cells = [runs.length, sum('passes'), sum('violations'), sum('incomplete')];
    return `${start} ${cells.join(' | ')} |`;
  });
  const { version } = createRequire(join(ROOT, 'packages/widget/package.json'))(
    'axe-core/package.json',
  );
  const date = new Date().toISOString().slice(0, 10);
  const sums = `${String(counts.length)} runs of axe ${version} on ${date}, in Chromium:`;
  return `${sums}\n\n| page | state | runs | rules passed | violations | undecided |\n| --- | --- | --: | --: | --: | --: |\n${lines.join('\n')}\n`;
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const runner = join(ROOT, 'packages/widget/node_modules/@web/test-runner/dist/bin.js');
const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
const files = ['--group', 'default', '--files', 'src/pay-checkout/every-state.test.ts'];
const codes = [
  await runTests('packages/widget', [runner, '--config', 'web-test-runner.config.mjs', ...files]),
  await runTests('demo', [vitest, 'run', '--config', 'vitest.journey.config.ts', 'accessibility']),
];
process.exitCode = Math.max(...codes);
if (process.exitCode === 0 && existsSync(COUNTS)) {
  const lines = readFileSync(COUNTS, 'utf8').trim().split('\n');
  const table = renderTable(lines.map((line) => JSON.parse(line)));
  const text = readFileSync(DOCUMENT, 'utf8').replace(PLACE, `$1\n${table}\n$2`);
  const options = await prettier.resolveConfig(DOCUMENT);
  writeFileSync(DOCUMENT, await prettier.format(text, { ...options, filepath: DOCUMENT }));
  console.log(DOCUMENT);
}
