import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../config.js';
import type { CrashPoint } from '../crash-points.js';
import { runRestore } from './restore-command.js';
import { TestStack } from '../testing/test-stack.js';

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** What a start finds after a kill; the provider's lists are to be read for the new file first. */
type Left = 'the old file' | 'the new file' | 'the new file, read';

/** Each crash point of a restore. */
const POINTS: Record<Extract<CrashPoint, `restore:${string}`>, Left> = {
  'restore:copied': 'the old file',
  'restore:declare': 'the old file',
  'restore:old-file-kept': 'the old file',
  'restore:file-replaced': 'the new file',
  'restore:adopt': 'the new file',
  'restore:page-reconciled': 'the new file',
  'restore:mark-read': 'the new file, read',
};
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
const restore = (...words: string[]) => runRestore(stack.config, words, { clock: stack.clock });

/** What stands in a data file that was kept, with its log. */
function ordersOf(kept: string): unknown[] {
  const database = new DatabaseSync(kept);
  const rows = database.prepare('SELECT order_name FROM checkouts ORDER BY order_name').all();
  database.close();
  return rows.map((row) => row['order_name']);
}

/** Where the restore that was not killed keeps the old file. */
function keptFile(): string {
  const kept = filesOfData().filter((name) => /\.replaced-\d{8}T\d{9}Z$/.test(name));
  return join(stack.folder, kept.at(-1) ?? 'none');
}

async function startAndPay() {
  await stack.startServer();
  const calls = stack.createSessionCalls();
  expect((await stack.reopen('LOST')).body).toMatchObject({ state: 'paid' });
  expect(stack.createSessionCalls()).toBe(calls);
}

describe('a restore that is killed', () => {
  it.each(Object.entries(POINTS))('at %s leaves %s, and can be given again', async (at, left) => {
    expect(await restoreUntil(at)).toBe('SIGKILL');
    if (left === 'the old file') {
      await stack.startServer();
      expect((await stack.reopen('LOST')).body.state).toBe('open');
      await stack.server.close();
      expect(await restore(backupFile())).toContain('You can start the server now.');
    }
    if (left === 'the new file') {
      await expect(stack.startServer()).rejects.toThrow(
        'finish it first: pay-session-server restore',
      );
      expect(await restore()).toContain('You can start the server now.');
    }
    await startAndPay();
    expect(ordersOf(keptFile())).toEqual(['BEFORE', 'LOST']);
    expect(filesOfData().filter((name) => name.includes('restoring'))).toEqual([]);
  });

  it('leaves the new file whole when the same backup is restored again', async () => {
    await restoreUntil('restore:file-replaced');
    const lines = await restore(backupFile());
    expect(lines.filter((line) => line.startsWith('The old data file is kept'))).toHaveLength(1);
    await startAndPay();
  });

  it('has followed a link to the data file, and keeps the link', async () => {
    const link = join(stack.folder, 'link.sqlite');
    symlinkSync(dataFile(), link);
    await restoreUntil('restore:old-file-kept', { PAY_DATABASE_FILE: link });
    const config = parseConfig({ ...stack.env, PAY_DATABASE_FILE: link }, stack.tuning);
    expect(await runRestore(config, [backupFile()], { clock: stack.clock })).toContain(
      'You can start the server now.',
    );
    expect(readlinkSync(link)).toBe(dataFile());
    await startAndPay();
  });
});
