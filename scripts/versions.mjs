/**
 * `npm run check:versions`: pays with the tag of the previous build at this server, and with this tag at the
 * server of the previous build, in a real browser. The previous build is the newest release; before the first
 * one, the commit before the contract of tag and server changed last. `-- <commit>` takes another.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserEnvironment, findBrowser } from './browsers.mjs';
import { ROOT, SetupError, spawnAndWait } from './child.mjs';

const CONTRACT = ['contract.ts', 'contract-schemas.ts'].map(
  (file) => `packages/session-server/src/${file}`,
);

/** @param {readonly string[]} words */
function git(...words) {
  return execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim();
}

function findPrevious() {
  const [tag] = git('tag', '--list', '@pay-checkout/widget@*', '--sort=-creatordate').split('\n');
  return tag || `${git('log', '-1', '--format=%H', '--', ...CONTRACT)}^`;
}

/**
 * Builds another commit in a folder of its own.
 *
 * @param {string} commit
 */
async function buildOther(commit) {
  const folder = join(ROOT, '.cache/versions', commit);
  if (!existsSync(folder)) git('worktree', 'add', '--detach', folder, commit);
  const code = await spawnAndWait('npm', ['run', '--silent', 'build'], { cwd: folder });
  if (code !== 0) throw new SetupError(`${folder} could not be built.`);
  // A build from before scripts had their hash next to them.
  const script = join(folder, 'packages/widget/dist/pay-checkout.js');
  const hash = createHash('sha384').update(readFileSync(script)).digest('base64');
  writeFileSync(`${script}.integrity`, `sha384-${hash}\n`);
  return folder;
}

async function main() {
  const commit = git('rev-parse', '--short=10', `${process.argv[2] ?? findPrevious()}^{commit}`);
  console.log(`The other version: ${git('show', '--no-patch', '--format=%h of %cs: %s', commit)}`);
  const other = await buildOther(commit);
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = ['run', '--root', 'demo', '--config', 'vitest.versions.config.ts'];
  return spawnAndWait(process.execPath, [vitest, ...args], {
    env: { ...process.env, ...browserEnvironment(await findBrowser()), PAY_OTHER_VERSION: other },
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
