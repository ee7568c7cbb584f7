import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSessionServer } from './running-server.js';
import { takeDataFileLock } from './store/data-file.js';
import { LocalServer } from './testing/local-server.js';
import { TestStack } from './testing/test-stack.js';
import { VERSION } from './version.js';

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

let stack: TestStack;
beforeEach(async () => {
  stack = await TestStack.start();
  await stack.server.close();
});
afterEach(() => stack.close());

const fileOf = (name: string) => join(stack.folder, name);

/** Runs the program as an operator would; answers how it ended, and what it wrote. */
async function run(env: Readonly<Record<string, string>>, ...words: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, complaint, [code]] = await Promise.all([
    readText(child.stdout),
    readText(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, said, complaint: complaint.replace(/^\(.*\n/gm, '').trim() };
}

/** Changes the entry of the merchants file. */
function writeMerchant(changes: object): void {
  const file = JSON.parse(readFileSync(fileOf('merchants.json'), 'utf8')) as {
    merchants: object[];
  };
  const merchants = file.merchants.map((entry) => ({ ...entry, ...changes }));
  writeFileSync(fileOf('merchants.json'), JSON.stringify({ merchants }));
}

/** What each stage of a start can stumble over, one of each. */
function spoilEverything(): Record<string, string> {
  writeFileSync(fileOf('merchants.json'), '{"merchants": [\n  {"id": "teashop"}\n]}');
  rmSync(fileOf('data.sqlite'));
  writeFileSync(fileOf('data.sqlite'), 'x'.repeat(9999));
  return { ...stack.env, PAY_ENVIRONMENT: '', PAY_WIDGET_SCRIPT: fileOf('missing.js') };
}

/** Leaves a data file that passes every check, and then refuses what a start writes. */
async function refuseRecovery(): Promise<void> {
  await stack.startServer();
  await stack.open('A1001', { amount: '5.00' });
  await stack.server.close();
  const database = new DatabaseSync(fileOf('data.sqlite'));
  database.exec(`UPDATE attempts SET status = 'sending';
    CREATE TRIGGER refuse BEFORE UPDATE ON attempts BEGIN SELECT raise(ABORT, 'refused'); END`);
  database.close();
}

describe('a start that fails', () => {
  it('lists the mistakes of every stage at once, and none in the words of a library', async () => {
    const taken = await LocalServer.start((_, response) => response.end());
    const env = { ...spoilEverything(), PAY_PORT: String(taken.port), PAY_WATCH_DAYS: '0' };
    const { code, said, complaint } = await run(env);
    await taken.close();
    expect([code, said]).toEqual([1, '']);
    const settings = complaint.split('\n').map((line) => /^ {2}- (\w+): /.exec(line)?.[1]);
    expect([...new Set(settings)]).toEqual([
      undefined,
      'PAY_ENVIRONMENT',
      'PAY_WATCH_DAYS',
      'PAY_MERCHANTS_FILE',
      'PAY_DATABASE_FILE',
      'PAY_WIDGET_SCRIPT',
      'PAY_PORT',
    ]);
    expect(complaint).toContain('merchants.0.name (line 2, column 3): is missing; expected text');
    expect(complaint).toContain('another program listens there');
    expect(complaint).not.toMatch(/Invalid input|Too small|Unrecognized|EADDR|ENOENT|SQLITE|\bat /);
  });

  it.each<[string, () => Record<string, string>]>([
    ['the environment', () => ({ PAY_ENVIRONMENT: '' })],
    ['the merchants file', () => ({ PAY_MERCHANTS_FILE: fileOf('missing.json') })],
    ['the data file', () => ({ PAY_DATABASE_FILE: fileOf('missing/data.sqlite') })],
    ['the script', () => ({ PAY_WIDGET_SCRIPT: fileOf('missing.js') })],
    ['the port', () => ({ PAY_HOST: 'no-such-host.invalid' })],
    ['the operator’s port', () => ({ PAY_PORT: '45911', PAY_OPERATOR_PORT: '45911' })],
  ])('for %s ends, says it in one line, and holds nothing', async (_stage, change) => {
    const { code, complaint } = await run({ ...stack.env, ...change() });
    expect(code).toBe(1);
    expect(complaint).toMatch(/^pay-session-server: the server did not start: PAY_\w+: .+$/);
    await stack.startServer();
  });

  it('changes nothing: no data file is created, and none is brought up to date', async () => {
    const fresh = fileOf('fresh.sqlite');
    const env = { PAY_DATABASE_FILE: fresh, PAY_WIDGET_SCRIPT: fileOf('missing.js') };
    await run({ ...stack.env, ...env });
    expect(() => new DatabaseSync(fresh, { readOnly: true })).toThrow();
  });

  it('after every check lets go of everything', async () => {
    await refuseRecovery();
    await expect(startSessionServer(stack.config)).rejects.toThrow('refused');
    takeDataFileLock(fileOf('data.sqlite')).close();
  });

  it('after every check, ends as well: it exits without having listened', async () => {
    await refuseRecovery();
    const { code, said, complaint } = await run({ ...stack.env, PAY_LOG_LEVEL: 'info' });
    expect([code, said.includes('server starts')]).toEqual([1, true]);
    expect(said).not.toContain('server listens');
    expect(complaint).toMatch(/^pay-session-server: a mistake of ours .+$/);
    takeDataFileLock(fileOf('data.sqlite')).close();
  });

  it('for a script that is gone by then lets go of everything', async () => {
    const config = { ...stack.config, widgetScript: fileOf('missing.js') };
    await expect(startSessionServer(config)).rejects.toThrow('there is no such file');
    await stack.startServer();
  });
});

describe('the program', () => {
  it('prints its help and its version, whatever the environment says', async () => {
    const help = await run({}, '--help');
    expect([help.code, help.said.split('\n')[0], help.complaint]).toEqual([0, 'Usage:', '']);
    expect(await run({}, 'restore', '--help')).toEqual(help);
    expect(await run({}, '--version')).toEqual({ code: 0, said: `${VERSION}\n`, complaint: '' });
  });

  it('prints its help as a complaint for a word that it does not know', async () => {
    const { code, said, complaint } = await run(stack.env, 'explian');
    expect([code, said, complaint.split('\n')[0]]).toEqual([2, '', 'Usage:']);
  });
});

describe('checking the settings', () => {
  it('warns of what a start would warn of, beside a running server', async () => {
    writeMerchant({ brand: { accent: '#1f4fd8' } });
    await stack.startServer();
    const env = { ...stack.env, PAY_PORT: String(stack.server.port) };
    const { code, said, complaint } = await run(env, 'check');
    expect([code, complaint]).toEqual([0, '']);
    expect(said.split('\n')).toEqual([
      'warning: teashop: accent_low_contrast: #1f4fd8 has a contrast of 2.54 on the dark surface, ' +
        'and needs 3; give brand.accent a lighter colour for it',
      'Settings, scripts and 1 merchant: no mistakes.',
      '',
    ]);
  });

  it('lists every mistake, and ends with status 1', async () => {
    const { code, said, complaint } = await run(spoilEverything(), 'check');
    expect([code, said]).toEqual([1, '']);
    expect(complaint).toContain('pay-session-server: the server would not start:');
    const settings = complaint.split('\n').map((line) => /^ {2}- (\w+): /.exec(line)?.[1]);
    expect([...new Set(settings)]).toEqual([
      undefined,
      'PAY_ENVIRONMENT',
      'PAY_MERCHANTS_FILE',
      'PAY_WIDGET_SCRIPT',
    ]);
  });
});
