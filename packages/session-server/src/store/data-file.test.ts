import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Problem } from '../contract.js';
import { TestStack } from '../testing/test-stack.js';

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const TUNED_PROGRAM = fileURLToPath(new URL('../testing/tuned-server.mjs', import.meta.url));
const TUNING = { rateLimits: { createPerAddress: 100_000, createPerMerchant: 100_000 } };
/** Blocks of 512 bytes, room for some thirty checkouts: no file may grow beyond. It stands for a full disk. */
const SMALL_DISK_BLOCKS = 3000;

beforeAll(() => {
  if (!existsSync(PROGRAM)) throw new Error('run "pnpm build" first: the server runs on dist');
});

let stack: TestStack;
beforeEach(async () => {
  stack = await TestStack.start();
  await stack.server.close();
});
afterEach(() => stack.close());

const dataFile = () => join(stack.folder, 'data.sqlite');

/** Runs the program as an operator would; answers how it ended, and what it said. */
async function run(env: Record<string, string> = {}, ...words: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: { ...process.env, ...stack.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, complaint, [code]] = await Promise.all([
    readText(child.stdout),
    readText(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { code, said, complaint: complaint.replace(/^\(node:.*|^\(Use .*/gm, '').trim() };
}

function damage(from: number): void {
  const database = new DatabaseSync(dataFile());
  database.exec('PRAGMA journal_mode = DELETE');
  database.close();
  execFileSync('dd', [
    'if=/dev/urandom',
    `of=${dataFile()}`,
    'bs=1024',
    `seek=${String(from)}`,
    'count=64',
    'conv=notrunc',
    'status=none',
  ]);
}

describe('a server whose data file cannot be used says what to do, in one line', () => {
  it.each([
    [
      'is no database',
      () => writeFileSync(dataFile(), 'x'.repeat(9999)),
      'pay-session-server restore <backup file>',
    ],
    ['is damaged', () => damage(0), 'pay-session-server restore <backup file>'],
    ['is of a newer version', () => setVersion(99), 'written by a newer version of the server'],
    ['is of another program', () => foreign(), 'it is the file of another program'],
  ])('when it %s', async (_what, spoil, words) => {
    spoil();
    const { code, complaint } = await run();
    expect(code).toBe(1);
    expect(complaint).toContain(words);
    expect(complaint).toContain('data.sqlite: ');
    expect(complaint.split('\n')).toHaveLength(1);
    rmSync(dataFile(), { recursive: true, force: true });
    await stack.startServer();
  });

  it('when its folder is missing', async () => {
    const path = join(stack.folder, 'missing', 'data.sqlite');
    const { code, complaint } = await run({ PAY_DATABASE_FILE: path });
    expect([code, complaint.split('\n').length]).toEqual([1, 1]);
    expect(complaint).toContain('check that its folder exists');
    await stack.startServer();
  });

  it('when nothing can be written next to it', async () => {
    const full = spawn('sh', ['-c', 'ulimit -S -f 0; exec "$0" "$1"', process.execPath, PROGRAM], {
      env: { ...process.env, ...stack.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const complaint = await readText(full.stderr);
    expect(complaint).toContain('check the disk before you start again');
    await stack.startServer();
  });

  it('when its lock is no lock', async () => {
    writeFileSync(`${dataFile()}.lock`, 'x'.repeat(9999));
    const { complaint } = await run();
    expect(complaint).toContain('data.sqlite.lock: it is not a lock of this server');
    rmSync(`${dataFile()}.lock`);
    await stack.startServer();
  });

  it('when another server runs on it, also by another name', async () => {
    await stack.startServer();
    const link = join(stack.folder, 'link.sqlite');
    symlinkSync(dataFile(), link);
    for (const path of [dataFile(), link]) {
      const { code, complaint } = await run({ PAY_DATABASE_FILE: path });
      expect(code).toBe(1);
      expect(complaint).toContain('another process has this data file open; stop it first');
      expect(complaint.split('\n')).toHaveLength(1);
    }
    expect((await stack.fetch('/readyz')).status).toBe(200);
  });

  function setVersion(version: number): void {
    const database = new DatabaseSync(dataFile());
    database.exec(`PRAGMA user_version = ${String(version)}`);
    database.close();
  }

  function foreign(): void {
    rmSync(dataFile());
    const database = new DatabaseSync(dataFile());
    database.exec('CREATE TABLE notes (text TEXT)');
    database.close();
  }
});

describe('the restore command', () => {
  it('puts a backup back, says what came of it, and refuses words that it does not know', async () => {
    const copy = join(stack.folder, 'copy.sqlite');
    copyFileSync(dataFile(), copy);
    const { code, said } = await run({}, 'restore', copy);
    expect([code, said.trim().split('\n').at(-1)]).toEqual([0, 'You can start the server now.']);
    const wrong = await run({}, 'restore', '--since', 'yesterday');
    expect([wrong.code, wrong.said]).toEqual([2, '']);
    expect(wrong.complaint).toContain('expected: restore <backup file>');
    await stack.startServer();
  });
});

describe('a server whose disk is full', () => {
  let child: ChildProcess;
  let url: string;
  beforeEach(async () => {
    const limit = `ulimit -S -f ${String(SMALL_DISK_BLOCKS)}; exec "$0" "$1"`;
    child = spawn('sh', ['-c', limit, process.execPath, TUNED_PROGRAM], {
      env: { ...process.env, ...stack.env, TUNING: JSON.stringify(TUNING) },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    url = `http://127.0.0.1:${String(port)}`;
  });
  afterAll(() => child.kill('SIGKILL'));

  it('answers 5xx, says that it is not ready, and has lost nothing that it acknowledged', async () => {
    const opened: string[] = [];
    const open = async (order: string) => {
      stack.shop.orders.set(order, { amount: '5.00' });
      const answer = await fetch(`${url}/v1/checkouts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'http://shop.localhost:4100' },
        body: JSON.stringify({ merchant: 'teashop', order, orderToken: stack.token(order) }),
      });
      return {
        status: answer.status,
        body: (await answer.json()) as Problem & { checkout: string },
      };
    };
    let refused: Awaited<ReturnType<typeof open>> | undefined;
    while (!refused) {
      const answer = await open(`D${String(opened.length)}`);
      if (answer.status === 200) opened.push(answer.body.checkout);
      else refused = answer;
    }
    expect(refused).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    expect(opened.length).toBeGreaterThan(10);
    const session = stack.sandbox.control.sessions()[0];
    const webhook = new URL(session?.WebhookUrl ?? '').pathname;
    const deliver = async (body: string) =>
      (await fetch(url + webhook, { method: 'POST', body })).status;
    expect(await deliver('x'.repeat(200_000))).toBe(500);
    // What is smaller may still find room, for a while.
    let count = 0;
    while ((await deliver(`webhook ${String(count)}`)) === 204) count += 1;
    const ready = async () => (await fetch(`${url}/readyz`)).status;
    await expect.poll(ready).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);

    child.kill('SIGKILL');
    await once(child, 'exit');
    await stack.startServer();
    for (const checkout of opened) {
      const known = await stack.fetch(`/v1/checkouts?id=${checkout}:0`);
      expect(known.status).toBe(200);
    }
    expect((await stack.open('AFTER', { amount: '5.00' })).status).toBe(200);
  });
});
