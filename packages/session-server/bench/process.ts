import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface BenchProcess {
  readonly url: string;
  /** Resident memory, in bytes. */
  memory(): Promise<number>;
  stop(): Promise<void>;
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
  return {
    url: `http://127.0.0.1:${String(port)}`,
    async memory() {
      child.send('memory');
      return (await nextMessage<{ bytes: number }>(child)).bytes;
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
    child.once('message', (message) => {
      resolve(message as T);
    });
    child.once('exit', (code) => {
      reject(new Error(`a process of the benchmark ended with ${String(code)}`));
    });
  });
}
