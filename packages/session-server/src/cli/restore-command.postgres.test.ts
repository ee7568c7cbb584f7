import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PostgresServer } from '../testing/postgres-server.js';
import { TestStack } from '../testing/test-stack.js';

const PAY_ENCRYPTION_KEY = `test:${Buffer.alloc(32, 1).toString('base64')}`;
const PROGRAM = join(import.meta.dirname, '../../dist/bin.js');
const GUIDE = join(import.meta.dirname, '../../../../docs/operations/recover.md');
const SYSTEM = '/usr/lib/postgresql';
/** The newest PostgreSQL of the system that has the programs for a backup: those of npm have none. */
const PROGRAMS = (existsSync(SYSTEM) ? readdirSync(SYSTEM) : [])
  .toSorted((one, other) => Number(other) - Number(one))
  .map((version) => join(SYSTEM, version, 'bin'))
  .find((folder) => existsSync(join(folder, 'pg_dump')));

let folder: string;
let server: PostgresServer;
let stack: TestStack;
let url: string;
beforeEach(async ({ task, skip }) => {
  if (PROGRAMS === undefined) {
    task.meta.notRun = 'pg_dump is not installed';
    skip(task.meta.notRun);
  }
  folder = mkdtempSync(join(tmpdir(), 'restore-'));
  server = await PostgresServer.start(PROGRAMS);
  await server.query('CREATE DATABASE pay');
  url = server.url('pay');
  const env = {
    PAY_ENCRYPTION_KEY,
    get DATABASE_URL() {
      return url;
    },
  };
  stack = await TestStack.start({ env });
});
afterEach(async () => {
  if (PROGRAMS === undefined) return;
  await stack.close();
  await server.remove();
  rmSync(folder, { recursive: true });
});

/** Runs a block of commands of the guide, as it is there. */
async function runBlock(of: string): Promise<string> {
  const program = join(folder, 'pay-session-server');
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${PROGRAM} "$@"\n`, { mode: 0o755 });
  const blocks = readFileSync(GUIDE, 'utf8').matchAll(/```sh\n([^]*?)```/g);
  const block = [...blocks].map(([, text = '']) => text).find((text) => text.includes(of));
  const { PATH = '' } = process.env;
  const options = {
    cwd: folder,
    env: { ...stack.env, PATH: [folder, PROGRAMS, PATH].join(':'), PAY_LOG_LEVEL: 'error' },
  };
  const { stdout } = await promisify(execFile)('sh', ['-euc', block ?? 'exit 1'], options);
  return stdout;
}

async function open(order: string) {
  const { body } = await stack.open(order, { amount: '9.99' });
  return { checkout: body.checkout, sessionId: body.sessionId ?? '' };
}

describe('after a backup of PostgreSQL was put back', () => {
  it('what was opened and paid since is paid, and opens no second session', async () => {
    const known = await open('KNOWN');
    await runBlock('pg_dump');
    await stack.payAtProvider(known.sessionId);
    const lost = await open('LOST');
    await stack.payAtProvider(lost.sessionId);
    const lostIds = [known, lost].map(({ sessionId }) => stack.session(sessionId).order_id);
    await stack.server.close();

    expect(await runBlock('pg_restore')).toContain('Payments found for lost checkouts: 1');
    url = server.url('pay_restored');
    await stack.startServer();
    const sessions = stack.createSessionCalls();
    for (const order of ['KNOWN', 'LOST']) {
      const { body } = await stack.reopen(order);
      expect(body).toMatchObject({ state: 'paid', amount: '9.99' });
      expect(body.sessionId).toBeUndefined();
    }
    expect(stack.createSessionCalls()).toBe(sessions);
    expect((await stack.shop.event('checkout.paid')).data).toMatchObject({ certain: true });
    const { sessionId } = await open('NEW');
    expect(lostIds).not.toContain(stack.session(sessionId).order_id);
  });

  it('the server does not start before the lost time is read', async () => {
    await open('KNOWN');
    await runBlock('pg_dump');
    await stack.server.close();
    await stack.sandbox.close();
    await expect(runBlock('pg_restore')).rejects.toThrow();
    url = server.url('pay_restored');
    await expect(stack.startServer()).rejects.toThrow('a backup was put back');
  });
});
