import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';

import { Cli } from './cli.js';
import { EXIT } from './exit-codes.js';
import { createProgram } from './program.js';

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8');
const page = await read('../../../../docs/pay-partner.md');
const readmes = [await read('../../README.md'), await read('../../../../README.md')];
const { signal } = new AbortController();
const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
const cli = new Cli({ env: {}, stdin, ...streams, signal });
const program = await createProgram(cli);

function listCommands(command: Command, path: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((child): [string, Command][] => {
    const here = [...path, child.name()];
    return child.commands.length > 0 ? listCommands(child, here) : [[here.join(' '), child]];
  });
}

describe('docs/pay-partner.md', () => {
  it('names every command', () => {
    const missing = listCommands(program)
      .map(([name]) => name)
      .filter((name) => !name.startsWith('profiles ') && !page.includes(`\`${name}`));
    expect(missing).toEqual([]);
  });

  it('names no option that is not there, and neither do the READMEs', () => {
    const commands = [program, ...listCommands(program).map(([, command]) => command)];
    const known = commands.flatMap(({ options }) => options.map(({ long }) => long));
    const named = [...[page, ...readmes].join().matchAll(/(?<=[\s`(])--[a-z][a-z-]+/g)].map(String);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((option) => option !== '--help' && !known.includes(option))).toEqual([]);
  });

  it('has a row for every environment variable', async () => {
    const sources = await Promise.all(
      ['cli.ts', 'profiles.ts', 'options.ts', 'keys.ts', 'open-console.ts'].map((file) =>
        read(file),
      ),
    );
    const variables = (text: string) => new Set(text.match(/\bPAY_PARTNER_[A-Z_]+/g));
    const rows = page.split('\n').filter((line) => line.startsWith('| `--'));
    expect(variables(rows.join())).toEqual(variables(sources.join()));
  });

  it('has a row for every exit code', () => {
    const documented = [...page.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code));
    expect(documented).toEqual(Object.values(EXIT));
  });
});

describe('help', () => {
  it.each(listCommands(program))(
    'of %s says what it does and how, without a key',
    (_name, command) => {
      expect(command.description()).not.toBe('');
      expect(command.helpInformation()).not.toMatch(/undefined/);
      const noText = command.options.filter(({ description }) => description === '');
      expect(noText).toEqual([]);
    },
  );

  it.each(program.commands.map((command) => [command.name(), command] as const))(
    'of %s is the same when only that command is loaded',
    async (name, command) => {
      const [only, ...others] = (await createProgram(cli, { first: name })).commands;
      expect(others).toEqual([]);
      expect(only?.name()).toBe(name);
      expect(only?.helpInformation()).toBe(command.helpInformation());
    },
  );
});
