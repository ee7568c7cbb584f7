/** One process of the stack: started, waited for, ended. It ends when this process is gone. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { programOf, type ProcessEnv, type ProcessName } from './settings.js';

const START_WITHIN_MS = 20_000;
const END_WITHIN_MS = 6000;
const KEPT_LINES = 20;

export interface ChildOptions {
  readonly name: ProcessName;
  readonly env: ProcessEnv;
  /** Default: the one of {@link programOf}. */
  readonly program?: string | undefined;
  /** Called for each line of output once the process listens. */
  readonly onLine: (name: ProcessName, line: string) => void;
  /** Called when the process ends unexpectedly. */
  readonly onDeath: (name: ProcessName, reason: string) => void;
}

/** A process that listens, or the reason why it does not. */
export class StackChild {
  readonly #options: ChildOptions;
  readonly #process: ChildProcess;
  readonly #lines: string[] = [];
  #isExpectedToEnd = false;
  #isListening = false;

  constructor(options: ChildOptions) {
    const { program = programOf(options.name) } = options;
    if (!existsSync(program)) {
      throw new Error(`The ${options.name} is not built: ${program} is missing. Run npm start.`);
    }
    this.#options = options;
    this.#process = fork(program, [], {
      env: { ...withoutSettings(process.env), ...options.env },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: Ctrl-C reaches us only, and we end the processes in order. When we
      // crash, the channel closes and they end too.
      detached: process.platform !== 'win32',
    });
    const { stdout, stderr } = this.#process;
    if (stdout !== null) readOutputLines(stdout, (line, isLog) => this.#keepLine(line, isLog));
    if (stderr !== null) readOutputLines(stderr, (line) => this.#keepLine(line, true));
    this.#process.once('close', (code, signal) => this.#handleEnd(code, signal));
  }

  /** The process itself, for tests. */
  get process(): ChildProcess {
    return this.#process;
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Resolves when the process says that it listens; rejects with its own words when it does not. */
  async waitUntilListening(): Promise<void> {
    const { name } = this.#options;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`The ${name} did not start in ${START_WITHIN_MS / 1000} seconds.`));
      }, START_WITHIN_MS);
      this.#process.on('message', (message) => {
        if (!isListeningMessage(message)) return;
        this.#isListening = true;
        clearTimeout(timer);
        resolve();
      });
      this.#process.once('close', (code, signal) => {
        clearTimeout(timer);
        reject(new Error(this.#describeEnd(code, signal)));
      });
      this.#process.once('error', (error) => {
        clearTimeout(timer);
        reject(new Error(`The ${name} cannot be started: ${error.message}`, { cause: error }));
      });
    });
  }

  /** Ends the process and resolves when it is gone; one that does not listen is killed. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#isExpectedToEnd = true;
    if (!this.isRunning) return;
    const isGone = once(this.#process, 'exit');
    this.#process.kill(signal);
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), END_WITHIN_MS);
    await isGone;
    clearTimeout(timer);
  }

  /** Plain words on stdout are the process saying that it listens: our own words say that better. */
  #keepLine(line: string, isNews: boolean): void {
    this.#lines.push(line);
    if (this.#lines.length > KEPT_LINES) this.#lines.shift();
    if (this.#isListening && isNews) this.#options.onLine(this.#options.name, line);
  }

  #handleEnd(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#isExpectedToEnd || !this.#isListening) return;
    this.#options.onDeath(this.#options.name, this.#describeEnd(code, signal));
  }

  #describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
    const how = signal === null ? `with code ${code}` : `by ${signal}`;
    const words = this.#lines.map((line) => `\n    ${line}`).join('');
    return `The ${this.#options.name} ended ${how}.${words === '' ? '' : ` It said:${words}`}`;
  }
}

function isListeningMessage(message: unknown): boolean {
  return (
    typeof message === 'object' &&
    message !== null &&
    'type' in message &&
    message.type === 'listening'
  );
}

const logLine = z.object({
  level: z.union([z.number(), z.string()]).optional(),
  msg: z.string(),
  code: z.string().optional(),
  err: z.object({ message: z.string() }).optional(),
});

/** Calls back for each line of the stream that is not blank, and says whether it is a log line. */
export function readOutputLines(
  stream: Readable,
  onLine: (line: string, isLog: boolean) => void,
): void {
  createInterface({ input: stream }).on('line', (line) => {
    if (line.trim() !== '') onLine(toPlainLine(line), line.startsWith('{'));
  });
}

/** `{"level":50,"msg":"…","err":{"message":"…"}}` → `…: …`. Other lines stay as they are. */
export function toPlainLine(line: string): string {
  if (!line.startsWith('{')) return line;
  const entry = logLine.safeParse(parseJson(line));
  if (!entry.success) return line;
  const { msg, code, err } = entry.data;
  const cause = err === undefined || err.message === msg ? '' : `: ${err.message}`;
  return `${msg}${cause}${code === undefined ? '' : ` (${code})`}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The session server takes its settings from the stack, and from no shell that the stack runs in. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PAY_')));
}
