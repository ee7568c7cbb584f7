import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const PAGE = join(import.meta.dirname, '../../../docs/error-codes.md');
/** Where a code of this package is made. */
const MADE = /(?:PayCheckoutError\(|error\.code : )\s*'([a-z_]+)'/g;

it('docs/error-codes.md lists every code that the library makes, once, and no other', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => /(?<!\.test)\.ts$/.test(file));
  const made = sources.flatMap((file) => {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8');
    return [...text.matchAll(MADE)].map(([, code]) => code);
  });
  const [, ofLibrary = ''] = readFileSync(PAGE, 'utf8').split("## Of the merchant's library");
  const listed = [...ofLibrary.matchAll(/^\| `([a-z_]+)`/gm)].map(([, code]) => code);
  expect(listed.toSorted()).toEqual([...new Set(made)].toSorted());
});
