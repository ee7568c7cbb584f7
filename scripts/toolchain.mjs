/**
 * The Node and the pnpm that this repository is built with: those of the machine when they fit,
 * otherwise those of the npm registry, which `npx` keeps in npm's own cache.
 *
 * As a script, started by npx, it prints which Node it runs on and where npx has put pnpm.
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { isStartedAs, ROOT, runSetupStep, SetupError } from './child.mjs';

const RECORD_FILE = join(ROOT, '.cache/toolchain.json');
const WINDOWS = process.platform === 'win32';

/** npm hands its own settings to its children, and pnpm would obey them. */
const NPM_LEFTOVERS =
  /^npm_(config_(?!registry|cache|cafile|userconfig|https?_proxy|noproxy)|package_|lifecycle_|execpath|node_execpath|command)|^NODE$/i;

/** Short waits, so that a machine without network says so in seconds and not in minutes. */
const NPX_SETTINGS = {
  npm_config_update_notifier: 'false',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_fetch_retries: '2',
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_retry_maxtimeout: '4000',
};

/** @typedef {{ node: string, pnpmFolder: string }} Toolchain */

/**
 * Finds or fetches Node and pnpm. The environment that comes back has both first on its PATH.
 *
 * @returns {Promise<{ node: string, env: NodeJS.ProcessEnv }>}
 */
export async function prepareToolchain() {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const pnpm = manifest.packageManager.replace(/\+.*/, '');
  const nodeFits = isAtLeast(process.versions.node, manifest.engines.node);
  const pnpmFolder = findPnpm(pnpm, pathOf(process.env));
  const wanted = [
    ...(nodeFits ? [] : [`node@${readFileSync(join(ROOT, '.nvmrc'), 'utf8').trim()}`]),
    ...(pnpmFolder === undefined ? [pnpm] : []),
  ];
  const fetched = wanted.length === 0 ? undefined : (recall(wanted) ?? (await fetch(wanted)));
  const node = nodeFits ? process.execPath : (fetched?.node ?? process.execPath);
  return { node, env: environment([fetched?.pnpmFolder ?? pnpmFolder ?? '', dirname(node)]) };
}

/**
 * Compares a version with the lower bound of `engines.node`.
 *
 * @param {string} version - "22.19.0"
 * @param {string} range - ">=22.19"
 */
export function isAtLeast(version, range) {
  const have = version.split('.').map(Number);
  const want = range
    .replace(/^>=\s*/, '')
    .split('.')
    .map(Number);
  for (const [index, part] of want.entries()) {
    const difference = (have[index] ?? 0) - part;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/**
 * The folder on the PATH whose pnpm is exactly the wanted one. Read from the package beside it and
 * not asked of it: a shim of corepack would go to the network to answer.
 *
 * @param {string} wanted - "pnpm@10.34.9"
 * @param {string} path
 */
export function findPnpm(wanted, path) {
  const folder = path.split(delimiter).find((entry) => entry && existsSync(join(entry, 'pnpm')));
  if (folder === undefined) return undefined;
  try {
    const file = realpathSync(join(folder, 'pnpm'));
    const { name, version } = JSON.parse(
      readFileSync(join(dirname(file), '../package.json'), 'utf8'),
    );
    return `${name}@${version}` === wanted ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {readonly string[]} wanted
 * @returns {Toolchain | undefined}
 */
function recall(wanted) {
  try {
    const { key, toolchain } = JSON.parse(readFileSync(RECORD_FILE, 'utf8'));
    const isThere =
      existsSync(toolchain.node) &&
      (toolchain.pnpmFolder === '' || existsSync(join(toolchain.pnpmFolder, 'pnpm')));
    return key === wanted.join(' ') && isThere ? toolchain : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {readonly string[]} wanted
 * @returns {Promise<Toolchain>}
 */
async function fetch(wanted) {
  const [npx, ...npxArgs] = findNpx();
  const packages = wanted.flatMap((name) => ['-p', name]);
  const report = join('scripts', 'toolchain.mjs');
  const output = await runSetupStep(
    `Getting ${wanted.join(' and ')} from the npm registry`,
    npx,
    [...npxArgs, '-y', ...packages, '--', 'node', report],
    { ...process.env, ...NPX_SETTINGS },
  );
  const line = output.split('\n').find((text) => text.startsWith('{"node"'));
  if (line === undefined) throw new SetupError(`npx gave no usable answer:\n${output}`);
  /** @type {Toolchain} */
  const toolchain = JSON.parse(line);
  mkdirSync(dirname(RECORD_FILE), { recursive: true });
  writeFileSync(RECORD_FILE, JSON.stringify({ key: wanted.join(' '), toolchain }));
  return toolchain;
}

/** @returns {[string, ...string[]]} */
function findNpx() {
  const binFolder = dirname(process.execPath);
  const file = [
    join(dirname(process.env.npm_execpath ?? ''), 'npx-cli.js'),
    join(binFolder, 'node_modules/npm/bin/npx-cli.js'),
    join(binFolder, '../lib/node_modules/npm/bin/npx-cli.js'),
  ].find(existsSync);
  return file === undefined ? ['npx'] : [process.execPath, file];
}

/** @param {readonly string[]} firstFolders */
function environment(firstFolders) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !NPM_LEFTOVERS.test(name) && name.toUpperCase() !== 'PATH',
    ),
  );
  env[WINDOWS ? 'Path' : 'PATH'] = [...firstFolders, pathOf(process.env)]
    .filter((folder) => folder !== '')
    .join(delimiter);
  return env;
}

/** @param {NodeJS.ProcessEnv} env */
function pathOf(env) {
  const name = Object.keys(env).find((key) => key.toUpperCase() === 'PATH');
  return (name === undefined ? undefined : env[name]) ?? '';
}

if (isStartedAs(import.meta.url)) {
  const [npxFolder = ''] = pathOf(process.env).split(delimiter);
  const pnpmFolder = existsSync(join(npxFolder, 'pnpm')) ? npxFolder : '';
  console.log(JSON.stringify({ node: process.execPath, pnpmFolder }));
}
