/**
 * The Node and the pnpm that this repository is built with: those of the machine when they fit, otherwise
 * the packages in toolchain/package-lock.json. npm compares each with its SHA-512 there before it unpacks
 * anything, and runs no install script. Where the registry has no build of the version in `.nvmrc` for a
 * platform, the newest one that fits `engines`.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ROOT, runSetupStep, SetupError } from './child.mjs';

const PACKAGES = join(ROOT, 'scripts/toolchain');
const FOLDER = join(ROOT, '.cache/toolchain');
const WINDOWS = process.platform === 'win32';

/** npm hands its own settings to its children, and npm and pnpm would obey them. */
const NPM_LEFTOVERS =
  /^npm_(config_(?!registry|cache|cafile|userconfig|https?_proxy|noproxy)|package_|lifecycle_|execpath|node_execpath|command)|^NODE$/i;

/** Short waits, so that a machine without network says so in seconds and not in minutes. */
const NPM_SETTINGS = [
  ...['--no-audit', '--no-fund', '--no-update-notifier', '--ignore-scripts'],
  ...['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=4000'],
];

/**
 * Finds or installs Node and pnpm. The environment that comes back has both first on its PATH.
 *
 * @returns {Promise<{ node: string, env: NodeJS.ProcessEnv }>}
 */
export async function prepareToolchain() {
  const { engines, packageManager } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const fits = isAtLeast(process.versions.node, engines.node);
  const pnpm = findPnpm(packageManager.split('+')[0], pathOf(process.env));
  if (fits && pnpm !== undefined) {
    return { node: process.execPath, env: environment([pnpm, dirname(process.execPath)]) };
  }
  const modules = join(await installToolchain(PACKAGES, fits), 'node_modules');
  const name = fits ? undefined : readdirSync(modules).find((entry) => entry.startsWith('node-'));
  if (!fits && name === undefined) {
    throw new SetupError(
      `This is Node ${process.versions.node}. Install Node ${engines.node}: the npm registry has none for ${process.platform}-${process.arch}.`,
    );
  }
  const node = name ? join(modules, name, 'bin', WINDOWS ? 'node.exe' : 'node') : process.execPath;
  return { node, env: environment([join(modules, '.bin'), dirname(node)]) };
}

/**
 * Installs the packages of a lockfile, unless they are there: in a folder that is named for what the
 * lockfile says, and complete as soon as it has that name.
 *
 * @param {string} packages - The folder with `package.json` and `package-lock.json`.
 * @param {boolean} withoutNode
 * @param {string} [parent]
 * @returns {Promise<string>} the folder that has `node_modules`
 */
export async function installToolchain(packages, withoutNode, parent = FOLDER) {
  const lockfile = readFileSync(join(packages, 'package-lock.json'));
  const hash = createHash('sha256').update(lockfile).digest('hex').slice(0, 12);
  const folder = join(parent, withoutNode ? `${hash}-pnpm` : hash);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    for (const file of ['package.json', 'package-lock.json']) {
      cpSync(join(packages, file), join(unfinished, file));
    }
    const [npm, ...words] = findNpm();
    words.push('ci', '--prefix', unfinished, ...(withoutNode ? ['--omit=optional'] : []));
    const env = environment([dirname(process.execPath)]);
    const doing = `Getting ${withoutNode ? 'pnpm' : 'Node and pnpm'} from the npm registry`;
    await runSetupStep(doing, npm, [...words, ...NPM_SETTINGS], env);
    // Another run may have been faster.
    if (!existsSync(folder)) renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/**
 * Compares a version with the lower bound of `engines.node`.
 *
 * @param {string} version - "22.19.0"
 * @param {string} range - ">=22.19"
 */
export function isAtLeast(version, range) {
  const want = range.replace(/^>=\s*/, '');
  return version.localeCompare(want, 'en', { numeric: true }) >= 0;
}

/**
 * The folder on the PATH whose pnpm is exactly the wanted one. Read from the package next to it and
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

/** @returns {[string, ...string[]]} */
function findNpm() {
  const binFolder = dirname(process.execPath);
  const file = [
    join(dirname(process.env.npm_execpath ?? ''), 'npm-cli.js'),
    join(binFolder, 'node_modules/npm/bin/npm-cli.js'),
    join(binFolder, '../lib/node_modules/npm/bin/npm-cli.js'),
  ].find(existsSync);
  return file === undefined ? ['npm'] : [process.execPath, file];
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
