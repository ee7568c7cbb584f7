/** Installs the packages of the workspace, unless nothing has changed since they were installed. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, runSetupStep } from './child.mjs';

const STAMP_FILE = join(ROOT, '.cache/installed');

/** Same reason as in toolchain.mjs: offline is to be told soon. */
const PNPM_SETTINGS = [
  '--config.confirm-modules-purge=false',
  '--config.fetch-retries=2',
  '--config.fetch-retry-mintimeout=1000',
  '--config.fetch-retry-maxtimeout=4000',
];

/** @param {NodeJS.ProcessEnv} env - With pnpm on its PATH. */
export async function installPackages(env) {
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
 * `.modules.yaml`), so that another install than ours is never taken for ours.
 */
function fingerprint() {
  const hash = createHash('sha256');
  const projects = [
    '.',
    'demo',
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
