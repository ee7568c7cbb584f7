import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SOURCES = ['..', '../../../operator/src'].map((folder) => join(import.meta.dirname, folder));
const PAGE = join(import.meta.dirname, '../../../../docs/error-codes.md');
/** Where an error of the server is made: its status and its code. */
const MADE = /new AppError\(\s*(\d{3}),\s*'([a-z_]+)'/g;

/** `code: status` of every error that the server and the operator's package make. */
function madeInSources(): Map<string, string> {
  const texts = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?<!\.test)\.ts$/.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8')),
  );
  return new Map(
    texts.flatMap((text) =>
      [...text.matchAll(MADE)].map(([, status = '', code = '']) => [code, status] as const),
    ),
  );
}

describe('docs/error-codes.md', () => {
  const [ofServer = ''] = readFileSync(PAGE, 'utf8').split('## Of the element');
  const rows = [...ofServer.matchAll(/^\| `([a-z_]+)` +\| (\d{3}|–) /gm)];

  it('lists every code that the server makes, with its status, and no other', () => {
    const made = madeInSources();
    expect(made.size).toBeGreaterThan(20);
    expect(new Map(rows.map(([, code = '', status = '']) => [code, status]))).toEqual(made);
  });

  it('lists none twice', () => {
    expect(new Set(rows.map(([, code]) => code)).size).toBe(rows.length);
  });
});
