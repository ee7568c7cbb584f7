// The sandbox: how long it takes to start, and with 200,000 transactions the time of its last pages
// against that of its first ones.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

const ROWS = 200_000;
const LIMIT = 1000;
const ROUNDS = 50;
const KEY = 'bench';
const STARTS = 9;
const PROGRAM = fileURLToPath(new URL('../../sandbox/dist/main.js', import.meta.url));

/** Start of the process until it prints its address, as a developer waits for it. */
export async function measureSandboxStart() {
  const times = [];
  for (let start = 0; start < STARTS; start += 1) {
    const startedAt = performance.now();
    const env = { ...process.env, SANDBOX_API_KEY: KEY, SANDBOX_PORT: '0' };
    const child = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    times.push(performance.now() - startedAt);
    child.kill();
    await once(child, 'exit');
  }
  return { starts: STARTS, startMilliseconds: Math.round(median(times)) };
}

/** Start of the process until the first answer, and pages of both ends of the list in turn. */
export async function measureSandboxPages() {
  const startedAt = performance.now();
  const env = { SANDBOX_API_KEY: KEY, SANDBOX_PORT: '0', SANDBOX_TRANSACTIONS: String(ROWS) };
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
  const child = spawn(process.execPath, [PROGRAM], { env: { ...process.env, ...env }, stdio });
  const [{ port }] = await once(child, 'message');
  const url = `http://127.0.0.1:${port}/v1/transactions/list`;
  await readPage(url, { limit: 1 });
  const startMilliseconds = performance.now() - startedAt;

  const cursors = [undefined];
  while (cursors.length < ROWS / LIMIT) {
    const { next } = await readPage(url, { limit: LIMIT, cursor: cursors.at(-1) });
    cursors.push(next);
  }
  const times = { first: [], last: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, cursor] of [
      ['first', cursors[round % 10]],
      ['last', cursors.at(-1 - (round % 10))],
    ]) {
      times[name].push((await readPage(url, { limit: LIMIT, cursor })).milliseconds);
    }
  }
  child.kill();
  await once(child, 'exit');
  const [first, last] = [median(times.first), median(times.last)];
  return {
    rows: ROWS,
    startMilliseconds: Math.round(startMilliseconds),
    firstPagesMilliseconds: Number(first.toFixed(2)),
    lastPagesMilliseconds: Number(last.toFixed(2)),
    lastToFirst: Number((last / first).toFixed(3)),
  };
}

async function readPage(url, body) {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { api_key: KEY, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data, pagination } = await response.json();
  if (data.transactions.length !== body.limit) throw new Error('a page is not full');
  return { next: pagination.nextCursor, milliseconds: performance.now() - startedAt };
}

function median(numbers) {
  return numbers.sort((a, b) => a - b)[numbers.length >> 1];
}
