import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { OPERATIONS } from './client.js';
import * as api from './index.js';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const page = read('../README.md');

/** The names in backticks in the first column of the table below a heading. */
function namesBelow(heading: string, column = 1): string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  return rows.flatMap((row) =>
    [...(row.split(' | ')[column - 1] ?? '').matchAll(/`([A-Za-z]\w+)`/g)].map(
      ([, name = '']) => name,
    ),
  );
}

/** The fields that an interface of a source declares, but for those that only tests want. */
function fieldsOf(path: string, name: string): string[] {
  const [, body = ''] = new RegExp(`interface ${name}[^]*?\\{([^]*?)\\n\\}`).exec(read(path)) ?? [];
  return [...body.replace(/\/\*\* For tests[^]*?;/g, '').matchAll(/^ {2}readonly (\w+)/gm)].map(
    ([, field = '']) => field,
  );
}

describe('the README', () => {
  it('has a row for each operation, with what it does', () => {
    const missing = Object.values(OPERATIONS).filter(({ name, section, effect }) => {
      const row = new RegExp(
        `\\| \`${name.replace('.', '\\.')}\\([^|]*\\| ${section} +\\| \`${effect}\``,
      );
      return !row.test(page);
    });
    expect(missing).toEqual([]);
  });

  it('has a row for each class of error', () => {
    const classes = Object.entries(api)
      .filter(
        ([, value]) => (value as { prototype?: unknown }).prototype instanceof api.PartnerApiError,
      )
      .map(([name]) => name);
    expect(classes.length).toBeGreaterThan(10);
    expect(new Set(namesBelow('When a call fails', 2))).toEqual(new Set(classes));
  });

  it('has a row for each option of the client', () => {
    const options = [
      ...fieldsOf('client.ts', 'PartnerClientOptions'),
      ...fieldsOf('http/addresses.ts', 'AddressOptions'),
    ];
    expect(options.length).toBeGreaterThan(10);
    const listed = namesBelow('Settings');
    expect(options.filter((option) => !listed.includes(option))).toEqual([]);
  });
});
