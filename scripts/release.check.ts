/**
 * `npm run release`: every package as npm would get it, installed with its peers into an empty folder.
 * Needs the npm registry, and publishes nothing.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './committed-files.mjs';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The settings of docs/recipes.md, and in which kinds of files they take our packages. */
const MODULE_SETTINGS = [
  { compiler: '@typescript/native', module: 'preserve', files: ['esm.mts', 'commonjs.cts'] },
  { compiler: '@typescript/native', module: 'nodenext', files: ['esm.mts', 'commonjs.cts'] },
  { compiler: '@typescript/native', module: 'node20', files: ['esm.mts', 'commonjs.cts'] },
  { compiler: '@typescript/native', module: 'node16', files: ['esm.mts'] },
  { compiler: 'typescript-floor', module: 'preserve', files: ['esm.mts', 'commonjs.cts'] },
  { compiler: 'typescript-floor', module: 'nodenext', files: ['esm.mts'] },
];
const COMPILERS = [ROOT, join(ROOT, 'packages/partner-api')];
const OPTIONS = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022'];

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** `page-kit` is built into the pages of others. */
const packages = readdirSync(join(ROOT, 'packages'))
  .filter((name) => name !== 'page-kit')
  .map((name) => join(ROOT, 'packages', name));
const manifests = packages.map(readManifest);
const folder = mkdtempSync(join(tmpdir(), 'pay-checkout-release-'));

/** Runs a command to its end; the error has what it printed. */
async function run(command: string, args: readonly string[], cwd = folder): Promise<void> {
  try {
    await promisify(execFile)(command, args, { cwd });
  } catch (cause) {
    const { stdout } = cause as { stdout?: string };
    throw new Error(`${command} ${args.join(' ')} failed: ${stdout ?? ''}`, { cause });
  }
}

describe('the packages of a release', () => {
  /** What can be imported, by its full name. */
  const names: string[] = [];

  beforeAll(async () => {
    const dependencies: Record<string, string> = {};
    for (const [index, { name, version }] of manifests.entries()) {
      await run('pnpm', ['pack', '--pack-destination', folder], packages[index]);
      dependencies[name] = `file:${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
    }
    // Optional peers, too: without them not every export loads.
    const peers = Object.assign({}, ...manifests.map((it) => it.peerDependencies)) as object;
    const project = { dependencies: { ...peers, ...dependencies }, overrides: dependencies };
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ private: true, type: 'module', ...project }),
    );
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline']);
    for (const { name, exports } of manifests) {
      for (const [path, entry] of Object.entries(exports)) {
        const file = typeof entry === 'string' ? entry : entry['default'];
        if (file?.endsWith('.js')) names.push(name + path.slice(1));
      }
    }
    const imports = names.map((name, at) => `import * as m${String(at)} from '${name}';`);
    const used = names.map((_, at) => `m${String(at)}`).join(', ');
    const source = `${imports.join('\n')}\nexport const used: unknown[] = [${used}];\n`;
    for (const file of ['esm.mts', 'commonjs.cts']) writeFileSync(join(folder, file), source);
  }, 180_000);
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each(manifests)('have everything that $name exports and runs', ({ name }) => {
    const installed = join(folder, 'node_modules', name);
    const { exports, bin = {} } = readManifest(installed);
    const files = Object.values(exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );
    expect(files).not.toEqual([]);
    const isMissing = (file: string) => !existsSync(join(installed, file));
    expect([...files, ...Object.values(bin)].filter(isMissing)).toEqual([]);
  });

  it.each([
    ['import', 'import.js', (name: string) => `await import('${name}');`],
    ['require', 'require.cjs', (name: string) => `require('${name}');`],
  ])('load by %s', async (_, file, load) => {
    writeFileSync(join(folder, file), names.map(load).join('\n'));
    await run(process.execPath, [file]);
  });

  it.each(MODULE_SETTINGS)(
    'compile by $compiler in $module',
    async ({ compiler, module, files }) => {
      const tsc = COMPILERS.map((it) => join(it, 'node_modules', compiler, 'bin/tsc')).find(
        existsSync,
      );
      await run(process.execPath, [tsc ?? compiler, ...OPTIONS, '--module', module, ...files]);
    },
  );
});
