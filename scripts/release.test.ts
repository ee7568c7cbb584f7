import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './committed-files.mjs';

interface Manifest {
  readonly publishConfig?: unknown;
  readonly main?: string;
  readonly types?: string;
  readonly exports: { readonly '.': { readonly types: string; readonly default: string } };
}

/** `page-kit` is built into the pages of others. */
const names = readdirSync(join(ROOT, 'packages')).filter((name) => name !== 'page-kit');

function readManifest(name: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}

describe('a release', () => {
  it.each(names)('of %s is public and with provenance', (name) => {
    expect(readManifest(name).publishConfig).toEqual({ access: 'public', provenance: true });
  });

  // `create` is a program only.
  const libraries = names.filter((name) => name !== 'create');
  it.each(libraries)('of %s is found by tools that know no exports', (name) => {
    const { exports, main, types } = readManifest(name);
    expect({ default: main, types }).toEqual({
      default: exports['.'].default,
      types: exports['.'].types,
    });
  });

  it.each(names)('of %s has the source of each source map in the map', (name) => {
    const dist = join(ROOT, 'packages', name, 'dist');
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
    const unknown = files
      .filter((file) => file.endsWith('.map'))
      .filter((file) => {
        const { sources, sourcesContent = [] } = JSON.parse(
          readFileSync(join(dist, file), 'utf8'),
        ) as { sources: unknown[]; sourcesContent?: unknown[] };
        return sources.length !== sourcesContent.filter((text) => typeof text === 'string').length;
      });
    expect(unknown).toEqual([]);
  });
});
