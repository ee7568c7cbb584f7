import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findPostmaster, readDatabaseMicros } from './database-time.ts';
import type { Usage } from './report.ts';

export interface BenchProcess {
  readonly url: string;
  usage(): Promise<UsageWithDatabase>;
  stop(): Promise<void>;
}

interface UsageWithDatabase extends Usage {
  /** Of its PostgreSQL; not a number without one. */
  readonly databaseMicros: number;
}

/** Starts one of the programs of this folder and waits until it listens. */
export async function startProcess(
  program: string,
  env: Readonly<Record<string, string>> = {},
): Promise<BenchProcess> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), {
    env: { ...process.env, ...env },
  });
  const { port } = await nextMessage<{ port: number }>(child);
  const url = env['DATABASE_URL'];
  const postmaster = url === undefined ? undefined : await findPostmaster(url);
  return {
    url: `http://127.0.0.1:${String(port)}`,
    async usage() {
      const answered = nextMessage<Usage>(child);
      child.send('usage');
      const databaseMicros = postmaster === undefined ? Number.NaN : readDatabaseMicros(postmaster);
      return { ...(await answered), databaseMicros };
    },
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await exited;
    },
  };
}

function nextMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => {
      reject(new Error(`a process of the benchmark ended with ${String(code)}`));
    };
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as T);
    });
  });
}
