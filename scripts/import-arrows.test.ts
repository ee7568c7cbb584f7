import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listCommittedFiles, ROOT } from './committed-files.mjs';

/** Who may know whom. `types` are type imports only; `tests` may not be reached from the sources. */
const ARROWS: Record<string, { code: string[]; types?: string[]; tests?: string[] }> = {
  'packages/partner-api': { code: [] },
  'packages/sandbox': { code: [] },
  'packages/session-server': { code: ['partner-api'], tests: ['sandbox'] },
  'packages/widget': { code: [], types: ['session-server/contract'] },
  demo: { code: ['partner-api', 'session-server', 'widget', 'sandbox'] },
};

const OURS = '@pay-checkout/';
const IMPORT =
  /(?:^|[\n;])\s*(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;

interface Import {
  readonly file: string;
  readonly to: string;
  readonly isType: boolean;
}

function importsOf(folder: string): Import[] {
  return listCommittedFiles(folder)
    .filter((file) => /\.[cm]?[jt]sx?$/.test(file))
    .flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].map((match) => ({
        file,
        to: match[2] ?? match[3] ?? '',
        isType: match[1] !== undefined,
      })),
    );
}

function isTestFile(file: string): boolean {
  return /\.(test|contract|harness)\.ts$|\/(testing|test-world|test-node|journey|bench)\//.test(
    file,
  );
}

describe('import arrows', () => {
  it('every package has its arrows written down here', () => {
    const packages = readdirSync(join(ROOT, 'packages')).filter((name) =>
      existsSync(join(ROOT, 'packages', name, 'package.json')),
    );
    expect(Object.keys(ARROWS).sort()).toEqual(
      ['demo', ...packages.map((name) => `packages/${name}`)].sort(),
    );
  });

  it.each(Object.entries(ARROWS))('%s imports only what it may know', (folder, arrows) => {
    const unlawful = importsOf(folder)
      .filter(({ to }) => to.startsWith(OURS))
      .filter(({ file, to, isType }) => {
        const target = to.slice(OURS.length);
        const name = target.split('/')[0] ?? '';
        const self = folder.split('/').at(-1);
        return !(
          name === self ||
          arrows.code.includes(name) ||
          (isType && arrows.types?.includes(target)) ||
          (isTestFile(file) && arrows.tests?.includes(name))
        );
      })
      .map(({ file, to }) => `${file} imports ${to}`);
    expect(unlawful).toEqual([]);
  });

  it.each(Object.entries(ARROWS))('%s depends only on what it may import', (folder, arrows) => {
    const manifest = JSON.parse(
      readFileSync(join(ROOT, folder, 'package.json'), 'utf8'),
    ) as Partial<Record<string, Record<string, string>>>;
    const namesIn = (field: string): string[] =>
      Object.keys(manifest[field] ?? {})
        .filter((name) => name.startsWith(OURS))
        .map((name) => name.slice(OURS.length));
    const shipped = ['dependencies', 'peerDependencies', 'optionalDependencies'].flatMap(namesIn);
    expect(shipped.filter((name) => !arrows.code.includes(name))).toEqual([]);
    const types = (arrows.types ?? []).map((target) => target.split('/')[0]);
    const forWork = [...arrows.code, ...types, ...(arrows.tests ?? [])];
    expect(namesIn('devDependencies').filter((name) => !forWork.includes(name))).toEqual([]);
  });

  it.each(Object.keys(ARROWS))('no relative import leaves %s', (folder) => {
    const outside = importsOf(folder)
      .filter(({ to }) => to.startsWith('.'))
      .filter(({ file, to }) => {
        const target = relative(ROOT, resolve(ROOT, dirname(file), to));
        // The one thing that tests and benches share: how a browser is found.
        const isShared = isTestFile(file) && /^scripts\/find-\w+\.mjs$/.test(target);
        return !target.startsWith(`${folder}/`) && !isShared;
      })
      .map(({ file, to }) => `${file} imports ${to}`);
    expect(outside).toEqual([]);
  });
});
