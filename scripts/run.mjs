/**
 * Starts one of our programs on a machine that may have nothing but Node and npm: gets what is missing
 * (a newer Node, pnpm, the packages), then runs the program with all of it on the PATH. With `--build`
 * it builds the packages first, with `--build-to-run` only what the demo needs to run.
 *
 *     node scripts/run.mjs [--build | --build-to-run] scripts/test.mjs [its arguments]
 *
 * This file and what it imports run on the machine's own Node, so they keep to what Node 18 knows.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, runSetupStep, spawnAndWait, SetupError } from './child.mjs';
import { prepareToolchain } from './toolchain.mjs';

const STAMP_FILE = join(ROOT, '.cache/installed');

/** Short waits, as in toolchain.mjs. */
const PNPM_SETTINGS = [
  '--config.confirm-modules-purge=false',
  '--config.fetch-retries=2',
  '--config.fetch-retry-mintimeout=1000',
  '--config.fetch-retry-maxtimeout=4000',
];

/** @param {NodeJS.ProcessEnv} env - With pnpm on its PATH. */
async function installPackages(env) {
  if (isInstalled()) return;
  await runSetupStep(
    'Installing the packages',
    'pnpm',
    ['install', '--frozen-lockfile', '--prefer-offline', ...PNPM_SETTINGS],
    env,
  );
  mkdirSync(dirname(STAMP_FILE), { recursive: true });
  writeFileSync(STAMP_FILE, fingerprint());
}

function isInstalled() {
  return existsSync(STAMP_FILE) && readFileSync(STAMP_FILE, 'utf8') === fingerprint();
}

/**
 * Changes with anything that decides what is installed, and with every run of pnpm (which writes
 * `.modules.yaml`), so that an install of another kind is never taken for ours.
 */
function fingerprint() {
  const hash = createHash('sha256');
  const projects = [
    '.',
    'demo',
    'tools',
    ...readdirSync(join(ROOT, 'packages')).map((p) => `packages/${p}`),
  ];
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc'];
  for (const file of [...files, ...projects.map((folder) => join(folder, 'package.json'))]) {
    hash.update(`${file}\n`);
    if (existsSync(join(ROOT, file))) hash.update(readFileSync(join(ROOT, file)));
  }
  for (const folder of projects) {
    hash.update(`${folder} ${existsSync(join(ROOT, folder, 'node_modules'))}\n`);
  }
  const written = statSync(join(ROOT, 'node_modules/.modules.yaml'), { throwIfNoEntry: false });
  return hash.update(String(written?.mtimeMs)).digest('hex');
}

const given = process.argv.slice(2);
const buildOptions = { '--build': [], '--build-to-run': ['--to-run'] }[given[0] ?? ''];
const [program, ...args] = buildOptions ? given.slice(1) : given;

try {
  if (program === undefined) throw new SetupError('Say which program to run.');
  const { node, env } = await prepareToolchain();
  await installPackages(env);
  const buildCode = buildOptions
    ? await spawnAndWait(node, ['scripts/build.mjs', ...buildOptions], { env })
    : 0;
  process.exitCode = buildCode || (await spawnAndWait(node, [program, ...args], { env }));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
