/**
 * `npm run image`: packs the session server and what runs next to it, installs the packages with their
 * production dependencies into an empty folder, writes what that folder holds as an SBOM (CycloneDX),
 * and builds ops/Dockerfile from it with docker, podman or buildah. With `--sbom` it builds no image.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, SetupError, isStartedAs, spawnAndWait } from './child.mjs';

const PACKED = ['partner-api', 'session-server', 'operator', 'widget'];
const FOLDER = join(ROOT, '.cache/image/app');
const SBOM = join(ROOT, '.cache/image/sbom.cdx.json');

/** @param {string} name */
function readManifest(name) {
  const file = join(ROOT, 'packages', name, 'package.json');
  return /** @type {{ name: string, version: string, devDependencies?: Record<string, string> }} */ (
    JSON.parse(readFileSync(file, 'utf8'))
  );
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 */
async function run(command, args, cwd) {
  let output = '';
  const onOutput = (/** @type {string} */ text) => {
    output += text;
  };
  const code = await spawnAndWait(command, args, { cwd, onOutput });
  if (code !== 0) throw new SetupError(`${command} ${args.join(' ')} failed.\n${output}`);
}

/**
 * Fills an empty folder with what the image holds.
 *
 * @param {string} folder
 */
export async function fillImageFolder(folder) {
  const tarballs = join(folder, '..', 'packed');
  rmSync(tarballs, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(tarballs, { recursive: true });
  mkdirSync(folder, { recursive: true });
  /** @type {Record<string, string>} */
  const dependencies = {};
  for (const packed of PACKED) {
    await run('pnpm', ['pack', '--pack-destination', tarballs], join(ROOT, 'packages', packed));
    const { name, version } = readManifest(packed);
    const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
    dependencies[name] = `file:${join(tarballs, file)}`;
  }
  const { name, version, devDependencies } = readManifest('session-server');
  // The driver of PostgreSQL that the server is tested with.
  const { pg = '' } = devDependencies ?? {};
  const project = {
    ...{ name: `${name.split('/').at(-1)}-image`, version, private: true },
    dependencies: { ...dependencies, pg },
    overrides: dependencies,
  };
  const manifest = join(folder, 'package.json');
  writeFileSync(manifest, JSON.stringify(project));
  const words = [
    'install',
    '--omit=dev',
    '--omit=optional',
    '--ignore-scripts',
    '--prefer-offline',
  ];
  await run('npm', [...words, '--no-audit', '--no-fund'], folder);
}

/**
 * Writes the packages of an installed folder as CycloneDX, without the registry that they came from.
 *
 * @param {string} folder
 * @param {string} file
 */
export function writeSbom(folder, file) {
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (status !== 0) throw new SetupError(`npm sbom failed.\n${stderr}`);
  const bom = /** @type {{ components: { externalReferences: { type: string }[] }[] }} */ (
    JSON.parse(stdout)
  );
  for (const component of bom.components) {
    component.externalReferences = component.externalReferences.filter(
      ({ type }) => type !== 'distribution',
    );
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(bom, undefined, 2));
}

/** The first program that can build an image here; undefined where there is none. */
function findBuilder() {
  return ['docker', 'podman', 'buildah'].find(
    (program) => spawnSync(program, ['info'], { stdio: 'ignore' }).status === 0,
  );
}

/**
 * What this program is given to build the image.
 *
 * @param {string} builder
 * @param {string} tag
 */
export function buildArguments(builder, tag) {
  // An image of OCI, the default of both others, has no health check.
  const format = builder === 'docker' ? [] : ['--format', 'docker'];
  return ['build', ...format, '--file', join(ROOT, 'ops/Dockerfile'), '--tag', tag, FOLDER];
}

async function main() {
  await fillImageFolder(FOLDER);
  writeSbom(FOLDER, SBOM);
  console.log(`SBOM: ${SBOM}`);
  if (process.argv.includes('--sbom')) return;
  const builder = findBuilder();
  const tag = `pay-session-server:${readManifest('session-server').version}`;
  if (builder === undefined) {
    throw new SetupError(
      `No image was built: docker, podman or buildah is needed, and its daemon if it has one. Its content is in ${FOLDER}.`,
    );
  }
  const code = await spawnAndWait(builder, buildArguments(builder, tag));
  if (code !== 0) throw new SetupError(`${builder} did not build the image.`);
  console.log(`Image: ${tag}`);
}

if (isStartedAs(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
