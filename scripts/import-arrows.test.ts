import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listCommittedFiles, ROOT } from './committed-files.mjs';

/**
 * Who may import whom. `types` are type imports only; `tests` are for tests only; `pages` are built into the
 * pages, with their styles. What a package loads if it is installed is not an import: see `OPTIONAL`.
 */
interface Arrows {
  readonly code: readonly string[];
  readonly types?: readonly string[];
  readonly tests?: readonly string[];
  readonly pages?: readonly string[];
}
const ARROWS: Readonly<Record<string, Arrows>> = {
  'packages/create': { code: [], tests: ['session-server', 'sandbox'] },
  'packages/merchant': { code: [], tests: ['session-server', 'sandbox'] },
  'packages/operator': { code: ['session-server'], pages: ['page-kit'] },
  'packages/page-kit': { code: [] },
  'packages/partner-api': { code: [] },
  'packages/react': { code: ['widget'] },
  'packages/sandbox': { code: [], pages: ['page-kit'] },
  'packages/session-server': { code: ['partner-api'], tests: ['sandbox'] },
  'packages/widget': { code: [], types: ['session-server/contract'] },
  demo: {
    code: ['partner-api', 'session-server', 'operator', 'widget', 'merchant', 'sandbox'],
    pages: ['page-kit'],
  },
  tools: { code: ['session-server', 'operator', 'sandbox'] },
};

/** The one file that loads a package that may be missing, and that package. */
const OPTIONAL = {
  by: 'packages/session-server/src/operator-package.ts',
  name: '@pay-checkout/operator',
};

/** Below the folder with a package's sources. */
const MAX_FOLDER_LEVELS = 2;
/** How many folders may build on each other, one above the other. */
const MAX_STACKED = 10;

const OURS = '@pay-checkout/';
const IMPORT =
  /(?:^|[\n;])\s*(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;

interface Import {
  readonly file: string;
  readonly to: string;
  readonly isType: boolean;
}

function importsOf(folder: string): Import[] {
  return (
    listCommittedFiles(folder)
      // Templates are code of a shop's back end.
      .filter(
        (file) => /\.[cm]?[jt]sx?$/.test(file) && !file.startsWith('packages/create/templates/'),
      )
      .flatMap((file) =>
        [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].map((match) => ({
          file,
          to: match[2] ?? match[3] ?? '',
          isType: match[1] !== undefined,
        })),
      )
  );
}

function isTestFile(file: string): boolean {
  return /\.(test|contract|harness)\.ts$|\/web-test-runner\.webkit\.config\.mjs$|\/(testing|test-server|test-node|journey|bench)\//.test(
    file,
  );
}

/**
 * The rigs reach inside the session server, as it is built, and use what its tests stand on. So do the tests of the
 * operator's package, which need a running server.
 */
function isReachInside(folder: string, file: string, target: string): boolean {
  const isOfOperator = folder === 'packages/operator' && isTestFile(file);
  return isOfOperator
    ? target.startsWith('packages/session-server/src/')
    : folder === 'tools' &&
        /^packages\/(operator\/dist|session-server\/(dist|src\/testing))\//.test(target);
}

function sourcesOf(folder: string): string {
  return folder.startsWith('packages/') ? `${folder}/src` : folder;
}

/** Which folder imports which others, by the first level below the sources; tests do not count. */
function folderImports(folder: string): Map<string, Set<string>> {
  const sources = sourcesOf(folder);
  const folderOf = (file: string): string | undefined => /^([^/.]+)\//.exec(file)?.[1];
  const imports = new Map<string, Set<string>>();
  for (const { file, to } of importsOf(sources)) {
    if (!to.startsWith('.') || isTestFile(file)) continue;
    const from = folderOf(relative(sources, file));
    const target = folderOf(relative(sources, join(dirname(file), to)));
    if (from === undefined || target === undefined || from === target) continue;
    imports.set(from, (imports.get(from) ?? new Set()).add(target));
  }
  return imports;
}

/** Which file imports which others, types and tests included; named without their endings. */
function fileImports(folder: string): Map<string, Set<string>> {
  const nameOf = (file: string): string => file.replace(/\.[cm]?[jt]sx?$/, '');
  const imports = new Map<string, Set<string>>();
  for (const { file, to } of importsOf(folder)) {
    if (!to.startsWith('.')) continue;
    const from = nameOf(file);
    imports.set(from, (imports.get(from) ?? new Set()).add(nameOf(join(dirname(file), to))));
  }
  return imports;
}

function reachableFrom(start: string, imports: ReadonlyMap<string, Set<string>>): Set<string> {
  const reached = new Set<string>();
  const visit = (folder: string): void => {
    for (const target of imports.get(folder) ?? []) {
      if (reached.has(target)) continue;
      reached.add(target);
      visit(target);
    }
  };
  visit(start);
  return reached;
}

/** The imports that close a circle. */
function findCircles(imports: ReadonlyMap<string, Set<string>>): string[] {
  return [...imports].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => to === from || reachableFrom(to, imports).has(from))
      .map((to) => `${from} → ${to}`),
  );
}

/** How many folders build on each other up to this one; where there is no circle. */
function stackedUnder(folder: string, imports: ReadonlyMap<string, Set<string>>): number {
  const below = [...(imports.get(folder) ?? [])].map((target) => stackedUnder(target, imports));
  return 1 + Math.max(0, ...below);
}

describe('import arrows', () => {
  it('every package has its arrows written down here', () => {
    const packages = readdirSync(join(ROOT, 'packages')).filter((name) =>
      existsSync(join(ROOT, 'packages', name, 'package.json')),
    );
    expect(Object.keys(ARROWS).sort()).toEqual(
      ['demo', 'tools', ...packages.map((name) => `packages/${name}`)].sort(),
    );
  });

  it.each(Object.entries(ARROWS))('%s imports only what it may', (folder, arrows) => {
    const forbidden = importsOf(folder)
      .filter(({ to }) => to.startsWith(OURS))
      .filter(({ file, to, isType }) => {
        const target = to.slice(OURS.length);
        const name = target.split('/')[0] ?? '';
        const self = folder.split('/').at(-1);
        return !(
          name === self ||
          arrows.code.includes(name) ||
          (isType && arrows.types?.includes(target)) ||
          (isTestFile(file) && arrows.tests?.includes(name)) ||
          (/\/pages?\//.test(file) && arrows.pages?.includes(name))
        );
      })
      .map(({ file, to }) => `${file} imports ${to}`);
    expect(forbidden).toEqual([]);
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
    const forWork = [...arrows.code, ...types, ...(arrows.tests ?? []), ...(arrows.pages ?? [])];
    expect(namesIn('devDependencies').filter((name) => !forWork.includes(name))).toEqual([]);
  });

  it('one file of the session server loads the operator’s package, and it alone names it', () => {
    const files = listCommittedFiles('packages/session-server').filter(
      (file) => /\.[cm]?[jt]sx?$/.test(file) && !isTestFile(file),
    );
    const texts = files.map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
    const naming = texts.filter(({ text }) =>
      text.split('\n').some((line) => line.includes(`'${OPTIONAL.name}`)),
    );
    expect(naming.map(({ file }) => file)).toEqual([OPTIONAL.by]);
    const loading = texts.filter(({ text }) => /\bimport\((?!\s*['"])/.test(text));
    expect(loading.map(({ file }) => file)).toEqual([OPTIONAL.by]);
    expect(naming[0]?.text.match(/\bimport\(/g)).toHaveLength(1);
    const { peerDependenciesMeta } = JSON.parse(
      readFileSync(join(ROOT, 'packages/session-server/package.json'), 'utf8'),
    ) as { peerDependenciesMeta: Record<string, unknown> };
    expect(peerDependenciesMeta[OPTIONAL.name]).toEqual({ optional: true });
  });

  it.each(Object.keys(ARROWS))('no relative import leaves %s', (folder) => {
    const outside = importsOf(folder)
      .filter(({ to }) => to.startsWith('.'))
      .filter(({ file, to }) => {
        const target = relative(ROOT, resolve(ROOT, dirname(file), to));
        // What tests and benches share: how a browser is found, and how WebKit is started.
        const isShared = isTestFile(file) && /^scripts\/(browsers|webkit)\.mjs$/.test(target);
        return (
          !target.startsWith(`${folder}/`) && !isShared && !isReachInside(folder, file, target)
        );
      })
      .map(({ file, to }) => `${file} imports ${to}`);
    expect(outside).toEqual([]);
  });

  it.each(Object.keys(ARROWS))('no folders of %s import each other in a circle', (folder) => {
    expect(findCircles(folderImports(folder))).toEqual([]);
  });

  it.each(Object.keys(ARROWS))('folders of %s have few others below them', (folder) => {
    const imports = folderImports(folder);
    const high = [...imports.keys()].filter((each) => stackedUnder(each, imports) > MAX_STACKED);
    expect(high).toEqual([]);
  });

  it.each(Object.keys(ARROWS))('no files of %s import each other in a circle', (folder) => {
    expect(findCircles(fileImports(folder))).toEqual([]);
  });

  it.each(Object.keys(ARROWS))('%s has at most two levels of folders', (folder) => {
    const sources = sourcesOf(folder);
    const deeper = listCommittedFiles(sources).filter(
      (file) => relative(sources, file).split('/').length > MAX_FOLDER_LEVELS + 1,
    );
    expect(deeper).toEqual([]);
  });
});
