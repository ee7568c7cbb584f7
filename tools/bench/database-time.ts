import { readdirSync, readFileSync } from 'node:fs';
import { queryAt } from '../../packages/session-server/src/testing/postgres-server.ts';

/** Of the clock in which Linux counts. */
const TICK_MICROS = 10_000;

/** The first process of the PostgreSQL at this address, which runs on this machine. */
export async function findPostmaster(url: string): Promise<number> {
  const [row] = await queryAt(
    url,
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
  );
  return Number(row?.['pid']);
}

/**
 * Time on a processor of a PostgreSQL with all its processes, also of those that have ended, in
 * microseconds. Only Linux tells it: elsewhere not a number.
 */
export function readDatabaseMicros(postmaster: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const ticks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ticksOf(Number(name), postmaster));
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_MICROS;
}

function ticksOf(pid: number, postmaster: number): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  } catch {
    // It has ended since: its parent tells its time.
    return 0;
  }
  // After the name, which may have spaces in it: `proc_pid_stat(5)` counts these from 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  const own = field(14) + field(15);
  if (pid === postmaster) return own + field(16) + field(17);
  return field(4) === postmaster ? own : 0;
}
