import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { explainFailure, ROOT } from './child.mjs';
import {
  findPnpm,
  isAtLeast,
  NODE_PACKAGES,
  parsePackageManager,
  unpackVerified,
} from './toolchain.mjs';

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
    writeFileSync(join(folder, 'package/bin/tool'), 'content');
    execFileSync('tar', ['-czf', tarball, '-C', folder, 'package']);
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const hashOf = (bytes: Buffer): string =>
    `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

  it('is unpacked when it has the committed SHA-512', async () => {
    const integrity = hashOf(readFileSync(tarball));
    const unpacked = await unpackVerified(
      tarball,
      { name: 'tool', version: '1.0.0', integrity },
      folder,
    );
    expect(readFileSync(join(unpacked, 'bin/tool'), 'utf8')).toBe('content');
  });

  it('is refused before anything is unpacked when a byte of it differs', async () => {
    const integrity = hashOf(Buffer.concat([readFileSync(tarball), Buffer.from('x')]));
    const unpacking = unpackVerified(
      tarball,
      { name: 'tool', version: '1.0.0', integrity },
      folder,
    );
    await expect(unpacking).rejects.toThrow(/tool@1\.0\.0[^]*expected sha512-[^]*got/);
    expect(existsSync(join(folder, 'tool'))).toBe(false);
  });

  it('is committed with its whole hash, for pnpm and for Node on each platform', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      packageManager: string;
      engines: { node: string };
    };
    const nodes = Object.values(NODE_PACKAGES);
    const nvmrc = readFileSync(join(ROOT, '.nvmrc'), 'utf8').trim();
    expect(NODE_PACKAGES['linux-x64']?.version).toBe(nvmrc);
    for (const { version } of nodes) expect(isAtLeast(version, manifest.engines.node)).toBe(true);
    for (const { integrity } of [...nodes, parsePackageManager(manifest.packageManager)]) {
      expect(Buffer.from(integrity.replace('sha512-', ''), 'base64')).toHaveLength(64);
    }
    expect(() => parsePackageManager('pnpm@10.34.9')).toThrow(/SHA-512/);
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
