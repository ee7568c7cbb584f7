/**
 * Checks the types of every project: sources, tests and scripts. Two projects at a time, each with one
 * checker: more checkers of one project repeat each other's work.
 */
import { dirname } from 'node:path';
import { isStopping, spawnAndWait, stoppedExitCode } from './child.mjs';
import { listCommittedFiles } from './committed-files.mjs';

const AT_A_TIME = 2;
const PROJECT = /(^|[/\\])tsconfig(\.node|\.server)?\.json$/;
/** Projects whose packages are installed elsewhere. */
const OUTSIDE = /^(examples|packages[/\\]create[/\\]templates)[/\\]/;

/** @param {string} project */
async function checkTypes(project) {
  let output = '';
  const code = await spawnAndWait('tsc', ['-p', project, '--noEmit', '--checkers', '1'], {
    onOutput: (text) => {
      output += text;
    },
  });
  if (code !== 0 && !isStopping()) console.log(`${project}\n${output}`);
  return code === 0;
}

const files = listCommittedFiles();
/** @param {string} project */
const sizeOf = (project) => files.filter((file) => file.startsWith(`${dirname(project)}/`)).length;

// The largest first, so that none is left to run alone.
const waiting = files
  .filter((file) => PROJECT.test(file) && !OUTSIDE.test(file))
  .sort((a, b) => sizeOf(b) - sizeOf(a));
let isGood = true;
await Promise.all(
  Array.from({ length: AT_A_TIME }, async () => {
    for (let project = waiting.shift(); project !== undefined; project = waiting.shift()) {
      if (isStopping()) return;
      isGood = (await checkTypes(project)) && isGood;
    }
  }),
);
process.exitCode = isStopping() ? stoppedExitCode() : isGood ? 0 : 1;
