import { type ChildProcess, fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { within } from './http.ts';

const START_SECONDS = 30;
const KEPT_CHARACTERS = 4000;

/** How a process ended. */
export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of what it printed. */
  readonly words: string;
}

/** One of our programs, as a process of its own. */
export class DrillProcess {
  readonly ended: Promise<End>;
  /** The port, once it listens; undefined when it ended before. */
  readonly listening: Promise<number | undefined>;
  readonly #child: ChildProcess;
  #words = '';

  constructor(program: string, env: Readonly<Record<string, string>>) {
    this.#child = fork(program, [], {
      env: { PATH: process.env['PATH'], ...env },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#words = (this.#words + chunk.toString()).slice(-KEPT_CHARACTERS);
      });
    }
    this.ended = once(this.#child, 'exit').then(([code, signal]: unknown[]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      words: this.#words,
    }));
    const listening = once(this.#child, 'message').then(
      ([message]: unknown[]) => (message as { readonly port: number }).port,
    );
    const either = Promise.race([listening, this.ended.then(() => undefined)]);
    this.listening = within(START_SECONDS, `a start of ${program}`, either);
    // A waiter hears of it, also one that begins to wait later.
    this.listening.catch(() => undefined);
  }

  /** The end of what it has printed so far. */
  get words(): string {
    return this.#words;
  }

  /** What the program answers to a message, one at a time. */
  async ask<T>(question: string): Promise<T> {
    const answered = once(this.#child, 'message') as Promise<[T]>;
    this.#child.send(question);
    const ended = this.ended.then(({ words }): never => {
      throw new Error(`the process ended: ${words}`);
    });
    const [answer] = await Promise.race([answered, ended]);
    return answer;
  }

  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name);
  }

  async stop(): Promise<End> {
    this.#child.kill('SIGTERM');
    return within(START_SECONDS, 'a clean stop', this.ended);
  }
}

/**
 * From 32768 on, systems give ports to each program that asks for any and to each connection that goes out: such
 * a one would be taken while the process that has it is dead.
 */
const PORTS = { first: 20_000, end: 32_768 };
const given = new Set<number>();

/** A port that no program listens on, and that none is given by chance. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.end);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
