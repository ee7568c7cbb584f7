/**
 * Builds every package, unless neither a source nor a built file has changed since the last time.
 * `--force` builds anyway. `--to-run` builds only what runs in the demo: no types, which take most of
 * the time, and no other packages.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, isStopping, spawnAndWait, stoppedExitCode } from './child.mjs';

const STAMP_FILE = join(ROOT, '.cache/built');
const NOT_SOURCES = new Set(['node_modules', 'dist', '.cache', 'coverage', 'data', 'docs', 'ops']);
const ROOT_SOURCES = ['package.json', 'pnpm-lock.yaml', 'tsconfig.base.json'];

const isToRun = process.argv.includes('--to-run');
const script = isToRun ? 'build:run' : 'build';

process.exitCode = await build(process.argv.includes('--force'));

/**
 * Resolves with an exit code. Prints the output of the builds only when one fails.
 *
 * @param {boolean} isForced
 */
async function build(isForced) {
  if (!isForced && isBuilt()) return 0;
  const startedAt = Date.now();
  let output = '';
  console.log('Building the packages …');
  const code = await spawnAndWait('pnpm', ['--recursive', 'run', script], {
    onOutput: (text) => {
      output += text;
    },
  });
  if (isStopping()) return stoppedExitCode();
  if (code !== 0) {
    console.error(`${output}\nThe build failed.`);
    return code;
  }
  mkdirSync(dirname(STAMP_FILE), { recursive: true });
  writeFileSync(STAMP_FILE, `${script} ${fingerprint()}`);
  console.log(`Building the packages: done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  return 0;
}

/** What was built as a whole runs, too. */
function isBuilt() {
  if (!existsSync(STAMP_FILE)) return false;
  const [built = '', of] = readFileSync(STAMP_FILE, 'utf8').split(' ');
  return (isToRun ? ['build', script] : [script]).includes(built) && of === fingerprint();
}

/** Sources by their content, built files by size and time of writing. */
function fingerprint() {
  const hash = createHash('sha256');
  const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`);
  for (const file of ROOT_SOURCES) hash.update(readFileSync(join(ROOT, file)));
  for (const folder of [...packages, 'demo']) {
    for (const file of listFiles(folder)) {
      hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
    }
    for (const file of listFiles(join(folder, 'dist'))) {
      const { size, mtimeMs } = statSync(join(ROOT, file));
      hash.update(`${file} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest('hex');
}

/**
 * @param {string} folder - Below the root; may be missing.
 * @returns {string[]}
 */
function listFiles(folder) {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return NOT_SOURCES.has(entry.name) ? [] : listFiles(path);
      return entry.isFile() ? [path] : [];
    });
}
