/**
 * `npm run release`: packs every package, checks it, installs all of them into an empty folder, imports and requires
 * what they export there, in JavaScript and under each `module` of TypeScript that the docs name, and writes the SBOM of the server's image. Publishes nothing, unless it is run with `-- --publish`.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT, SetupError, isStartedAs, spawnAndWait } from './child.mjs';
import { fillImageFolder, writeSbom } from './image.mjs';

/** @typedef {{ types?: string, default?: string }} Entry */
/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {unknown} [repository]
 * @property {Record<string, string | Entry>} exports
 * @property {Record<string, string>} [bin]
 * @property {Record<string, string>} [peerDependencies]
 */

/** The settings of docs/recipes.md, and in which kinds of files they take our packages. */
const MODULE_SETTINGS = [
  { compiler: 'typescript', module: 'preserve', files: ['esm.mts', 'commonjs.cts'] },
  { compiler: 'typescript', module: 'nodenext', files: ['esm.mts', 'commonjs.cts'] },
  { compiler: 'typescript', module: 'node20', files: ['esm.mts', 'commonjs.cts'] },
  { compiler: 'typescript', module: 'node16', files: ['esm.mts'] },
  { compiler: 'typescript-floor', module: 'preserve', files: ['esm.mts', 'commonjs.cts'] },
  { compiler: 'typescript-floor', module: 'nodenext', files: ['esm.mts'] },
];

const TARBALLS = join(ROOT, '.cache/release');

/** @param {string} folder */
function readManifest(folder) {
  return /** @type {Manifest} */ (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
}

const folders = readdirSync(join(ROOT, 'packages')).map((name) => join(ROOT, 'packages', name));
const manifests = folders.map(readManifest);

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
async function run(command, args, cwd = ROOT) {
  let output = '';
  const onOutput = (/** @type {string} */ text) => {
    output += text;
  };
  const code = await spawnAndWait(command, args, { cwd, onOutput });
  if (code !== 0) throw new SetupError(`${command} ${args.join(' ')} failed.\n${output}`);
}

/** @param {Manifest} manifest */
const peersOf = ({ peerDependencies }) => peerDependencies;

/** @param {Manifest} manifest */
function tarballOf({ name, version }) {
  return join(TARBALLS, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
}

/** Everything that a package exports or runs must be there, and what is code must load. */
async function importEach() {
  const folder = mkdtempSync(join(tmpdir(), 'pay-checkout-release-'));
  try {
    const dependencies = Object.fromEntries(
      manifests.map((manifest) => [manifest.name, `file:${tarballOf(manifest)}`]),
    );
    const project = {
      private: true,
      type: 'module',
      // Optional ones, too: without them not every export loads.
      dependencies: Object.assign({}, ...manifests.map(peersOf), dependencies),
      overrides: dependencies,
    };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], folder);
    const names = [];
    for (const { name } of manifests) {
      const installed = join(folder, 'node_modules', name);
      const { exports, bin = {} } = readManifest(installed);
      const files = Object.values(exports).flatMap(filesOf);
      const missing = [...files, ...Object.values(bin)].filter(
        (file) => !existsSync(join(installed, file)),
      );
      if (missing.length > 0) throw new SetupError(`${name} has no ${missing.join(', ')}.`);
      for (const [path, entry] of Object.entries(exports)) {
        const file = typeof entry === 'string' ? entry : entry.default;
        if (file?.endsWith('.js')) names.push(name + path.slice(1));
      }
    }
    const program = names.map((name) => `await import('${name}');`).join('\n');
    writeFileSync(join(folder, 'import.js'), program);
    await run(process.execPath, ['import.js'], folder);
    writeFileSync(
      join(folder, 'require.cjs'),
      names.map((name) => `require('${name}');`).join('\n'),
    );
    await run(process.execPath, ['require.cjs'], folder);
    await compileEach(folder, names);
    console.log(`Installed and imported:\n  ${names.join('\n  ')}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder - In which the packages are installed.
 * @param {readonly string[]} names - What is imported.
 */
async function compileEach(folder, names) {
  const imports = names.map((name, at) => `import * as m${String(at)} from '${name}';`);
  const uses = names.map((_, at) => `m${String(at)}`).join(', ');
  const source = `${imports.join('\n')}\nexport const used: unknown[] = [${uses}];\n`;
  for (const file of ['esm.mts', 'commonjs.cts']) writeFileSync(join(folder, file), source);
  const { resolve } = createRequire(join(ROOT, 'packages/partner-api/package.json'));
  for (const { compiler, module, files } of MODULE_SETTINGS) {
    const tsc = join(dirname(resolve(`${compiler}/package.json`)), 'bin/tsc');
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022'];
    await run(process.execPath, [tsc, ...options, '--module', module, ...files], folder);
  }
}

/**
 * @param {string | Entry} entry
 * @returns {string[]}
 */
function filesOf(entry) {
  return typeof entry === 'string' ? [entry] : Object.values(entry);
}

/**
 * Throws unless npm can prove where each package comes from.
 *
 * @param {readonly Pick<Manifest, 'name' | 'repository'>[]} packages
 */
export function checkPublishable(packages) {
  const unnamed = packages.filter(({ repository }) => !repository).map(({ name }) => name);
  if (unnamed.length === 0) return;
  throw new SetupError(
    `npm publishes with provenance only what names its repository: ${unnamed.join(', ')}.`,
  );
}

async function release() {
  const isPublishing = process.argv.includes('--publish');
  if (isPublishing) checkPublishable(manifests);
  await run('pnpm', ['run', 'check:packages']);
  rmSync(TARBALLS, { recursive: true, force: true });
  mkdirSync(TARBALLS, { recursive: true });
  for (const folder of folders) await run('pnpm', ['pack', '--pack-destination', TARBALLS], folder);
  await importEach();
  const image = join(TARBALLS, 'image/app');
  await fillImageFolder(image);
  writeSbom(image, join(TARBALLS, 'session-server.cdx.json'));
  for (const manifest of isPublishing ? manifests : []) {
    await run('npm', ['publish', tarballOf(manifest)]);
    console.log(`Published ${manifest.name} ${manifest.version}.`);
  }
  if (!isPublishing) console.log('Nothing was published. To publish: npm run release -- --publish');
}

if (isStartedAs(import.meta.url)) {
  try {
    await release();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
