import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const SOURCES = new URL('../src/', import.meta.url);
/** Where a code of the element is made. */
const MADE =
  /(?:CodedError\(|code: |coded\(\w+, |code \?\? |\? |: |return |=> )'([a-z]+(?:_[a-z]+)+)'/g;

const page = readFileSync(new URL('../../../docs/error-codes.md', import.meta.url), 'utf8');
const [ofServer = '', ofElement = ''] = page.split(/^## Of the (?:element|merchant)/m);

function codesOf(text: string): string[] {
  return [...text.matchAll(/^\| `([a-z_]+)`/gm)].map(([, code]) => code ?? '');
}

function madeInSources(): Set<string> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const sources = files.filter(
    (file) => /(?<!\.test|harness)\.ts$/.test(file) && !file.includes('testing'),
  );
  const texts = sources.map((file) => readFileSync(new URL(file, SOURCES), 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(MADE)].map(([, code]) => code ?? '')));
}

describe('docs/error-codes.md', () => {
  const made = madeInSources();
  const listed = codesOf(ofElement);

  it('lists every code that the element makes', () => {
    const known = [...listed, ...codesOf(ofServer)];
    expect([...made].filter((code) => !known.includes(code))).toEqual([]);
    expect(made.size).toBeGreaterThan(10);
  });

  it('lists none that the element does not make, and none twice', () => {
    expect(listed.filter((code) => !made.has(code))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });
});
