import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { en } from '../src/labels/en.ts';

const FOLDER = new URL('../../session-server/languages/', import.meta.url);
const { locale: _, dir: __, ...english } = en;
/** Texts that may be the same as in English. */
const SAME = ['test', 'fields.postcode'];

/** Each text by the path of its name. */
function textsOf(texts: object, path: readonly string[] = []): [string, string][] {
  return Object.entries(texts).flatMap(([name, text]: [string, string | object]) =>
    typeof text === 'string'
      ? [[[...path, name].join('.'), text] as [string, string]]
      : textsOf(text, [...path, name]),
  );
}

describe.each(readdirSync(FOLDER).filter((name) => name !== 'en.json'))('%s', (name) => {
  const { element, dir } = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as {
    element: object;
    dir: string;
  };
  const texts = textsOf(element);

  it('has each text of the element, and no other', () => {
    expect(texts.map(([path]) => path)).toEqual(textsOf(english).map(([path]) => path));
  });

  it('has plain texts, none of them English', () => {
    const byPath = new Map(textsOf(english));
    for (const [path, text] of texts) {
      expect(text, path).toMatch(/^\S[^<>&{}]*\S$/);
      if (!SAME.includes(path)) expect(text, path).not.toBe(byPath.get(path));
    }
  });

  it('is named in the README', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const [, section] = /## Languages([^]*?)\n## /.exec(readme) ?? [];
    const names = new Intl.DisplayNames('en', { type: 'language' });
    expect(section).toContain(names.of(name.replace('.json', '')));
  });

  it('says how its letters are read', () => {
    const isFromRight = /\p{Script=Arabic}|\p{Script=Hebrew}/u.test(texts[0]?.[1] ?? '');
    expect(dir).toBe(isFromRight ? 'rtl' : 'ltr');
  });
});
