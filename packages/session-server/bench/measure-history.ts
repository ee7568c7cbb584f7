import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare } from './compare.ts';
import { round } from './load.ts';
import { type BenchProcess, startProcess } from './process.ts';
import { seedHistory } from './seed-history.ts';
import { openMany } from './shopper.ts';

const FEW = 10_000;
const MANY = 1_000_000;

/** What creating a checkout costs with few and with many past orders in the data file. */
export async function measureHistory(env: Readonly<Record<string, string>>): Promise<object> {
  const folders = [FEW, MANY].map(() => mkdtempSync(join(tmpdir(), 'history-')));
  const [few, many] = await Promise.all(
    folders.map((folder, index) => startWithHistory(folder, index === 0 ? FEW : MANY, env)),
  );
  if (!few || !many) throw new Error('two servers were to start');
  const { ours, peer, ratio, cpuRatio } = await compare(many, few, 2000, openMany);
  await Promise.all([few.stop(), many.stop()]);
  const megabytes = folders.map((folder) => Math.round(sizeOf(folder) / 2 ** 20));
  for (const folder of folders) rmSync(folder, { recursive: true });
  return {
    few: { orders: FEW, megabytes: megabytes[0], ...peer },
    many: { orders: MANY, megabytes: megabytes[1], ...ours },
    costRatio: round(1 / ratio),
    cpuRatio,
  };
}

async function startWithHistory(
  folder: string,
  orders: number,
  env: Readonly<Record<string, string>>,
): Promise<BenchProcess> {
  const own = { ...env, BENCH_FOLDER: folder };
  // The first start makes the tables.
  await (await startProcess('server.ts', own)).stop();
  seedHistory(join(folder, 'data.sqlite'), orders);
  return startProcess('server.ts', own);
}

function sizeOf(folder: string): number {
  return statSync(join(folder, 'data.sqlite')).size;
}
