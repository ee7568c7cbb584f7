import { once } from 'node:events';
import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  type CliResult,
  endOf,
  makeFolder,
  run,
  type SandboxProcess,
  spawnCli,
  startCli,
  startSandbox,
} from '../testing/cli-runner.js';
import { rowsOf, startListServer } from '../testing/list-server.js';
import { answerJson, pageOf, startServer } from '../testing/test-server.js';

const ROWS = 4000;
let sandbox: SandboxProcess;

beforeAll(async () => {
  sandbox = await startSandbox({
    SANDBOX_TRANSACTIONS: String(ROWS),
    SANDBOX_CURSOR_LIFETIME_SECONDS: '600',
  });
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
});

function exportTo(file: string, ...more: readonly string[]): Promise<CliResult> {
  return run(argsOf(file, ...more), { env: sandbox.env });
}

function argsOf(file: string, ...more: readonly string[]): string[] {
  return ['transactions', 'export', '--output', file, ...more];
}

const failsSecond = (request: number): { status: number } | undefined =>
  request === 2 ? { status: 503 } : undefined;

/** Starts an export as a process, and sends it a signal when it has reported so many attempts. */
async function stopAfter(
  attempts: number,
  signal: NodeJS.Signals,
  file: string,
): Promise<CliResult> {
  const args = argsOf(file, '--page-size', '40', '--checkpoint-seconds', '0', '--verbose');
  const child = startCli(args, sandbox.env);
  const ended = endOf(child);
  let reported = 0;
  createInterface(child.stderr).on('line', () => {
    if ((reported += 1) === attempts) child.kill(signal);
  });
  if (child.exitCode === null) await once(child, 'exit');
  return ended;
}

describe('an export', () => {
  it('killed at random moments goes on to the same bytes as one that was not', async () => {
    await using folder = await makeFolder();
    const whole = folder.at('whole.csv');
    const killed = folder.at('killed.csv');
    expect((await exportTo(whole)).code).toBe(0);
    const tail = 'txn_half,paym'.repeat(100_000);
    let kills = 0;
    for (let run = 0; run < 5; run += 1) {
      const result = await stopAfter(2 + Math.floor(Math.random() * 20), 'SIGKILL', killed);
      if (result.code === null) kills += 1;
      // What was written after the checkpoint, and perhaps only in part, must not count.
      if (result.code === null) await appendFile(`${killed}.partial`, tail);
    }
    expect(kills).toBe(5);
    const last = await exportTo(killed);
    expect([last.code, last.stderr]).toEqual([0, expect.stringContaining('Going on after')]);
    expect(await readFile(killed)).toEqual(await readFile(whole));
    await expect(stat(`${killed}.checkpoint`)).rejects.toThrow('ENOENT');
  });

  it('stopped by Ctrl-C keeps what it has, says so, and goes on', async () => {
    await using folder = await makeFolder();
    const file = folder.at('rows.ndjson');
    const stopped = await stopAfter(9, 'SIGINT', file);
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain('The same command goes on there.');
    await expect(stat(file)).rejects.toThrow('ENOENT');
    const args = argsOf(file, '--page-size', '40', '--json');
    const { code, stdout, stderr } = await spawnCli(args, sandbox.env);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ rows: ROWS })]);
    expect(stderr).toMatch(/^Going on after [\d,]+ rows/);
    const ids = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(new Set(ids).size).toBe(ROWS);
  });

  it('says plainly when the cursor is no longer taken, and keeps what there is', async () => {
    await using folder = await makeFolder();
    const file = folder.at('rows.csv');
    await stopAfter(6, 'SIGINT', file);
    await sandbox.control('/clock', { advanceSeconds: 3600 });
    const { code, stderr } = await exportTo(file);
    expect([code, stderr]).toEqual([1, expect.stringContaining('no longer takes the cursor')]);
    expect(stderr).toMatch(/--restart.*--to-date \d{4}-\d\d-\d\d/);
    expect((await stat(`${file}.partial`)).size).toBeGreaterThan(0);
    expect((await exportTo(file, '--restart')).code).toBe(0);
  });

  it('does not go on with other filters, nor over a file that is there', async () => {
    await using folder = await makeFolder();
    const file = folder.at('rows.csv');
    await stopAfter(4, 'SIGINT', file);
    const other = await exportTo(file, '--status', 'REFUND');
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('other filters')]);
    await writeFile(folder.at('mine.csv'), 'precious');
    const there = await exportTo(folder.at('mine.csv'));
    expect([there.code, await readFile(folder.at('mine.csv'), 'utf8')]).toEqual([2, 'precious']);
    expect((await exportTo(folder.at('mine.csv'), '--overwrite')).code).toBe(0);
  });

  it('is refused while another one writes the same file, which goes on', async () => {
    await using folder = await makeFolder();
    const file = folder.at('rows.csv');
    const first = startCli(argsOf(file, '--page-size', '40', '--verbose'), sandbox.env);
    const ended = endOf(first);
    await once(createInterface(first.stderr), 'line');
    first.kill('SIGSTOP');
    const second = await exportTo(file);
    expect([second.code, second.stderr]).toEqual([
      2,
      expect.stringContaining(`(process ${first.pid} on ${hostname()}) is writing ${file}`),
    ]);
    first.kill('SIGCONT');
    expect((await ended).code).toBe(0);
    expect((await readFile(file, 'utf8')).split('\r\n')).toHaveLength(ROWS + 2);
    expect(await readdir(dirname(file))).toEqual(['rows.csv']);
  });

  it('whose partial file was lost says so, instead of writing a gap', async () => {
    await using folder = await makeFolder();
    const file = folder.at('rows.csv');
    await stopAfter(4, 'SIGINT', file);
    await writeFile(`${file}.partial`, '');
    const { code, stderr } = await exportTo(file);
    expect([code, stderr]).toEqual([6, expect.stringContaining('--restart')]);
  });

  it('shows its progress on a terminal only', async () => {
    await using folder = await makeFolder();
    const args = argsOf(folder.at('a.csv'), '--page-size', '500');
    const watched = await run(args, { env: sandbox.env, columns: 100 });
    expect(watched.stderr).toMatch(/rows · [\d,]+ rows\/s · .*back to \d{4}-\d\d-\d\d/);
    const unwatched = await exportTo(folder.at('b.csv'));
    expect(unwatched.stderr).toMatch(/^\S+: 4,000 rows in [\d.]+ s .*\n$/);
  });

  it('goes to stdout with nothing else there', async () => {
    const { code, stdout } = await exportTo('-', '--format', 'csv', '--columns', 'id,amount');
    const lines = stdout.split('\r\n');
    expect([code, lines[0], lines.length]).toEqual([0, '"id","amount"', ROWS + 2]);
  });

  it('keeps every digit of an amount that no double holds, in both formats', async () => {
    const row =
      '{"id":"a","amount":12345678901234567890.12,"net":-0.10,"more":0.12345678901234567}';
    await using server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"data":{"transactions":[${row}]},"pagination":{"hasMore":false}}`);
    });
    const env = { ...sandbox.env, PAY_PARTNER_BASE_URL: server.url };
    const csv = await run(argsOf('-', '--format', 'csv'), { env });
    expect(csv.stdout).toContain('12345678901234567890.12');
    expect(csv.stdout).toContain('"{""more"":0.12345678901234567}"');
    const ndjson = await run(argsOf('-', '--format', 'ndjson'), { env });
    expect(ndjson.stdout).toContain('"amount":12345678901234567890.12');
  });

  it('goes on when its progress is not read any more', async () => {
    await using folder = await makeFolder();
    const file = folder.at('rows.csv');
    const child = startCli(argsOf(file, '--page-size', '100', '--verbose'), sandbox.env);
    child.stderr.once('data', () => child.stderr.destroy());
    child.stdout.resume();
    await once(child, 'exit');
    expect([child.exitCode, await readdir(dirname(file))]).toEqual([0, ['rows.csv']]);
  });

  it.each([
    ['export', ['transactions', 'export', '-o', '-', '--format', 'csv']],
    ['list of all', ['transactions', 'list', '--all', '--limit', '1000', '--json']],
  ])('or %s whose reader has stalled ends by Ctrl-C', async (_title, args) => {
    const child = startCli([...args, '--verbose'], sandbox.env);
    await once(createInterface(child.stderr), 'line');
    child.kill('SIGINT');
    await once(child, 'exit');
    expect(child.exitCode).toBe(130);
  });

  it('with filters that cannot be right leaves no file', async () => {
    await using folder = await makeFolder();
    const { code, stderr } = await exportTo(folder.at('a.csv'), '--to-date', '2026-02-30');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^Error: .*--to-date .*\n$/)]);
    expect(await readdir(folder.at('.'))).toEqual([]);
  });

  it('writes over no folder and no device', async () => {
    await using folder = await makeFolder();
    for (const output of [folder.at('.'), '/dev/null']) {
      const { code, stderr } = await exportTo(output, '--format', 'csv', '--overwrite');
      expect([code, stderr]).toEqual([2, expect.stringContaining('is no ordinary file')]);
    }
    expect(await readdir(folder.at('.'))).toEqual([]);
  });

  it('says that cells are empty because their numbers have no exact text, on stdout too', async () => {
    await using folder = await makeFolder();
    await using server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"data":{"transactions":[{"amount":1e400}]},"pagination":{"hasMore":false}}');
    });
    const env = { ...sandbox.env, PAY_PARTNER_BASE_URL: server.url };
    for (const output of ['-', folder.at('rows.csv')]) {
      const { stderr } = await run(argsOf(output, '--format', 'csv'), { env });
      expect(stderr).toContain('Warning: 1 numbers have no exact text');
    }
  });

  it('asks for the failed page again in the next run, and skips nothing', async () => {
    await using folder = await makeFolder();
    const file = folder.at('rows.csv');
    await using server = await startListServer(rowsOf(2), { pageRows: 1, fault: failsSecond });
    const env = { ...sandbox.env, PAY_PARTNER_BASE_URL: server.url };
    const args = argsOf(file, '--retries', '0', '--columns', 'id');
    const failed = await run(args, { env });
    expect([failed.code, failed.stderr]).toEqual([4, expect.stringContaining('goes on there')]);
    expect((await run(args, { env })).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe('"id"\r\n"t1"\r\n"t2"\r\n');
    const [, failedPage, nextRun] = server.cursors();
    expect([nextRun, server.requests.length]).toEqual([failedPage, 3]);
  });

  it('leaves out rows that are no objects, and says how many and where, also after a stop', async () => {
    await using folder = await makeFolder();
    const file = folder.at('rows.csv');
    const rows = [null, { id: 'a' }, 'canary', { id: 'b' }, ['canary']] as object[];
    await using server = await startListServer(rows, { fault: failsSecond });
    const env = { ...sandbox.env, PAY_PARTNER_BASE_URL: server.url };
    const args = argsOf(file, '--retries', '0', '--columns', 'id', '--json');
    expect((await run(args, { env })).code).toBe(4);
    const { code, stdout, stderr } = await run(args, { env });
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ rows: 2, unreadable: 3 }),
    ]);
    expect(stderr).toContain(
      'Warning: 3 rows are no objects and were left out; nothing is known of what they are about: ' +
        'index 0 of the first page (null), index 2 of the first page (text), ' +
        `index 1 of --cursor '${server.cursors().at(-1)}' (list).`,
    );
    expect(await readFile(file, 'utf8')).toBe('"id"\r\n"a"\r\n"b"\r\n');
    const streamed = await run(argsOf('-', '--format', 'ndjson'), { env });
    expect(streamed.stdout).toBe('{"id":"a"}\n{"id":"b"}\n');
    expect(streamed.stderr).toContain('Warning: 3 rows are no objects');
  });

  it('is not disturbed by a time that is no text', async () => {
    await using server = await startServer((response) => {
      answerJson(response, pageOf({ id: 'a', transactionTime: 5 }));
    });
    await using folder = await makeFolder();
    const env = { ...sandbox.env, PAY_PARTNER_BASE_URL: server.url };
    const { code, stderr } = await run(argsOf(folder.at('a.csv')), { env, columns: 100 });
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 rows')]);
  });
});
