// Iterating over transactions, ours against undici and JSON.parse without checks: ratios of medians
// from runs in turn, each in a fresh process, and peak memory. One JSON line for each figure.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

const ROWS = 200_000;
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7);
const CONTESTANTS = ['plain', 'client', 'client-pages', 'client-off', 'client-strict'];
const FLAT_ROWS = [20_000, 200_000, 2_000_000];
// V8 lets a heap grow before it collects, so an unbounded one shows its habits and not the need.
const FLAT_HEAP = ['--max-old-space-size=64', '--max-semi-space-size=4'];

const server = fork(new URL('server.mjs', import.meta.url));
const [port] = await once(server, 'message');
const url = `http://127.0.0.1:${port}`;

async function runOnce(name, rows, execArgv = []) {
  const program = new URL('contestant.mjs', import.meta.url);
  const child = fork(program, [name, url, String(rows)], { execArgv });
  const result = await Promise.race([
    once(child, 'message').then(([message]) => message),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`))),
  ]);
  if (child.exitCode === null) await once(child, 'exit');
  return result;
}

/** `pay-partner transactions export` to CSV, as a process: its start and its file are in the time. */
async function exportOnce(rows) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-export-'));
  const cli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const filters = ['--reseller-id', String(rows), '--output', join(folder, 'rows.csv')];
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [cli, 'transactions', 'export', '--base-url', url, '--quiet', ...filters],
    {
      env: { ...process.env, PAY_PARTNER_API_KEY: 'bench' },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the export ended with ${code}`);
  const milliseconds = performance.now() - startedAt;
  rmSync(folder, { recursive: true });
  return milliseconds;
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

function print(line) {
  console.log(JSON.stringify({ bench: 'partner-api/iterate', node: process.version, ...line }));
}

const results = new Map(CONTESTANTS.map((name) => [name, []]));
const exports = [];
for (let round = 0; round < ROUNDS; round += 1) {
  exports.push(await exportOnce(ROWS));
  for (const name of CONTESTANTS) results.get(name).push(await runOnce(name, ROWS));
}
const middleOf = (name, figure) => median(results.get(name).map((result) => result[figure]));
const ratioOf = (name, figure) =>
  Number((middleOf(name, figure) / middleOf('plain', figure)).toFixed(3));
const toMebibytes = (bytes) => Math.round(bytes / 2 ** 20);
for (const name of CONTESTANTS) {
  print({
    contestant: name,
    rows: ROWS,
    rounds: ROUNDS,
    medianMilliseconds: Math.round(middleOf(name, 'milliseconds')),
    medianCpuMilliseconds: Math.round(middleOf(name, 'cpuMilliseconds')),
    peakMebibytes: toMebibytes(middleOf(name, 'peakBytes')),
    timeRatio: ratioOf(name, 'milliseconds'),
    // Steadier than the time on the wall when the machine has other work, too.
    cpuRatio: ratioOf(name, 'cpuMilliseconds'),
    memoryRatio: ratioOf(name, 'peakBytes'),
  });
}
print({
  contestant: 'export to CSV',
  rows: ROWS,
  rounds: ROUNDS,
  medianMilliseconds: Math.round(median(exports)),
  // Against the iteration alone.
  timeRatio: Number((median(exports) / middleOf('client', 'milliseconds')).toFixed(3)),
});
for (const rows of process.env['BENCH_FLAT'] === '0' ? [] : FLAT_ROWS) {
  for (const name of ['plain', 'client']) {
    const { milliseconds, peakBytes } = await runOnce(name, rows, FLAT_HEAP);
    const peakMebibytes = toMebibytes(peakBytes);
    print({ contestant: name, rows, milliseconds: Math.round(milliseconds), peakMebibytes });
  }
}
server.disconnect();
