import { setTimeout as sleep } from 'node:timers/promises';
import { DrillProcess } from './drill-process.ts';
import { type Call, type Reply, send, within } from './http.ts';

/** The build beside this drill. */
export const PROGRAM = new URL(
  '../../packages/session-server/src/testing/tuned-server.mjs',
  import.meta.url,
).pathname;
const DEATH_SECONDS = 15;

export interface KillableServerOptions {
  readonly port: number;
  /** Default: {@link PROGRAM}. */
  readonly program?: string;
  readonly env: Readonly<Record<string, string>>;
  /** `PAY_CRASH_AT` of the first start, of the second, and so on; the starts after them have none. */
  readonly crashAt: readonly string[];
  /** Called before the next start. */
  readonly onDeath?: () => Promise<void>;
  /** Called at each start. */
  readonly onStart?: (server: KillableServer) => void;
}

interface Life {
  readonly process: DrillProcess;
  /** Resolves when the next life has begun. */
  readonly over: Promise<void>;
}

/** The session server as a process that dies, and is started again at once as an operator's would. */
export class KillableServer {
  deaths = 0;
  /** How a life ended that nothing of the drill ended. */
  failure: string | undefined;
  /** Where the present life is to die. */
  crashAt: string | undefined;
  readonly #options: KillableServerOptions;
  readonly #crashAt: string[];
  #program: string;
  #life: Life;
  #isStopping = false;

  constructor(options: KillableServerOptions) {
    this.#options = options;
    this.#program = options.program ?? PROGRAM;
    this.#crashAt = [...options.crashAt];
    this.#life = this.#begin();
  }

  /** Repeats the request until it is answered, over as many lives as that takes. */
  async call(path: string, call?: Call): Promise<Reply> {
    while (!this.#isStopping) {
      const life = this.#life;
      const port = await life.process.listening;
      if (port !== undefined) {
        try {
          return await send(`http://127.0.0.1:${String(port)}${path}`, call);
        } catch {
          // The connection broke: the process is dead, or the drill fails on the next line.
        }
      }
      await within(DEATH_SECONDS, 'the end of a server that broke its connection', life.over);
    }
    throw new Error('the round is over');
  }

  /** Resolves when the present life listens, or is over. */
  async untilListening(): Promise<void> {
    await this.#life.process.listening;
  }

  /** Resolves when it has died this often, or the round is over. */
  async untilDied(times: number): Promise<void> {
    while (this.deaths < times && !this.#isStopping) await this.#life.over;
  }

  kill(): void {
    this.#life.process.signal('SIGKILL');
  }

  /** Lets it do nothing, as a machine that hangs, for so long. */
  async pause(seconds: number): Promise<void> {
    const { process } = this.#life;
    process.signal('SIGSTOP');
    await sleep(seconds * 1000);
    process.signal('SIGCONT');
  }

  /** Stops it cleanly, and starts another build in its place. */
  async replace(program: string): Promise<void> {
    await this.stop();
    this.#program = program;
    this.#isStopping = false;
    this.#life = this.#begin();
    await this.#life.process.listening;
  }

  async stop(): Promise<void> {
    await this.#life.process.listening;
    this.#isStopping = true;
    await this.#life.process.stop();
  }

  #begin(): Life {
    const crashAt = this.#crashAt.shift();
    this.crashAt = crashAt;
    const child = new DrillProcess(this.#program, {
      ...this.#options.env,
      ...(crashAt === undefined ? {} : { PAY_CRASH_AT: crashAt }),
    });
    const over = this.#outlive(child);
    // A caller with a request under way hears of it; otherwise the end of the round does.
    over.catch(() => undefined);
    queueMicrotask(() => this.#options.onStart?.(this));
    return { process: child, over };
  }

  async #outlive(child: DrillProcess): Promise<void> {
    const { code, signal, words } = await child.ended;
    if (this.#isStopping) return;
    if (signal !== 'SIGKILL') {
      this.failure = `the server ended with code ${String(code)}: ${words}`;
      throw new Error(this.failure);
    }
    this.deaths += 1;
    await this.#options.onDeath?.();
    this.#life = this.#begin();
  }
}
