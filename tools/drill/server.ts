import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from './http.ts';

const TESTING = new URL('../../packages/session-server/src/testing/', import.meta.url);
/** The session server of this build. */
export const PROGRAM = new URL('tuned-server.mjs', TESTING).pathname;
const START_SECONDS = 30;
const KEPT_CHARACTERS = 4000;

interface Ports {
  readonly port: number;
  readonly operatorPort?: number;
  readonly dashboardPort?: number;
}

/** How a process ended. */
interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One of our programs, as a process of its own. */
export class DrillProcess {
  readonly ended: Promise<End>;
  /** Resolves when it listens; with undefined when it ended before. */
  readonly listening: Promise<Ports | undefined>;
  /** The end of what it has printed. */
  output = '';
  readonly #child: ChildProcess;

  constructor(program: string, env: Readonly<Record<string, string>>) {
    this.#child = fork(program, [], {
      env: { PATH: process.env['PATH'], ...env },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.output = (this.output + chunk.toString()).slice(-KEPT_CHARACTERS);
      });
    }
    this.ended = (once(this.#child, 'exit') as Promise<[End['code'], End['signal']]>).then(
      ([code, signal]) => ({ code, signal }),
    );
    const listening = once(this.#child, 'message').then(([message]) => message as Ports);
    const either = Promise.race([listening, this.ended.then(() => undefined)]);
    this.listening = within(START_SECONDS, `a start of ${program}`, either);
    // Those who wait for it later get it, too.
    this.listening.catch(() => undefined);
  }

  /** @throws {Error} when it ended before it listened */
  async untilListening(): Promise<Ports> {
    const ports = await this.listening;
    if (!ports) throw new Error(`the process ended: ${this.output}`);
    return ports;
  }

  /** What the program answers to a message, one at a time. */
  async ask<T>(question: string): Promise<T> {
    const answered = once(this.#child, 'message') as Promise<[T]>;
    this.#child.send(question);
    const ended = this.ended.then((): never => {
      throw new Error(`the process ended: ${this.output}`);
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

export interface KillableServerOptions {
  /** Default: {@link PROGRAM}. */
  readonly program?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** `PAY_CRASH_AT` of the first start, of the second, and so on; the starts after them have none. */
  readonly crashAt: readonly string[];
  /** Called before the next start. */
  readonly onDeath?: (() => Promise<void>) | undefined;
  readonly onListening?: () => void;
}

/** The session server as a process that dies, and is started again at once as a supervisor would. */
export class KillableServer {
  deaths = 0;
  /** How a process ended that the drill did not end. */
  failure: string | undefined;
  /** Where this process is to die. */
  crashAt: string | undefined;
  /** While it listens. */
  ports: Ports | undefined;
  readonly #options: KillableServerOptions;
  readonly #crashAt: string[];
  #program: string;
  #process: DrillProcess;
  /** Resolves when the next process has begun. */
  #replaced: Promise<void>;
  #isStopping = false;

  constructor(options: KillableServerOptions) {
    this.#options = options;
    this.#program = options.program ?? PROGRAM;
    this.#crashAt = [...options.crashAt];
    [this.#process, this.#replaced] = this.#start();
  }

  /** Resolves when this process listens, or has ended. */
  async untilListening(): Promise<void> {
    await this.#process.listening;
  }

  /** Resolves when it has died this often, or is stopped before that. */
  async untilDied(times: number): Promise<void> {
    while (this.deaths < times && !this.#isStopping) await this.#replaced;
  }

  /** What it has printed since the last time. */
  takeOutput(): string {
    const { output } = this.#process;
    this.#process.output = '';
    return output;
  }

  kill(): void {
    this.#process.signal('SIGKILL');
  }

  /** Lets it do nothing, as a machine that hangs, for so long. */
  async pause(seconds: number): Promise<void> {
    const paused = this.#process;
    paused.signal('SIGSTOP');
    await sleep(seconds * 1000);
    paused.signal('SIGCONT');
  }

  /** Stops it cleanly, and starts another build in its place. */
  async replace(program: string): Promise<void> {
    await this.stop();
    this.#program = program;
    this.#isStopping = false;
    [this.#process, this.#replaced] = this.#start();
    await this.#process.listening;
  }

  async stop(): Promise<void> {
    await this.#process.listening;
    this.#isStopping = true;
    await this.#process.stop();
  }

  #start(): [DrillProcess, Promise<void>] {
    this.crashAt = this.#crashAt.shift();
    const started = new DrillProcess(this.#program, {
      ...this.#options.env,
      ...(this.crashAt !== undefined && { PAY_CRASH_AT: this.crashAt }),
    });
    started.listening.then(
      (ports) => {
        this.ports = ports;
        this.#options.onListening?.();
      },
      () => undefined,
    );
    const replaced = this.#restartAfter(started);
    // Thrown to those who wait for a death; otherwise `failure` has it.
    replaced.catch(() => undefined);
    return [started, replaced];
  }

  async #restartAfter(ended: DrillProcess): Promise<void> {
    const { code, signal } = await ended.ended;
    this.ports = undefined;
    if (this.#isStopping) return;
    if (signal !== 'SIGKILL') {
      this.failure = `the server ended with code ${String(code)}: ${ended.output}`;
      throw new Error(this.failure);
    }
    this.deaths += 1;
    await this.#options.onDeath?.();
    [this.#process, this.#replaced] = this.#start();
  }
}
