import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../config.js';
import type { CrashPoint } from '../crash-points.js';
import { runRestore } from './restore-command.js';
import { TestStack } from '../testing/test-stack.js';

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** What a start finds after a kill: all as it was, a restore to be finished, or the end of it. */
type Found = 'as it was' | 'unfinished' | 'finished';

/** Each crash point of a restore, with how often it is passed. */
const POINTS: Record<Extract<CrashPoint, `restore:${string}`>, { passes: number; found: Found }> = {
  'restore:copied': { passes: 1, found: 'as it was' },
  'restore:declared': { passes: 1, found: 'as it was' },
  'restore:prepared': { passes: 1, found: 'as it was' },
  'restore:announced': { passes: 1, found: 'unfinished' },
  // The log, what SQLite shares of it, and the file.
  'restore:moved-away': { passes: 3, found: 'unfinished' },
  'restore:put-in-place': { passes: 1, found: 'unfinished' },
  'restore:put-back': { passes: 1, found: 'unfinished' },
  'restore:adopted': { passes: 1, found: 'unfinished' },
  'restore:page-settled': { passes: 1, found: 'unfinished' },
  'restore:read': { passes: 1, found: 'finished' },
};
const KILLS = Object.entries(POINTS).flatMap(([point, { passes, found }]) =>
  Array.from({ length: passes }, (_, pass) => ({ at: `${point}:${String(pass + 1)}`, found })),
);
const PARTS = ['', '-wal', '-shm'];

beforeAll(() => {
  if (!existsSync(PROGRAM)) throw new Error('run "pnpm build" first: the command runs on dist');
});

let stack: TestStack;
beforeEach(async () => {
  stack = await TestStack.start();
  await stack.open('BEFORE', { amount: '9.99' });
  const source = new DatabaseSync(dataFile(), { readOnly: true });
  await backup(source, backupFile());
  source.close();
  const lost = await stack.open('LOST', { amount: '9.99' });
  await stack.payAtProvider(lost.body.sessionId ?? '');
  // As a kill leaves it: what came last is in the log only.
  for (const part of PARTS) copyFileSync(dataFile() + part, `${backupFile()}.crashed${part}`);
  await stack.server.close();
  for (const part of PARTS) copyFileSync(`${backupFile()}.crashed${part}`, dataFile() + part);
});
afterEach(() => stack.close());

const dataFile = () => join(stack.folder, 'data.sqlite');
const backupFile = () => join(stack.folder, 'copy.sqlite');
const filesOfData = () => readdirSync(stack.folder).filter((name) => name.startsWith('data'));

/** Runs the command as an operator would, to be killed at a crash point. */
async function restoreUntil(at: string, env: Record<string, string> = {}): Promise<string | null> {
  const child = spawn(process.execPath, [PROGRAM, 'restore', backupFile()], {
    env: { ...process.env, ...stack.env, ...env, PAY_CRASH_AT: at },
    stdio: 'ignore',
  });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal;
}

/** Runs it again, to its end; answers what it says. */
const restore = (...words: string[]) => runRestore(parseConfig(stack.env), words, stack.clock);

/** What stands in a data file that was kept, with its log. */
function ordersOf(kept: string): unknown[] {
  const database = new DatabaseSync(kept);
  const rows = database.prepare('SELECT order_name FROM checkouts ORDER BY order_name').all();
  database.close();
  return rows.map((row) => row['order_name']);
}

function keptFile(): string {
  const [kept] = filesOfData().filter((name) => /\.replaced-\d{8}T\d{9}Z$/.test(name));
  return join(stack.folder, kept ?? 'none');
}

async function startAndPay() {
  await stack.startServer();
  const calls = stack.createSessionCalls();
  expect((await stack.reopen('LOST')).body).toMatchObject({ state: 'paid' });
  expect(stack.createSessionCalls()).toBe(calls);
}

describe('a restore that is killed', { timeout: 60_000 }, () => {
  it.each(KILLS)('at $at leaves what was there $found, and is done again', async (kill) => {
    expect(await restoreUntil(kill.at)).toBe('SIGKILL');
    if (kill.found === 'as it was') {
      await stack.startServer();
      expect((await stack.reopen('LOST')).body.state).toBe('open');
      await stack.server.close();
      expect(await restore(backupFile())).toContain('The server may be started.');
    }
    if (kill.found === 'unfinished') {
      const isThere = existsSync(dataFile());
      await expect(stack.startServer()).rejects.toThrow(
        'finish it first: pay-session-server restore',
      );
      expect(existsSync(dataFile())).toBe(isThere);
      expect(await restore()).toContain('The server may be started.');
    }
    await startAndPay();
    expect(ordersOf(keptFile())).toEqual(['BEFORE', 'LOST']);
    expect(filesOfData().filter((name) => /restor/.test(name))).toEqual([]);
  });

  it('is finished first, also when the whole is asked for again', async () => {
    await restoreUntil('restore:moved-away:1');
    const lines = await restore(backupFile());
    expect(lines.filter((line) => line.startsWith('The data file that was there'))).toHaveLength(2);
    expect(ordersOf(keptFile())).toEqual(['BEFORE', 'LOST']);
    await startAndPay();
  });

  it('is known also by a link that leads to where nothing is any more', async () => {
    const link = join(stack.folder, 'link.sqlite');
    symlinkSync(dataFile(), link);
    await restoreUntil('restore:moved-away:3', { PAY_DATABASE_FILE: link });
    expect(existsSync(link)).toBe(false);
    const config = parseConfig({ ...stack.env, PAY_DATABASE_FILE: link });
    expect(await runRestore(config, [], stack.clock)).toContain('The server may be started.');
    await startAndPay();
  });

  it('lets no command look at what is there', async () => {
    await restoreUntil('restore:moved-away:1');
    const { runExplain } = await import('./explain-command.js');
    await expect(runExplain(parseConfig(stack.env), 'BEFORE', undefined)).rejects.toThrow(
      'a restore ended in the middle',
    );
    await restore();
    await stack.startServer();
  });
});
