import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseConfig } from './config.js';
import { ConfigError } from './errors.js';
import { checkStart, runCheck } from './start-checks.js';
import { type RunningServer, startSessionServer } from './running-server.js';
import {
  asUnprivileged,
  findFreePort,
  PostgresServer,
  queryAt,
} from './testing/postgres-server.js';
import { createTestDatabase, type TestDatabase } from './testing/postgres-store.js';
import { TestStack } from './testing/test-stack.js';

const PAY_ENCRYPTION_KEY = `test:${Buffer.alloc(32, 1).toString('base64')}`;
const POOLER = '/usr/sbin/pgbouncer';

let database: TestDatabase;
let stack: TestStack;
beforeEach(async () => {
  database = await createTestDatabase();
  stack = await TestStack.start({ env: { DATABASE_URL: database.url, PAY_ENCRYPTION_KEY } });
});
afterEach(async () => {
  await stack.close();
  await database.drop();
});

const countOf = async (table: string) =>
  (await database.query(`SELECT count(*)::int AS count FROM ${table}`))[0]?.['count'];

describe('a server with a DATABASE_URL', () => {
  it('takes an order from its page to its shop, with nothing in the data file', async () => {
    const { body } = await stack.open('A1001', { amount: '9.99' });
    await stack.payAtProvider(body.sessionId ?? '');
    await stack.fetch(stack.returnPath(body.sessionId ?? '', 'RedirectUrl'));
    await stack.until(body.checkout, 'paid');
    await expect.poll(() => stack.shop.events.length).toBeGreaterThan(0);
    expect(stack.shop.events.map(({ type }) => type)).toContain('checkout.paid');
    expect(await countOf('checkouts')).toBe(1);
    expect((await stack.fetch('/readyz')).status).toBe(200);
  });

  it('asks once a second what is due, and sends nothing else while nothing happens', async () => {
    const { body } = await stack.open('A1001', { amount: '9.99' });
    await stack.payAtProvider(body.sessionId ?? '');
    await stack.fetch(stack.returnPath(body.sessionId ?? '', 'RedirectUrl'));
    await stack.shop.event('checkout.paid');
    const { query } = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
    let statements: string[] = [];
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: unknown,
      ...args: unknown[]
    ) {
      statements.push((args[0] as { readonly text: string }).text);
      return query.apply(this, args);
    });
    /** What is sent besides, while it asks six times. */
    const others = async () => {
      statements = [];
      const questions = () => statements.filter((text) => text.includes('AS due'));
      await expect.poll(() => questions().length).toBeGreaterThanOrEqual(6);
      return statements.filter((text) => !text.includes('AS due'));
    };
    // What follows from the payment ends first; what is old is erased once a minute.
    await expect.poll(others).toEqual([]);
    vi.restoreAllMocks();
  });

  it('is not ready while its tables are of an older version', async () => {
    const ready = async () => (await stack.fetch('/readyz')).status;
    const versions = await database.query('SELECT version FROM schema_version');
    await database.query('UPDATE schema_version SET version = 0');
    await expect.poll(ready).toBe(503);
    await database.query(`UPDATE schema_version SET version = ${String(versions[0]?.['version'])}`);
    await expect.poll(ready).toBe(200);
  });

  it('names what is wrong with it at start, with the rest of the mistakes and no password', async () => {
    const url = new URL(database.url);
    url.password = 'canary-of-the-password';
    const env = { ...stack.env, DATABASE_URL: url.href, PAY_PORT: 'none' };
    const refused: unknown = await checkStart(env).catch((error: unknown) => error);
    const { message } = refused as Error;
    expect(message).toContain('PAY_PORT: expected a port number');
    expect(message).toContain(
      'DATABASE_URL: the database server does not accept user and password',
    );
    expect(message).not.toContain(url.password);
  });

  it('has all that it answered after a restart', async () => {
    const { body } = await stack.open('A1001', { amount: '9.99' });
    await stack.server.close();
    await stack.startServer();
    expect((await stack.reopen('A1001')).body).toMatchObject({ sessionId: body.sessionId });
    expect(stack.createSessionCalls()).toBe(1);
  });
});

describe('two servers on one database', () => {
  let other: RunningServer;
  beforeEach(async () => {
    other = await startSessionServer(stack.config, { clock: stack.clock });
  });
  afterEach(() => other.close());
  const atOther = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${String(other.port)}${path}`, init);

  it('make one session of an order that is opened at both, twenty times at once', async () => {
    stack.shop.orders.set('A1001', { amount: '9.99' });
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://shop.localhost:4100' },
      body: JSON.stringify({
        merchant: 'teashop',
        order: 'A1001',
        orderToken: stack.token('A1001'),
      }),
    };
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const answer = await (at % 2 === 0 ? atOther : fetchOwn)('/v1/checkouts', request);
        return (await answer.json()) as { readonly sessionId?: string };
      }),
    );
    expect(new Set(answers.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(answers[0]?.sessionId).toBeDefined();
    expect(stack.createSessionCalls()).toBe(1);
  });

  it('answer who waits at one of them when the other moves the checkout', async () => {
    const { body } = await stack.open('A1001', { amount: '9.99' });
    const waiting = atOther(`/v1/checkouts?id=${body.checkout}:1&wait=25`);
    await stack.fetch(stack.returnPath(body.sessionId ?? '', 'CancelUrl'));
    const answer = (await (await waiting).json()) as { checkouts: object[] };
    expect(answer.checkouts).toMatchObject([{ state: 'cancelled', revision: 2 }]);
  });

  it('send the events of an order once each', async () => {
    const { body } = await stack.open('A1001', { amount: '9.99' });
    await stack.payAtProvider(body.sessionId ?? '');
    await stack.fetch(stack.returnPath(body.sessionId ?? '', 'RedirectUrl'));
    await stack.until(body.checkout, 'paid');
    const delivered = () =>
      database.query(`SELECT id FROM outbox_events WHERE status = 'delivered'`);
    await expect.poll(async () => (await delivered()).length).toBe(1);
    expect(stack.shop.events.map(({ type }) => type)).toEqual(['checkout.paid']);
  });

  const fetchOwn = (path: string, init?: RequestInit) => fetch(`${stack.url}${path}`, init);
});

describe('a server with another encryption key than the others of its database', () => {
  const keyOf = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
  /** Why it does not start; undefined when it does. */
  const startWith = async (keys: string) => {
    const config = parseConfig({ ...stack.env, PAY_ENCRYPTION_KEY: keys });
    try {
      await (await startSessionServer(config, { clock: stack.clock })).close();
      return undefined;
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      return (error as ConfigError).message;
    }
  };

  it('does not start, and names the setting and never the key', async () => {
    const other = keyOf('test', 2);
    const refused = await startWith(other);
    expect(refused).toMatch(/^PAY_ENCRYPTION_KEY: the key "test" is not the one that the database/);
    expect(refused).not.toContain(other.slice(5));
    expect(await startWith(keyOf('other', 2))).toMatch(
      /^PAY_ENCRYPTION_KEY: none of its keys was used .* keep one of these in addition to the new one: "test"$/,
    );
    await runCheck({ ...stack.env, PAY_ENCRYPTION_KEY: other }).then((lines) => {
      expect(lines.join('\n')).toContain('error: PAY_ENCRYPTION_KEY: the key "test" is not');
    });
    process.exitCode = 0;
  });

  it('starts where its key is rotated in, one step after the other', async () => {
    const [old, fresh] = [PAY_ENCRYPTION_KEY, keyOf('fresh', 3)];
    for (const keys of [old, `${old},${fresh}`, `${fresh},${old}`, fresh]) {
      expect(await startWith(keys)).toBeUndefined();
    }
  });

  it('is the first that starts on an empty database', async () => {
    const config = parseConfig({ ...stack.env, PAY_ENCRYPTION_KEY: keyOf('test', 2) });
    const empty = await createTestDatabase();
    const env = { ...stack.env, DATABASE_URL: empty.url };
    const starts = await Promise.allSettled(
      [parseConfig(env), { ...config, databaseUrl: parseConfig(env).databaseUrl }].map((one) =>
        startSessionServer({ ...one, port: 0 }, { clock: stack.clock }),
      ),
    );
    const started = starts.flatMap((start) => (start.status === 'fulfilled' ? start.value : []));
    expect(started).toHaveLength(1);
    await started[0]?.close();
    await empty.drop();
  });
});

describe('a server whose database is restarted', () => {
  it('answers 503 in the meantime, goes on after, and never logs the password', async () => {
    const server = await PostgresServer.start();
    const lines: string[] = [];
    const note = (fields: object, message: string) => {
      lines.push(JSON.stringify([fields, message]));
    };
    const logger = { debug: note, info: note, warn: note, error: note };
    const env = { DATABASE_URL: server.url(), PAY_ENCRYPTION_KEY };
    const restarted = await TestStack.start({ env, logger });
    try {
      const { body } = await restarted.open('A1001', { amount: '9.99' });
      await server.stop();
      const refused = await restarted.reopen('A1001');
      expect(refused).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const asked = await restarted.fetch('/v1/merchant/orders/A1001', {
        headers: { authorization: `Bearer ${restarted.merchantKey}` },
      });
      expect(asked).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
      const statusOf = async (path: string) => (await restarted.fetch(path)).status;
      await expect.poll(() => statusOf('/readyz')).toBe(503);
      expect(await statusOf('/healthz')).toBe(200);
      expect(await statusOf(`/v1/pay/teashop/${restarted.token('A1001')}`)).toBe(200);
      await server.resume();
      await expect.poll(() => statusOf('/readyz')).toBe(200);
      expect((await restarted.reopen('A1001')).body).toMatchObject({ sessionId: body.sessionId });
      const { password } = new URL(server.url());
      expect(lines.length).toBeGreaterThan(5);
      for (const line of [...lines, refused.text]) expect(line).not.toContain(password);
    } finally {
      await restarted.close();
      await server.remove();
    }
  });
});

describe('a server whose database stands still', () => {
  it('answers everything in time, and a shopper who waits ten seconds after the wait at the latest', async () => {
    const proxy = await StillProxy.start(new URL(database.url));
    const still = await TestStack.start({
      env: { DATABASE_URL: proxy.url, PAY_ENCRYPTION_KEY, PAY_OPERATOR_PORT: '0' },
    });
    const seconds = async (asked: Promise<{ readonly status: number }>) => {
      const startedAt = performance.now();
      const { status } = await asked;
      return [status, (performance.now() - startedAt) / 1000] as const;
    };
    const authorization = `Bearer ${still.merchantKey}`;
    const asShop = (path: string) =>
      still.fetch(`/v1/merchant/${path}`, { headers: { authorization } });
    try {
      const { body } = await still.open('A1001', { amount: '9.99' });
      const sessionId = body.sessionId ?? '';
      const status = `/v1/checkouts?id=${body.checkout}`;
      const waiting = seconds(still.fetch(`${status}:1&wait=5`));
      proxy.stop();
      const [waited, ...others] = await Promise.all([
        waiting,
        ...[
          still.open('B1', { amount: '9.99' }),
          still.reopen('A1001'),
          still.fetch(`${status}:0`),
          still.post(`/v1/checkouts/${body.checkout}/hints`, { kind: 'submitted', sessionId }),
          still.fetch(still.returnPath(sessionId, 'RedirectUrl')),
          still.post(still.webhookPath(sessionId), { any: 1 }),
          asShop('orders/A1001'),
          asShop('orders'),
          asShop('events'),
          still.fetch('/readyz'),
          still.askOperator('/metrics'),
          still.askOperator('/operator/health'),
        ].map(seconds),
      ]);
      expect(waited[1]).toBeLessThan(5 + 10);
      expect(others.map(([answer]) => answer)).toEqual([
        ...Array.from({ length: 10 }, () => 503),
        200,
        503,
      ]);
      for (const [, took] of others) expect(took).toBeLessThan(30);
    } finally {
      proxy.close();
      await still.close();
    }
  });
});

describe('the metrics of a server whose database is away', () => {
  it('say so, have the process and what was counted, and none of what is stored', async () => {
    const server = await PostgresServer.start();
    const env = { DATABASE_URL: server.url(), PAY_ENCRYPTION_KEY, PAY_OPERATOR_PORT: '0' };
    const watched = await TestStack.start({ env });
    const scrape = async () => {
      const { status, text } = await watched.askOperator('/metrics');
      expect(status).toBe(200);
      return text;
    };
    const stored = /^(pay_watched_attempts|pay_outbox_events_waiting|pay_order_id_used_ratio) /m;
    try {
      await watched.open('A1001', { amount: '9.99' });
      const before = await scrape();
      expect(before).toMatch(/^pay_store_up 1$/m);
      expect(before).toMatch(stored);
      expect(before).toMatch(/^pay_store_connections_in_use \d+$/m);
      await server.stop();
      await watched.reopen('A1001');
      const meanwhile = await scrape();
      expect(meanwhile).toMatch(/^pay_store_up 0$/m);
      expect(meanwhile).not.toMatch(stored);
      expect(meanwhile).toMatch(/^pay_store_transaction_retries_total{reason="connection"} [1-9]/m);
      expect(meanwhile).toMatch(/^pay_pollers_backing_off \d+$/m);
      expect(meanwhile).toMatch(/^pay_checkouts_requested_total{result="opened"} 1$/m);
      expect(meanwhile).toMatch(/^process_resident_memory_bytes \d/m);
      await server.resume();
      await expect.poll(scrape).toMatch(/^pay_store_up 1$/m);
      expect(await scrape()).toMatch(stored);
    } finally {
      await watched.close();
      await server.remove();
    }
  });
});

describe.runIf(existsSync(POOLER))('a server behind a pooler in transaction mode', () => {
  it('takes an order from its page to its shop on two connections', async () => {
    // It would deliver events, too: to a shop of its own.
    await stack.server.close();
    const pooler = await Pooler.start(new URL(database.url));
    const pooled = await TestStack.start({ env: { DATABASE_URL: pooler.url, PAY_ENCRYPTION_KEY } });
    try {
      const { body } = await pooled.open('A1001', { amount: '9.99' });
      const others = Array.from({ length: 10 }, (_, at) =>
        pooled.open(`B${String(at)}`, { amount: '1.00' }),
      );
      for (const { status } of await Promise.all(others)) expect(status).toBe(200);
      await pooled.payAtProvider(body.sessionId ?? '');
      await pooled.fetch(pooled.returnPath(body.sessionId ?? '', 'RedirectUrl'));
      await pooled.until(body.checkout, 'paid');
      await expect.poll(() => pooled.shop.events.length).toBe(1);
    } finally {
      await pooled.close();
      await pooler.stop();
    }
  });
});

/** Stands between a server and its database, until nothing passes any more and nothing ends. */
class StillProxy {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(url: string, server: Server, sockets: Set<Socket>) {
    this.url = url;
    this.#server = server;
    this.#sockets = sockets;
  }

  static async start(to: URL): Promise<StillProxy> {
    const sockets = new Set<Socket>();
    const server = createServer((client) => {
      const upstream = connect(Number(to.port), to.hostname);
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => socket.destroy());
      }
      client.pipe(upstream).pipe(client);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(to);
    url.port = String((server.address() as AddressInfo).port);
    return new StillProxy(url.href, server, sockets);
  }

  stop(): void {
    const cut = (client: Socket) => this.#sockets.add(client.pause());
    this.#server.removeAllListeners('connection').on('connection', cut);
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

/** PgBouncer, which gives each transaction one of two connections. */
class Pooler {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.#process = child;
    this.#folder = folder;
  }

  static async start(to: URL): Promise<Pooler> {
    const folder = mkdtempSync(join(tmpdir(), 'pooler-'));
    chmodSync(folder, 0o755);
    const port = await findFreePort();
    writeFileSync(join(folder, 'users'), `"${to.username}" "${to.password}"\n`);
    const settings = [
      '[databases]',
      `* = host=${to.hostname} port=${to.port}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1\nlisten_port = ${String(port)}\nunix_socket_dir =`,
      `auth_type = trust\nauth_file = ${join(folder, 'users')}`,
      'pool_mode = transaction\ndefault_pool_size = 2\nmax_client_conn = 100',
    ];
    writeFileSync(join(folder, 'pooler.ini'), settings.join('\n'));
    const child = spawn(POOLER, ['-q', join(folder, 'pooler.ini')], {
      ...asUnprivileged(),
      stdio: 'ignore',
    });
    const url = new URL(to);
    url.port = String(port);
    await expect.poll(() => queryAt(url.href, 'SELECT 1').then(() => true, String)).toBe(true);
    return new Pooler(url.href, child, folder);
  }

  async stop(): Promise<void> {
    this.#process.kill();
    await once(this.#process, 'exit');
    rmSync(this.#folder, { recursive: true });
  }
}
