import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sdkDescription } from '../contract-schemas.js';
import { merchantEntry, testMerchant } from '../testing/test-merchant.js';
import { brandSettings, FONTS, MAX_RADIUS_PX } from './brand.js';
import { MAX_LOGO_BYTES, MAX_LOGO_PX } from './logo.js';
import { merchantFields, merchantsFileSchema } from './merchant.js';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/merchants-file.md'), 'utf8');

/** The rows of the first table of a section: names of fields, and the default that is shown. */
function rowsOf(section: string | undefined): [string, string][] {
  const text = section === undefined ? page : (page.split(`\n## \`${section}\`\n`)[1] ?? '');
  const [, table = ''] = text.split(/\n\| field [^\n]*\n[^\n]*\n/);
  const [rows = ''] = table.split('\n\n');
  return rows.split('\n').map((row) => {
    const cells = row.split('|').map((cell) => cell.trim());
    return [(cells[1] ?? '').replaceAll('`', ''), (cells.at(-2) ?? '').replaceAll('`', '')];
  });
}

describe('docs/merchants-file.md', () => {
  it('has an example that the server takes, once its secrets are filled in', () => {
    const [, example = ''] = /^```json\n([^]*?)^```$/m.exec(page) ?? [];
    const file = JSON.parse(example) as { merchants: object[] };
    const { apiKeyHash, orderTokenSecret, signingSecret } = merchantEntry();
    const secrets = { apiKeyHash, orderTokenSecret, signingSecret };
    expect(Object.keys(file.merchants[0] ?? {})).toEqual(
      expect.arrayContaining(Object.keys(secrets)),
    );
    const merchants = file.merchants.map((entry) => ({ ...entry, ...secrets }));
    expect(merchantsFileSchema.safeParse({ merchants }).error).toBeUndefined();
  });

  it('has a row for each field of an entry, and says which are required', () => {
    const rows = rowsOf(undefined).map(([name, shown]) => [name.split('.')[0] ?? '', shown]);
    const listed = new Map(
      rows.filter(([name]) => name !== '…').map(([name, shown]) => [name, shown]),
    );
    const expected = Object.entries(merchantFields.shape).map(([name, schema]) => [
      name,
      !schema.safeParse(undefined).success,
    ]);
    expect([...listed].map(([name, shown]) => [name, shown === 'required']).toSorted()).toEqual(
      expected.toSorted(),
    );
  });

  it('has a row for each field of the description of an SDK, and says which are required', () => {
    const listed = rowsOf('sdk').map(([name, shown]) => [name, shown === 'required']);
    const { required = [] } = z.toJSONSchema(sdkDescription);
    const expected = Object.keys(sdkDescription.shape).map((name) => [
      name,
      required.includes(name),
    ]);
    expect(listed.toSorted()).toEqual(expected.toSorted());
  });

  it('has a row for each field of a brand, with its limits and every font', () => {
    expect(
      rowsOf('brand')
        .map(([name]) => name)
        .toSorted(),
    ).toEqual(Object.keys(brandSettings.shape).toSorted());
    const [, section = ''] = page.split('\n## `brand`\n');
    const numbers = [
      MAX_LOGO_BYTES.toLocaleString('en'),
      MAX_LOGO_PX,
      `0 to ${MAX_RADIUS_PX} pixels`,
    ];
    for (const text of [...numbers, ...Object.keys(FONTS).map((font) => `\`${font}\``)]) {
      expect(section).toContain(String(text));
    }
  });

  it('has the defaults of what counts as evidence', () => {
    const defaults = Object.entries(testMerchant().evidence).map(([name, value]) => [
      name,
      [value].flat().map(String).join(', ') || 'none',
    ]);
    expect(rowsOf('evidence').toSorted()).toEqual(defaults.toSorted());
  });
});
