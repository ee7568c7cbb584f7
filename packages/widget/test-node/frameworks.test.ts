import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Item {
  readonly name: string;
  readonly kind?: string;
  readonly readonly?: boolean;
  readonly attribute?: string;
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const manifest = JSON.parse(read('../dist/custom-elements.json')) as {
  modules: [{ declarations: [{ members: Item[]; attributes: Item[] }] }];
};
const [{ members, attributes }] = manifest.modules[0].declarations;
const types = read('../frameworks/tag.d.ts');
const namesIn = (text = ''): string[] =>
  [...text.matchAll(/'([\w-]+)'[?\s>,|]/g)].map(([, name = '']) => name);
const [, listed] = /Pick<\s*PayCheckout,([^]*?>)/.exec(types) ?? [];
const [, omitted, added] = /Omit<\s*Properties,([^]*?>) & ({[^]*?})/.exec(types) ?? [];

describe('the types for frameworks', () => {
  it('have the properties of the manifest that a page can set', () => {
    const settable = members.filter(({ kind, readonly }) => kind === 'field' && !readonly);
    const expected = settable.map(({ name }) => name).filter((name) => name !== 'serverAttribute');
    expect(namesIn(listed).toSorted()).toEqual(expected.toSorted());
  });

  it('have the attributes of the manifest', () => {
    const kept = namesIn(listed).filter((name) => !namesIn(omitted).includes(name));
    const own = namesIn(added?.replaceAll(/\['\w+'\]/g, ''));
    expect([...kept, ...own].toSorted()).toEqual(attributes.map(({ name }) => name).toSorted());
  });
});
