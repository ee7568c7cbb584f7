import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CONTROL_ROUTES } from './control/control-routes.js';
import { parseConfig, START_SETTINGS } from './config.js';
import { FAULT_TARGETS, FAULTS } from './faults/fault-table.js';
import { OPERATIONS } from './logged-request.js';
import { SCENARIOS } from './scenarios.js';
import { listSdkShapes } from './sdk/sdk-shapes.js';
import { completeSettings } from './settings.js';
import { toVariable } from './switches.js';
import { History } from './transactions/history.js';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const page = read('../README.md');

/** The rows of the table whose head begins with `first`, each as the texts of its cells. */
function tableOf(first: string): string[][] {
  const [, table = ''] = page.split(new RegExp(`\\n\\| ${first} [^\\n]*\\n[^\\n]*\\n`));
  const [rows = ''] = table.split('\n\n');
  return rows
    .trimEnd()
    .split('\n')
    .map((row) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** What stands in backticks in the first column of that table. */
const namesIn = (first: string): string[] =>
  tableOf(first).flatMap(([cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );

describe('the README', () => {
  it('lists the variables of what cannot change', () => {
    const variables = ['SANDBOX_CONFIG', ...Object.keys(START_SETTINGS).map(toVariable)];
    expect(namesIn('variable').toSorted()).toEqual(variables.toSorted());
  });

  it.each(tableOf('variable'))('%s: its default is %s', (cell, shown) => {
    const name = cell?.replaceAll('`', '') ?? '';
    const [, value] = /^`(.*)`$/.exec(shown ?? '') ?? [];
    const settingsOf = (env: NodeJS.ProcessEnv) => {
      const config = parseConfig({ SANDBOX_API_KEY: 'k', ...env });
      const { history, ...settings } = completeSettings(config);
      const { count = 0 } = history;
      // A row depends on all of the history's options: seed, end and days.
      const past = new History({ ...history, count: 3 }, settings.merchants);
      return JSON.stringify({ ...settings, ...config, history: { count, row: past.rowAt(1) } });
    };
    if (value === undefined) expect(shown).toMatch(/^(required|none|where it listens|six )/);
    else expect(settingsOf({ [name]: value })).toBe(settingsOf({}));
  });

  it('lists the operations, the faults, the shapes of the SDK and the cards', () => {
    expect(namesIn('operation')).toEqual([...OPERATIONS]);
    expect(tableOf('fault')).toEqual(
      Object.entries(FAULTS).map(([kind, { of, what }]) => [`\`${kind}\``, of, what]),
    );
    expect(namesIn('target')).toEqual(FAULT_TARGETS.slice(OPERATIONS.length));
    const shapes = listSdkShapes('http://sandbox.localhost').map(({ name }) => name);
    expect(namesIn('shape').toSorted()).toEqual(shapes.toSorted());
    const cards = namesIn('card').map((number) => number.replaceAll(' ', ''));
    expect(cards).toEqual(SCENARIOS.map(({ cardNumber }) => cardNumber));
  });

  it('lists the control routes', () => {
    const listed = namesIn('route').flatMap((cell) => {
      const [, methods = '', path = ''] = /^([A-Z, ]+) (.+)$/.exec(cell) ?? [];
      return methods.split(', ').map((method) => `${method} ${path}`);
    });
    const routes = CONTROL_ROUTES.map(
      ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    expect(listed.toSorted()).toEqual(routes.toSorted());
  });
});
