// Iterating over transactions, ours against undici and JSON.parse without checks, and the export to
// CSV against the iteration: each run in a fresh process, all in turn, another one first in every
// round. Time and processor time are compared within a round, so that what the machine does next to
// it counts for both; the median of the rounds is reported. One JSON line for each figure.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

import { measureSandboxPages, measureSandboxStart } from './sandbox-pages.mjs';

const ROWS = 200_000;
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 11);
const FLAT_ROWS = [20_000, 200_000, 2_000_000];
// V8 lets a heap grow before it collects, so an unbounded one shows its habits and not the need.
const FLAT_HEAP = ['--max-old-space-size=64', '--max-semi-space-size=4'];

const server = fork(new URL('server.mjs', import.meta.url));
const [port] = await once(server, 'message');
const url = `http://127.0.0.1:${port}`;

async function runOnce(name, rows, execArgv = []) {
  const program = new URL('contestant.mjs', import.meta.url);
  return resultOf(fork(program, [name, url, String(rows)], { execArgv }), name);
}

/** `pay-partner transactions export` to CSV, as a process: its start and its file are in the time. */
async function exportOnce(rows) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-export-'));
  const cli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const reporter = new URL('report-usage.mjs', import.meta.url).href;
  const filters = ['--reseller-id', String(rows), '--output', join(folder, 'rows.csv')];
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    ['--import', reporter, cli, 'transactions', 'export', '--base-url', url, '--quiet', ...filters],
    {
      env: { ...process.env, PAY_PARTNER_API_KEY: 'bench' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  );
  const usage = await resultOf(child, 'the export');
  const milliseconds = performance.now() - startedAt;
  rmSync(folder, { recursive: true });
  if (child.exitCode !== 0) throw new Error(`the export ended with ${child.exitCode}`);
  return { ...usage, milliseconds };
}

/** What a process reports about itself when it ends. */
async function resultOf(child, name) {
  const ended = once(child, 'exit');
  const result = await Promise.race([
    once(child, 'message').then(([message]) => message),
    ended.then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`))),
  ]);
  await ended;
  return result;
}

const iterate = (name) => [name, () => runOnce(name, ROWS)];
const CONTESTANTS = new Map([
  iterate('plain'),
  iterate('client'),
  iterate('client-fetch'),
  iterate('client-pages'),
  iterate('client-off'),
  iterate('client-strict'),
  ['export to CSV', () => exportOnce(ROWS)],
]);

async function runRound(round) {
  const names = [...CONTESTANTS.keys()];
  const results = {};
  for (let turn = 0; turn < names.length; turn += 1) {
    const name = names[(round + turn) % names.length];
    results[name] = await CONTESTANTS.get(name)();
  }
  return results;
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

function print(line) {
  console.log(JSON.stringify({ bench: 'partner-api/iterate', node: process.version, ...line }));
}

const rounds = [];
for (let round = 0; round < ROUNDS; round += 1) rounds.push(await runRound(round));
const middleOf = (name, figure) => median(rounds.map((round) => round[name][figure]));
const ratioOf = (name, figure, base) =>
  Number(median(rounds.map((round) => round[name][figure] / round[base][figure])).toFixed(3));
const toMebibytes = (bytes) => Math.round(bytes / 2 ** 20);
for (const name of CONTESTANTS.keys()) {
  const against = name === 'export to CSV' ? 'client' : 'plain';
  print({
    contestant: name,
    rows: ROWS,
    rounds: ROUNDS,
    medianMilliseconds: Math.round(middleOf(name, 'milliseconds')),
    medianCpuMilliseconds: Math.round(middleOf(name, 'cpuMilliseconds')),
    peakMebibytes: toMebibytes(middleOf(name, 'peakBytes')),
    against,
    timeRatio: ratioOf(name, 'milliseconds', against),
    // Steadier than the time on the wall when the machine has other work, too.
    cpuRatio: ratioOf(name, 'cpuMilliseconds', against),
    memoryRatio: ratioOf(name, 'peakBytes', against),
  });
}
for (const rows of process.env['BENCH_FLAT'] === '0' ? [] : FLAT_ROWS) {
  for (const name of ['plain', 'client']) {
    const { milliseconds, peakBytes } = await runOnce(name, rows, FLAT_HEAP);
    const peakMebibytes = toMebibytes(peakBytes);
    print({ contestant: name, rows, milliseconds: Math.round(milliseconds), peakMebibytes });
  }
}
server.disconnect();
print({ bench: 'sandbox/start', ...(await measureSandboxStart()) });
print({ bench: 'sandbox/pages', ...(await measureSandboxPages()) });
