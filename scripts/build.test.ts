import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
}

/** The demo and, of our packages, what runs in it. */
function foldersThatRun(folder = 'demo', found = new Set<string>()): ReadonlySet<string> {
  found.add(folder);
  for (const name of Object.keys(readManifest(folder).dependencies ?? {})) {
    const ours = /^@pay-checkout\/(.+)$/.exec(name)?.[1];
    const next = `packages/${ours ?? ''}`;
    if (ours !== undefined && !found.has(next)) foldersThatRun(next, found);
  }
  return found;
}

it('npm start builds each package that runs in the demo, and checks no types', () => {
  const folders = [...foldersThatRun()];
  expect(folders).toContain('packages/partner-api');
  expect(readManifest('.').scripts?.['start']).toContain('--build-to-run');
  for (const folder of folders) {
    const { build = '', 'build:run': toRun = '' } = readManifest(folder).scripts ?? {};
    const steps = toRun === 'pnpm run build' ? build : toRun;
    expect([folder, steps]).not.toEqual([folder, '']);
    for (const step of steps.split(' && ').filter((part) => part.startsWith('tsc '))) {
      expect([folder, step]).toEqual([folder, expect.stringContaining('--noCheck')]);
    }
  }
});
