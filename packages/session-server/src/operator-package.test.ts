import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PACKAGE = join(import.meta.dirname, '..');
const INSTALL = 'it needs a package that is not installed: npm install @pay-checkout/operator';

describe('a server that is installed without the operator’s package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'without-operator-'));
  const installed = join(folder, 'node_modules/@pay-checkout/session-server');
  beforeAll(() => {
    mkdirSync(installed, { recursive: true });
    for (const part of ['dist', 'languages', 'assets', 'package.json']) {
      cpSync(join(PACKAGE, part), join(installed, part), { recursive: true });
    }
    // What it depends on: not the packages of this workspace, where the operator's is one.
    symlinkSync(join(PACKAGE, 'node_modules'), join(installed, 'node_modules'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const run = (env: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(installed, 'dist/bin.js'), ...args],
      {
        env,
        encoding: 'utf8',
      },
    );
    return { status, lines: stderr.trim().split('\n') };
  };

  it('names what to install with all other mistakes of its settings', () => {
    const { status, lines } = run({ PAY_ENVIRONMENT: 'test', PAY_OPERATOR_PORT: '0' });
    expect(status).toBe(78);
    expect(lines).toContain(`  - PAY_OPERATOR_PORT: ${INSTALL}`);
    expect(lines.join('\n')).toContain('  - PAY_ENVIRONMENT: expected "sandbox" or "production"');
  });

  it.each(['PAY_OPERATOR_KEY', 'PAY_OPERATOR_KEY_FILE', 'PAY_OPERATOR_NAMES'])(
    'names it for %s as well, and not for one that is empty',
    (setting) => {
      expect(run({ [setting]: 'x' }).lines).toContain(`  - ${setting}: ${INSTALL}`);
      expect(run({ [setting]: '' }).lines.join('\n')).not.toContain(INSTALL);
    },
  );

  it.each([
    ['explain', 'A1'],
    ['report', '--day', '2026-03-01'],
    ['events', 'dead-lettered'],
    ['webhooks'],
  ])('names it for the command %s', (...args) => {
    const { status, lines } = run({}, ...args);
    expect([status, lines]).toEqual([1, [`pay-session-server: ${args[0] ?? ''}: ${INSTALL}`]]);
  });

  it('has its other commands, and its help', () => {
    expect(run({}, '--help').status).toBe(0);
    const { status, lines } = run({}, 'init', 'pay');
    expect([status, lines.join()]).toEqual([
      2,
      expect.stringContaining('npm create @pay-checkout'),
    ]);
  });
});
