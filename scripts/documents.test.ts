import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listCommittedFiles, ROOT } from './committed-files.mjs';
import { packDocs } from './pack-docs.mjs';

const pages = listCommittedFiles().filter((file) => file.endsWith('.md'));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const withoutCode = (text: string): string => text.replace(/^```[^]*?^```$/gm, '');

/** What a page links to in this repository. */
const linksOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !link.startsWith('https:'));

/** The names under which the headings of a page can be linked to. */
function anchorsOf(file: string): Set<string> {
  const headings = withoutCode(read(file)).matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe('the documents', () => {
  it('link to files and headings that are there', () => {
    const broken = pages.flatMap((page) =>
      linksOf(read(page))
        .filter((link) => {
          const [path = '', anchor] = link.split('#');
          const file = path === '' ? page : join(dirname(page), path);
          if (!existsSync(join(ROOT, file))) return true;
          return anchor !== undefined && !anchorsOf(file).has(anchor);
        })
        .map((link) => `${page}: ${link}`),
    );
    expect(pages.length).toBeGreaterThan(20);
    expect(broken).toEqual([]);
  });

  it('are all in the contents of the site', () => {
    const contents = read('docs/.vitepress/config.ts');
    const left = pages
      .filter((page) => /^(docs|packages)\//.test(page))
      .filter((page) => !/^docs\/(decisions|reference)\//.test(page))
      .map((page) => page.replace(/^docs\/|(\/README)?\.md$/g, ''))
      .filter((name) => !contents.includes(`'${name}'`));
    expect(left).toEqual([]);
  });

  it('name only tests that are there, by their titles', () => {
    const links = pages.flatMap((page) =>
      [...read(page).matchAll(/\[([^\]]+)\]\(([^)\s]+\.(?:test|contract)\.ts)\)/g)].map(
        ([, title = '', path = '']) => ({ title, file: join(dirname(page), path) }),
      ),
    );
    const missing = links.filter(({ title, file }) => {
      const source = read(file);
      return !["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
    });
    expect(links.length).toBeGreaterThan(15);
    expect(missing).toEqual([]);
  });

  it('name only commands of package.json that are there', () => {
    const scriptsOf = (file: string): string[] =>
      Object.keys((JSON.parse(read(file)) as { scripts?: object }).scripts ?? {});
    // Those of the folder that `npm create` writes are there as well.
    const template = read('packages/create/templates/packages.json');
    const ofTemplate = [...template.matchAll(/"(\w+)": "node --env-file/g)].map(([, name]) => name);
    const ofRoot = [...scriptsOf('package.json'), ...ofTemplate];
    const ofAll = listCommittedFiles()
      .filter((file) => /(^|\/)package\.json$/.test(file))
      .flatMap(scriptsOf);
    const missing = pages.flatMap((page) => {
      const text = read(page);
      const npm = [...text.matchAll(/\bnpm run ([\w:]+)/g)].map(([, name = '']) => name);
      const pnpm = [...text.matchAll(/`pnpm (?:--filter \S+ )?(?:run )?([a-z]+:?[a-z]*)/g)];
      return [
        ...npm.filter((name) => !ofRoot.includes(name)),
        ...pnpm
          .map(([, name = '']) => name)
          .filter((name) => !['vitest', 'audit', ...ofAll].includes(name)),
      ].map((name) => `${page}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  it('install and run our packages, and their peers, by their full names', () => {
    const known = listCommittedFiles()
      .filter((file) => /^packages\/[^/]+\/package\.json$/.test(file))
      .map((file) => JSON.parse(read(file)) as { name: string; peerDependencies?: object })
      .flatMap(({ name, peerDependencies = {} }) => [name, ...Object.keys(peerDependencies)]);
    const named = pages.flatMap((page) => {
      const text = read(page);
      const run = [...text.matchAll(/\bnpx ([@\w/-]+)/g)];
      const installed = [...text.matchAll(/\bnpm install(?: -g)?((?: [@\w/-]+)+)/g)];
      return [...run, ...installed].flatMap(([, names = '']) => names.trim().split(' '));
    });
    expect(named.length).toBeGreaterThan(8);
    // The framework of the quick start.
    expect(named.filter((name) => ![...known, 'express'].includes(name))).toEqual([]);
  });

  it.each(['partner-api', 'session-server', 'operator', 'widget', 'react', 'merchant', 'sandbox'])(
    'go into the package of %s, as its README says, without a dead link or the rest of a picture',
    (name) => {
      const folder = mkdtempSync(join(tmpdir(), 'pack-docs-'));
      const manifest = read(`packages/${name}/package.json`);
      writeFileSync(join(folder, 'package.json'), manifest);
      packDocs(folder);
      const { scripts } = JSON.parse(manifest) as { scripts: Readonly<Record<string, string>> };
      const readme = read(`packages/${name}/README.md`);
      const linked = linksOf(readme).flatMap(
        (link) => /^\.\.\/\.\.\/(docs\/[^#]+)/.exec(link)?.[1] ?? [],
      );
      expect(linked.length).toBeGreaterThan(0);
      expect(linked.filter((page) => !existsSync(join(folder, page)))).toEqual([]);
      const packed = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      const pagesInIt = packed.filter((page) => page.endsWith('.md'));
      const dead = pagesInIt.flatMap((page) =>
        linksOf(readFileSync(join(folder, page), 'utf8'))
          .map((link) => link.split('#', 1).join())
          .filter((path) => !existsSync(join(folder, dirname(page), path))),
      );
      expect(packed.length).toBeGreaterThan(20);
      expect(dead).toEqual([]);
      const withoutPictures = pagesInIt
        .map((page) => withoutCode(readFileSync(join(folder, page), 'utf8')))
        .join('\n')
        .match(/(^|\s)!\p{L}.*/gmu);
      expect(withoutPictures).toBeNull();
      expect(existsSync(join(folder, 'ops/compose.yaml'))).toBe(name === 'session-server');
      expect(scripts['prepack']).toBe('node ../../scripts/pack-docs.mjs');
      expect(readme).toContain('In the npm package, the linked pages are in `docs`.');
      rmSync(folder, { recursive: true });
    },
  );

  it.each([
    ['session-server', 'docs/decisions/0002-libraries.md'],
    ['partner-api', 'docs/decisions/0003-command-line.md'],
  ])('say why %s has each of its libraries', (name, page) => {
    const { dependencies } = JSON.parse(read(`packages/${name}/package.json`)) as {
      dependencies: Readonly<Record<string, string>>;
    };
    const libraries = Object.keys(dependencies).filter((library) => !library.includes('checkout/'));
    const reasons = [...read(page).matchAll(/^\|[^|]+\|([^|]+)\|/gm)]
      .map(([, cell]) => cell)
      .join();
    expect(libraries.length).toBeGreaterThan(2);
    expect(libraries.filter((library) => !reasons.includes(library))).toEqual([]);
  });
});
