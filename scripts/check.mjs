/**
 * `npm run check`: everything that can be checked without running the tests. All checks run;
 * those that failed are listed at the end. `npm run check -- lint types` runs only those.
 */
import { isStopping, spawnAndWait, stoppedExitCode } from './child.mjs';

/** Most checks use one core; the longest come first. */
const AT_A_TIME = 2;

const CHECKS = {
  lint: { what: 'oxlint, typed', script: 'check:lint' },
  packages: {
    what: 'what npm and the image would get (publint, are the types wrong)',
    script: 'check:packages',
  },
  types: { what: 'strict types, tests and scripts included', script: 'check:types' },
  docs: { what: 'the documents as a site, without a dead link', script: 'check:docs' },
  unused: { what: 'unused files, exports and dependencies (knip)', script: 'check:unused' },
  rules: { what: 'import arrows and house rules', script: 'check:rules' },
  format: { what: 'oxfmt', script: 'check:format' },
  size: { what: "size of the element's script and of its languages", script: 'check:size' },
};

/** @typedef {keyof typeof CHECKS} CheckName */

/** @param {CheckName} name */
async function runCheck(name) {
  const { what, script } = CHECKS[name];
  const startedAt = Date.now();
  let output = '';
  const code = await spawnAndWait('pnpm', ['run', script], {
    onOutput: (text) => {
      output += text;
    },
  });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}: ${what} (${seconds} s)`);
  if (code !== 0 && !isStopping()) console.log(`\n${output}`);
  return code === 0;
}

/** @param {readonly string[]} names */
async function runChecks(names) {
  const known = /** @type {CheckName[]} */ (Object.keys(CHECKS));
  const unknown = names.filter((name) => !known.some((check) => check === name));
  if (unknown.length > 0) {
    console.error(`There is no check called ${unknown.join(', ')}; there are ${known.join(', ')}.`);
    return 1;
  }
  const waiting = known.filter((check) => names.length === 0 || names.includes(check));
  /** @type {CheckName[]} */
  const failed = [];
  const runWaiting = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      if (!(await runCheck(name))) failed.push(name);
      if (isStopping()) return;
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, runWaiting));
  if (isStopping()) return stoppedExitCode();
  if (failed.length === 0) return 0;
  console.log(
    `\nFailed: ${failed.join(', ')}. To run one alone: npm run check -- ${String(failed[0])}`,
  );
  return 1;
}

process.exitCode = await runChecks(process.argv.slice(2));
