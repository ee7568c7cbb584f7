import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { activateSession } from '../checkouts/attempt-repository.js';
import { systemClock } from '../clock.js';
import { readValidSettings } from '../config.js';
import { ConfigError } from '../errors.js';
import { describeError, type LogFields } from '../logger.js';
import { PostgresServer, queryAt } from '../testing/postgres-server.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres-store.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { TestStore } from '../testing/test-store.js';
import { getCounter, incrementCounter, setCounter, type Transaction } from './database.js';
import { checkDatabaseUrl, PostgresDatabase } from './postgres-database.js';
import { sql } from './sql.js';
import { MIGRATIONS } from './migrations.js';

const OPENSSL = '/usr/bin/openssl';

const closing: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(url: string): Promise<PostgresDatabase> {
  const database = await PostgresDatabase.open(url);
  closing.push(() => database.close());
  return database;
}

let made: TestDatabase;
beforeEach(async () => {
  made = await createTestDatabase();
  closing.push(() => made.drop());
});

const count = (tx: Transaction) => incrementCounter(tx, 'test');

describe('a transaction in PostgreSQL', () => {
  it('runs again after a collision, and what follows from it is done once', async () => {
    const [one, other] = [await open(made.url), await open(made.url)];
    let runs = 0;
    let effects = 0;
    await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        (at % 2 === 0 ? one : other).transaction('test', async (tx) => {
          runs += 1;
          tx.afterCommit(() => {
            effects += 1;
          });
          await count(tx);
        }),
      ),
    );
    expect(await getCounter(one, 'test')).toBe(40);
    expect(effects).toBe(40);
    expect(runs).toBeGreaterThan(40);
  });

  it('never loses what another one wrote between its read and its write', async () => {
    const [one, other] = [await open(made.url), await open(made.url)];
    const add = (database: PostgresDatabase) =>
      database.transaction('test', async (tx) => {
        const before = (await getCounter(tx, 'test')) ?? 0;
        await tx.run(sql`
          INSERT INTO counters (name, value) VALUES ('test', ${before + 1})
          ON CONFLICT (name) DO UPDATE SET value = excluded.value`);
      });
    await Promise.all(Array.from({ length: 20 }, (_, at) => add(at % 2 === 0 ? one : other)));
    expect(await getCounter(one, 'test')).toBe(20);
  });

  it('that throws has changed nothing, and has no effect', async () => {
    const database = await open(made.url);
    const effects: string[] = [];
    const failing = database.transaction('test', async (tx) => {
      await count(tx);
      tx.afterCommit(() => effects.push('done'));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect([await getCounter(database, 'test'), effects]).toEqual([undefined, []]);
  });

  it('stores a text that PostgreSQL has no character for', async () => {
    const database = await open(made.url);
    await database.transaction('test', async (tx) => {
      await tx.run(sql`INSERT INTO counters (name, value) VALUES (${'a\0b\uD800'}, 1)`);
    });
    expect(await getCounter(database, 'a\0b\uD800')).toBe(1);
  });

  it('takes numbers that only grow and are stored once, however many ask together', async () => {
    const [one, other] = [await open(made.url), await open(made.url)];
    const take = (database: PostgresDatabase, atLeast: number) =>
      database.transaction('test', async (tx) => {
        const number = await tx.takeNumber('last_order_id', atLeast);
        await tx.run(sql`INSERT INTO counters (name, value) VALUES (${String(number)}, 1)`);
        return number;
      });
    const numbers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => take(at % 2 === 0 ? one : other, 100)),
    );
    expect(new Set(numbers).size).toBe(40);
    expect(Math.min(...numbers)).toBe(100);
    expect(await take(one, 5000)).toBe(5000);
    expect(await take(other, 100)).toBe(5001);
  });
});

describe('named statements', () => {
  it('are planned once a connection, and again when a newer version has changed a table', async () => {
    const database = await PostgresDatabase.open(made.url, { hasNamedStatements: true });
    closing.push(() => database.close());
    const read = () => database.all(sql`SELECT * FROM counters WHERE name = ${'test'}`);
    const readInside = () =>
      database.transaction('test', (tx) => tx.all(sql`SELECT * FROM counters`));
    await database.transaction('test', count);
    // One after the other: all on the same connection.
    await read();
    await readInside();
    const plans = await database.all(sql`SELECT name FROM pg_prepared_statements`);
    expect(plans.length).toBeGreaterThan(0);
    await made.query('ALTER TABLE counters ADD COLUMN more TEXT');
    const rows = [{ name: 'test', value: 1, more: null }];
    expect(await readInside()).toEqual(rows);
    expect(await read()).toEqual(rows);
  });

  it('are not used unless they are asked for: a pooler may not know them', async () => {
    const database = await open(made.url);
    await database.transaction('test', count);
    expect(await database.all(sql`SELECT name FROM pg_prepared_statements`)).toEqual([]);
  });
});

const READY_FOR_QUERY = Buffer.from('Z\0\0\0\x05I');
const SHUTDOWN_FIELDS = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0';
/** What a server that is shut down says on each connection. */
const SHUTDOWN = Buffer.concat([
  Buffer.from('E\0\0\0'),
  Buffer.from([4 + SHUTDOWN_FIELDS.length]),
  Buffer.from(SHUTDOWN_FIELDS),
]);

/** Stands between a server and its database, and cuts connections at a COMMIT, or another statement. */
class CuttingProxy {
  statement = 'COMMIT';
  /** What becomes of the next COMMITs: they arrive and their answer is lost, or they do not arrive. */
  cut: 'answer' | 'commit' = 'answer';
  /** What happens while a COMMIT is held up. Default: nothing holds it up. */
  crash: (() => Promise<void>) | undefined;
  /** How many more are cut. */
  cuts = 0;
  /** How many more connections end right after their start, as in a server that is shut down. */
  shutdowns = 0;
  readonly #server: Server;
  readonly #to: URL;

  constructor(to: string) {
    this.#to = new URL(to);
    this.#server = createServer((client) => {
      this.#pipe(client);
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const url = new URL(this.#to);
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  close(): void {
    this.#server.close();
  }

  #pipe(client: Socket): void {
    const database = connect(Number(this.#to.port), this.#to.hostname);
    for (const socket of [client, database]) socket.on('error', () => socket.destroy());
    let isCut = false;
    database.on('data', (data: Buffer) => {
      if (isCut) client.destroy();
      else if (
        this.shutdowns > 0 &&
        data.subarray(-READY_FOR_QUERY.length).equals(READY_FOR_QUERY)
      ) {
        this.shutdowns -= 1;
        client.end(Buffer.concat([data, SHUTDOWN]));
      } else client.write(data);
    });
    client.on('data', (data) => {
      if (this.cuts > 0 && data.includes(this.statement)) {
        isCut = true;
        this.cuts -= 1;
        if (this.crash) return void this.crash();
        if (this.cut === 'commit') {
          client.destroy();
          database.destroy();
        }
      }
      if (!database.destroyed) database.write(data);
    });
    client.on('close', () => database.end());
    database.on('close', () => client.end());
  }
}

describe('a commit whose answer is lost', () => {
  const REFUSED = { name: 'AppError', status: 503, code: 'database_unavailable' };

  async function openThrough(proxy: CuttingProxy): Promise<PostgresDatabase> {
    closing.push(() => {
      proxy.close();
    });
    return open(await proxy.listen());
  }

  it('runs again, and is done once, when it did not arrive', async () => {
    const proxy = new CuttingProxy(made.url);
    const database = await openThrough(proxy);
    let runs = 0;
    let effects = 0;
    proxy.cut = 'commit';
    proxy.cuts = 1;
    await database.transaction('test', async (tx) => {
      runs += 1;
      tx.afterCommit(() => {
        effects += 1;
      });
      await count(tx);
    });
    expect(await getCounter(database, 'test')).toBe(1);
    expect([runs, effects]).toEqual([2, 1]);
  });

  it('is refused with 503 and not done again when it arrived, however many lose theirs', async () => {
    const proxy = new CuttingProxy(made.url);
    const database = await openThrough(proxy);
    proxy.cuts = 10;
    const effects: number[] = [];
    const names = Array.from({ length: 10 }, (_, at) => `test-${String(at)}`);
    const all = names.map((name, at) =>
      database.transaction('test', async (tx) => {
        tx.afterCommit(() => effects.push(at));
        await incrementCounter(tx, name);
      }),
    );
    expect(await Promise.allSettled(all)).toEqual(
      names.map(() => ({
        status: 'rejected',
        reason: expect.objectContaining(REFUSED) as unknown,
      })),
    );
    expect(proxy.cuts).toBe(0);
    expect(effects).toEqual([]);
    const stored = await Promise.all(names.map((name) => getCounter(database, name)));
    expect(stored).toEqual(names.map(() => 1));
  });

  it('tells a session that is stored already from one that came too late', async () => {
    const proxy = new CuttingProxy(made.url);
    const database = await openThrough(proxy);
    const store = new TestStore(database, { clock: systemClock, rules: TEST_RULES });
    const harness = new StoreHarness(store);
    const [shown, late] = [
      await harness.beginSending({ order: 'A1' }),
      await harness.beginSending({ order: 'A2' }),
    ];
    await store.endAttempt(late.attempt.orderId, 'unknown');
    proxy.statement = 'UPDATE attempts SET session_id';
    const activate = ({ attempt }: typeof shown) => {
      proxy.cuts = 1;
      return activateSession(database, attempt, `session-${attempt.order}`, Date.now());
    };
    expect([await activate(shown), proxy.cuts]).toEqual([true, 0]);
    expect([await activate(late), proxy.cuts]).toEqual([false, 0]);
    expect(await made.query('SELECT status, session_id FROM attempts ORDER BY order_id')).toEqual([
      { status: 'active', session_id: 'session-A1' },
      { status: 'unknown', session_id: 'session-A2' },
    ]);
  });

  it('is not taken for done when the server crashed and gave its id to another one', async () => {
    const server = await PostgresServer.start();
    closing.push(() => server.remove());
    const proxy = new CuttingProxy(server.url());
    const database = await openThrough(proxy);
    const takeId = async () => {
      const [row] = await server.query('SELECT pg_current_xact_id()::text AS id');
      return Number(row?.['id']);
    };
    let id = Infinity;
    proxy.cuts = 1;
    proxy.crash = async () => {
      proxy.crash = undefined;
      await server.stop('immediate');
      await server.resume();
      while ((await takeId()) < id);
    };
    const outcome = await database
      .transaction('test', async (tx) => {
        await count(tx);
        id = Number((await tx.get(sql`SELECT pg_current_xact_id()::text AS id`))?.['id']);
      })
      .then(
        () => 'stored',
        (error: unknown) => error,
      );
    const stored = await getCounter(database, 'test');
    expect(outcome).toEqual(stored === 1 ? 'stored' : expect.objectContaining(REFUSED));
  });
});

describe('a database server that is restarted', () => {
  it('ends no process with what it says on a connection that has just been made', async () => {
    const proxy = new CuttingProxy(made.url);
    closing.push(() => {
      proxy.close();
    });
    const database = await open(await proxy.listen());
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on('uncaughtException', note);
    closing.push(() => {
      process.off('uncaughtException', note);
    });
    proxy.shutdowns = 10;
    const work = Array.from({ length: 10 }, () => database.transaction('test', count));
    const ended = await Promise.allSettled(work);
    expect(proxy.shutdowns).toBe(0);
    expect(uncaught).toEqual([]);
    // One that meets shutdown after shutdown is refused in the end, and has done nothing.
    const refused = ended.filter((end) => end.status === 'rejected');
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ code: 'database_unavailable' });
    }
    expect(await getCounter(database, 'test')).toBe(10 - refused.length);
  });

  it('is refused with 503 in the meantime, and used again after, with all that was acknowledged', async () => {
    const server = await PostgresServer.start();
    closing.push(() => server.remove());
    await server.query('CREATE DATABASE pay');
    const database = await open(server.url('pay'));
    await database.transaction('test', count);
    await server.stop();
    const refused = { name: 'AppError', status: 503, code: 'database_unavailable' };
    await expect(database.transaction('test', count)).rejects.toMatchObject(refused);
    await expect(getCounter(database, 'test')).rejects.toMatchObject(refused);
    await server.resume();
    await database.transaction('test', count);
    expect(await getCounter(database, 'test')).toBe(2);
  });

  it('loses no transaction that is asked for right after', async () => {
    const server = await PostgresServer.start();
    closing.push(() => server.remove());
    await server.query('CREATE DATABASE pay');
    const database = await open(server.url('pay'));
    await Promise.all(Array.from({ length: 10 }, () => database.transaction('test', count)));
    await server.stop();
    await server.resume();
    await Promise.all(Array.from({ length: 10 }, () => database.transaction('test', count)));
    expect(await getCounter(database, 'test')).toBe(20);
  });
});

describe('a database that cannot do what it is asked says why, and the log has its code', () => {
  const refusing = (state: string) => `
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'a canary' USING ERRCODE = '${state}'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON counters EXECUTE FUNCTION refuse();`;
  let role: string;
  let url: URL;
  beforeEach(async () => {
    url = new URL(made.url);
    role = `role_of_${url.pathname.slice(1)}`;
    await made.query(`
      CREATE ROLE ${role} LOGIN PASSWORD '${url.password}';
      GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role};`);
    closing.push(() => made.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
    url.username = role;
  });

  it.each([
    [
      'only reads',
      () =>
        `ALTER ROLE ${role} SET default_transaction_read_only = on;
         SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`,
      'The database can only be read',
      '25006 read_only_sql_transaction',
    ],
    ['is full', () => refusing('53100'), 'The disk of the database is full', '53100 disk_full'],
    [
      'has too many connections',
      () =>
        `ALTER ROLE ${role} CONNECTION LIMIT 0;
         SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`,
      'The database has too many connections',
      '53300 too_many_connections',
    ],
    [
      'has withdrawn a permission',
      () => `REVOKE ALL ON counters FROM ${role}`,
      'The database does not permit this to the user of the server',
      '42501 insufficient_privilege',
    ],
  ])('when it %s', async (_what, change, words, reason) => {
    const database = await open(url.href);
    await database.transaction('test', count);
    await made.query(change());
    const refused: unknown = await database
      .transaction('test', count)
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 503, code: 'database_unavailable' });
    expect((refused as Error).message).toBe(`${words} at the moment. Try again shortly.`);
    expect(describeError(refused)).toEqual({ error: 'DatabaseError', reason });
  });

  it('where no two transactions can meet at a unique index, a second row is an internal error', async () => {
    await made.query('CREATE UNIQUE INDEX of_a_mistake ON counters (value)');
    const database = await open(made.url);
    let runs = 0;
    const store = (name: string) =>
      database.transaction('test', async (tx) => {
        runs += 1;
        await tx.run(sql`INSERT INTO counters (name, value) VALUES (${name}, 7)`);
      });
    await store('one');
    const refused: unknown = await store('other').catch((error: unknown) => error);
    expect([describeError(refused), runs]).toEqual([
      { error: 'DatabaseError', reason: '23505 unique_violation' },
      2,
    ]);
  });

  it('also where the statement goes out with the commit, which stores nothing then', async () => {
    await made.query('CREATE UNIQUE INDEX of_a_mistake ON counters (value)');
    const database = await open(made.url);
    await database.transaction('test', (tx) => setCounter(tx, 'one', 7));
    const effects: string[] = [];
    const refused = database.transaction('test', async (tx) => {
      await setCounter(tx, 'two', 8);
      tx.queue(sql`INSERT INTO counters (name, value) VALUES ('three', 7)`);
      tx.afterCommit(() => effects.push('done'));
    });
    await expect(refused).rejects.toMatchObject({ code: '23505' });
    expect([await getCounter(database, 'two'), effects]).toEqual([undefined, []]);
    // The connection is as good as new.
    await database.transaction('test', (tx) => setCounter(tx, 'two', 8));
    expect(await getCounter(database, 'two')).toBe(8);
  });

  it('when the driver cannot send something: that is an internal error, and not asked for again', async () => {
    const database = await open(made.url);
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const refused = database.all(sql`SELECT ${circular as never}`);
    await expect(refused).rejects.toThrow('circular');
    await expect(refused).rejects.not.toMatchObject({ code: 'database_unavailable' });
  });

  it('when it reports an internal error, with a name and no data', async () => {
    const database = await open(made.url);
    const refused: unknown = await database
      .all(sql`SELECT canary FROM counters`)
      .catch((error: unknown) => error);
    expect(describeError(refused)).toEqual({
      error: 'DatabaseError',
      reason: '42703 undefined_column',
    });
  });
});

describe('the clock of a server', () => {
  it.each([
    [5000, 'warned of', [expect.closeTo(5000, -3)]],
    [-5000, 'warned of', [expect.closeTo(-5000, -3)]],
    [500, 'near enough', []],
  ])('that is %d ms ahead of that of its database is %s', async (ahead, _what, warned) => {
    const seen: unknown[] = [];
    const ignore = () => undefined;
    const warn = ({ aheadMs }: LogFields, message: string) => {
      if (message === 'the clocks of this server and of its database differ') seen.push(aheadMs);
    };
    const database = await PostgresDatabase.open(made.url, {
      clock: { now: () => Date.now() + ahead },
      logger: { debug: ignore, info: ignore, warn, error: ignore },
    });
    closing.push(() => database.close());
    expect(seen).toEqual(warned);
  });
});

/** Passes connections on to a database, and answers where it listens. */
async function listenFor(
  url: URL,
  at: { readonly path: string } | { readonly port: number; readonly host: string },
  prepare: (client: Socket) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  const proxy = createServer((client) => {
    const upstream = connect(Number(url.port), url.hostname);
    for (const socket of [client, upstream]) {
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    void prepare(client).then(() => {
      client.pipe(upstream).pipe(client);
    });
  });
  closing.push(() => {
    proxy.close();
  });
  proxy.listen(at);
  await once(proxy, 'listening');
  return 'port' in at ? (proxy.address() as AddressInfo).port : 0;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  closing.push(() => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}

describe('a database that listens at a socket', () => {
  it('is used by the folder of the socket', async () => {
    const folder = makeFolder();
    const { username, password, pathname, port } = new URL(made.url);
    await listenFor(new URL(made.url), { path: join(folder, `.s.PGSQL.${port}`) });
    const url = `postgres://${username}:${password}@${pathname}?host=${folder}&port=${port}`;
    expect(readValidSettings({ DATABASE_URL: url }).DATABASE_URL).toBe(url);
    await (await open(url)).transaction('test', count);
  });
});

describe.runIf(existsSync(OPENSSL))('a database that is reached by TLS', () => {
  /** Its address, with a certificate of its own for this host. */
  const startTls = async (host: string) => {
    const folder = makeFolder();
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${host}`];
    const name = ['-addext', `subjectAltName=${host === '127.0.0.1' ? 'IP' : 'DNS'}:${host}`];
    const files = ['-keyout', key, '-out', certificate];
    execFileSync(OPENSSL, [...words, ...name, ...files], { stdio: 'ignore' });
    const [plain, url] = [new URL(made.url), new URL(made.url)];
    const credentials = { key: readFileSync(key), cert: readFileSync(certificate) };
    const server = createTlsServer(credentials, (client) => {
      const database = connect(Number(plain.port), plain.hostname);
      for (const socket of [client, database]) socket.on('error', () => database.destroy());
      client.pipe(database).pipe(client);
    });
    closing.push(() => {
      server.close();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port: tlsPort } = server.address() as AddressInfo;
    const at = { port: 0, host: '127.0.0.1' };
    const port = await listenFor(
      new URL(`postgres://127.0.0.1:${String(tlsPort)}`),
      at,
      async (client) => {
        // The driver asks for TLS first.
        await once(client, 'readable');
        client.read();
        client.write('S');
      },
    );
    url.port = String(port);
    url.search = 'sslmode=verify-full';
    return { url: url.href, certificate };
  };
  const why = (url: string) =>
    checkDatabaseUrl(url).then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );

  it('is used with its CA from a file, and names what is wrong with a certificate', async () => {
    const { url, certificate } = await startTls('127.0.0.1');
    const address = `${url}&sslrootcert=${certificate}`;
    await (await open(address)).transaction('test', count);
    expect(await why(url)).toContain('add sslrootcert=');
    const other = await startTls('db.example');
    expect(await why(`${other.url}&sslrootcert=${other.certificate}`)).toContain(
      'is for another host name',
    );
  });

  it('goes on when the file with its CA is gone', async () => {
    const { url, certificate } = await startTls('127.0.0.1');
    const database = await open(`${url}&sslrootcert=${certificate}`);
    rmSync(certificate);
    await Promise.all(Array.from({ length: 20 }, () => database.transaction('test', count)));
    expect(await getCounter(database, 'test')).toBe(20);
  });
});

describe('the tables', () => {
  it('are made once when three servers start together', async () => {
    const empty = await createTestDatabase('template0');
    closing.push(() => empty.drop());
    const opened = await Promise.all([1, 2, 3].map(() => open(empty.url)));
    for (const database of opened) await database.transaction('test', count);
    expect(await empty.query('SELECT version FROM schema_version')).toEqual([
      { version: String(MIGRATIONS.length) },
    ]);
  });

  it('are required by a command, which makes none', async () => {
    const empty = await createTestDatabase('template0');
    closing.push(() => empty.drop());
    const opening = PostgresDatabase.open(empty.url, { mode: 'alongside' });
    await expect(opening).rejects.toThrow('start the server once');
    const tables = await empty.query(
      `SELECT 1 FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    expect(tables).toEqual([]);
  });

  it('of a newer version that has more of them are used as they are', async () => {
    await made.query('UPDATE schema_version SET version = 99');
    await (await open(made.url)).transaction('test', count);
    expect(await made.query('SELECT version FROM schema_version')).toEqual([{ version: '99' }]);
  });
});

describe('a database that cannot be used says why, and never its password', () => {
  const CANARY = 'canary-of-the-password';
  const refuse = async (url: string): Promise<string> => {
    const error: unknown = await checkDatabaseUrl(url).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ConfigError);
    const { message, stack = '' } = error as ConfigError;
    for (const text of [message, stack, JSON.stringify(error)]) {
      expect(text).not.toContain(CANARY);
      expect(text).not.toContain(new URL(url).password);
    }
    return message;
  };
  const changed = (change: (url: URL) => void): string => {
    const url = new URL(made.url);
    change(url);
    return url.href;
  };

  it.each([
    ['the password is wrong', (url: URL) => (url.password = CANARY), 'user and password'],
    ['it does not exist', (url: URL) => (url.pathname = 'nowhere'), 'create it first'],
    ['no server listens', (url: URL) => (url.port = '1'), 'no database server listens there'],
    ['its host has no address', (url: URL) => (url.hostname = 'no.invalid'), 'has no address'],
  ])('when %s', async (_what, change, words) => {
    expect(await refuse(changed(change))).toContain(words);
  });

  it.each([
    ['it speaks no TLS', 'sslmode=verify-full', 'does not speak TLS'],
    [
      'its CA is in no file',
      'sslrootcert=/nowhere/ca.pem',
      '/nowhere/ca.pem: there is no such file',
    ],
    ['no socket is there', 'host=/nowhere', 'no database server has a socket there'],
  ])('when %s', async (_what, query, words) => {
    const refused = await refuse(changed((url) => (url.search = query)));
    expect(refused).toContain(words);
    expect(refused).not.toContain('firewall');
  });

  it('when it is not encoded as UTF-8', async () => {
    const name = 'latin';
    await queryAt(
      inject('postgresUrl'),
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'`,
    );
    closing.push(() => queryAt(inject('postgresUrl'), `DROP DATABASE ${name}`));
    expect(await refuse(changed((url) => (url.pathname = name)))).toContain("ENCODING 'UTF8'");
  });

  it('when it can only be read', async () => {
    await made.query(
      `ALTER DATABASE ${new URL(made.url).pathname.slice(1)} SET default_transaction_read_only = on`,
    );
    expect(await refuse(made.url)).toContain('can only be read');
  });
});
