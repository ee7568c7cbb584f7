import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-floor';
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

/** Read once: they take most of the time. */
const sources = new Map<string, ts.SourceFile | undefined>();

/** What a TypeScript says of a module of this package that no file holds. */
function compile(text: string): string[] {
  const file = fileURLToPath(new URL('../readme-example.ts', import.meta.url));
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => name === file || fileExists.call(host, name);
  host.readFile = (name) => (name === file ? text : readFile.call(host, name));
  host.getSourceFile = (name, ...rest) => {
    if (name === file) return ts.createSourceFile(name, text, rest[0]);
    if (!sources.has(name)) sources.set(name, getSourceFile.call(host, name, ...rest));
    return sources.get(name);
  };
  const program = ts.createProgram([file], options, host);
  // Not the libraries, which takes twenty times as long.
  const found = program
    .getSourceFiles()
    .filter(({ fileName }) => !fileName.includes('/node_modules/'))
    .flatMap((source) => [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ]);
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('the README', () => {
  it('has recipes that compile under strict, with the oldest TypeScript that it names', () => {
    const recipes = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, text]) => text);
    expect([recipes.length, compile(recipes.join('\n'))]).toEqual([3, []]);
    expect(page).toContain(`TypeScript ${ts.versionMajorMinor} or newer`);
    expect(compile(`${recipes.join('\n')}\nconst wrong: number = 'x';`)).toHaveLength(1);
  });

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
