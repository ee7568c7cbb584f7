import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import type { CheckoutStatusReply, CreateCheckoutReply } from '../contract.js';
import { type RunningServer, startSessionServer } from '../running-server.js';
import { asUnprivileged, findFreePort } from '../testing/postgres-server.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres-store.js';
import { SHOP_ORIGIN, TestStack, type TestStackOptions } from '../testing/test-stack.js';

const OPS = join(import.meta.dirname, '../../../../ops');
const PAY_ENCRYPTION_KEY = `test:${Buffer.alloc(32, 1).toString('base64')}`;
const SHOPPERS = 20;

interface Answer {
  readonly status: number;
  readonly requestId: string | undefined;
  /** After so many seconds a browser asks again. */
  readonly refresh: string | undefined;
  readonly body: unknown;
}

interface Proxy {
  readonly url: string;
  /** All that it logs. */
  readLog(): string;
  close(): Promise<void>;
}

const PROXIES = [
  { name: 'Caddy', program: '/usr/bin/caddy', start: startCaddy },
  { name: 'nginx', program: '/usr/sbin/nginx', start: startNginx },
];

let database: TestDatabase;
let stack: TestStack;
let other: RunningServer;
let proxy: Proxy | undefined;

async function start(proxyStart: typeof startCaddy, options: TestStackOptions = {}): Promise<void> {
  database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, PAY_ENCRYPTION_KEY, PAY_TRUST_PROXY: '1' };
  stack = await TestStack.start({ ...options, env });
  other = await startSessionServer(stack.config, { clock: stack.clock });
  proxy = await proxyStart([stack.server.port, other.port]);
  await expect.poll(() => ask('/readyz').then(({ status }) => status, String)).toBe(200);
}
afterEach(async () => {
  if (!proxy) return;
  await proxy.close();
  proxy = undefined;
  await other.close();
  await stack.close();
  await database.drop();
});

/** Asks through the proxy, as a browser on another address of this machine. */
function ask(
  path: string,
  { body, from = '127.0.0.1', headers = {} }: AskOptions = {},
): Promise<Answer> {
  const url = new URL(path, proxy?.url);
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        method: body === undefined ? 'GET' : 'POST',
        localAddress: from,
        rejectUnauthorized: false,
        headers: { origin: SHOP_ORIGIN, 'content-type': 'application/json', ...headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => {
          const { 'content-type': type = '', 'x-request-id': requestId } = response.headers;
          const { refresh } = response.headers;
          resolve({
            refresh: refresh?.toString(),
            status: response.statusCode ?? 0,
            requestId: requestId?.toString(),
            body: type.includes('json') ? JSON.parse(text) : text,
          });
        });
      },
    );
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

interface AskOptions {
  readonly body?: object;
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function open(order: string): Promise<CreateCheckoutReply> {
  stack.shop.orders.set(order, { amount: '9.99' });
  const answer = await ask('/v1/checkouts', {
    body: { merchant: 'teashop', order, orderToken: stack.token(order) },
  });
  expect(answer.status).toBe(200);
  return answer.body as CreateCheckoutReply;
}

async function wait(checkout: string, revision: number): Promise<CheckoutStatusReply> {
  const answer = await ask(`/v1/checkouts?id=${checkout}:${String(revision)}&wait=25`);
  expect(answer.status).toBe(200);
  return answer.body as CheckoutStatusReply;
}

it('a shopper who waits behind Caddy or nginx waits the full 25 seconds', async ({
  task,
  skip,
}) => {
  for (const { name, program } of PROXIES) skipWithout(program, name, { task, skip });
  await start(startCaddy);
  const nginx = await startNginx([stack.server.port, other.port]);
  try {
    const { checkout } = await open('A1001');
    await Promise.all(
      [proxy?.url, nginx.url].map(async (url) => {
        const startedAt = performance.now();
        const answer = await ask(`${url ?? ''}/v1/checkouts?id=${checkout}:1&wait=25`);
        expect(answer).toMatchObject({ status: 200, body: { checkouts: [{ revision: 1 }] } });
        expect(performance.now() - startedAt).toBeGreaterThan(24_000);
      }),
    );
  } finally {
    await nginx.close();
  }
});

describe.each(PROXIES)('two servers behind $name', ({ name, program, start: startProxy }) => {
  beforeEach((context) => {
    skipWithout(program, name, context);
  });

  it('answer each waiting shopper when a checkout moves at either server', async () => {
    await start(startProxy);
    const opened = await Promise.all(
      Array.from({ length: SHOPPERS }, (_, at) => open(`A${String(at)}`)),
    );
    const waiting = opened.map(({ checkout }) => wait(checkout, 1));
    for (const { sessionId } of opened) {
      await ask(stack.returnPath(sessionId ?? '', 'CancelUrl'));
    }
    for (const { checkouts } of await Promise.all(waiting)) {
      expect(checkouts).toMatchObject([{ state: 'cancelled' }]);
    }
  });

  it('count limits by the address of the shopper, whatever the shopper says it is', async () => {
    await start(startProxy, { tuning: { rateLimits: { statusPerAddress: 3 } } });
    const askAs = async (at: number, from: string) => {
      const headers = { 'x-forwarded-for': `198.51.100.${String(at)}`, forwarded: 'for=192.0.2.1' };
      return (await ask('/v1/checkouts', { from, headers })).status;
    };
    const statuses: number[] = [];
    for (let at = 1; at <= 10; at += 1) statuses.push(await askAs(at, '127.0.0.1'));
    // Three at each of the two servers.
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(4);
    expect(await askAs(11, '127.0.0.2')).toBe(400);
  });

  it('have the id of a request in the answer and in the log of the proxy', async () => {
    await start(startProxy);
    const { requestId = 'none' } = await ask('/v1/checkouts');
    await expect.poll(() => proxy?.readLog()).toContain(requestId);
  });

  it('keep tokens out of the log of the proxy', async () => {
    await start(startProxy);
    const { sessionId = '', checkout } = await open('A1001');
    const path = stack.returnPath(sessionId, 'RedirectUrl');
    const hosted = `/v1/pay/teashop/${stack.token('A1001')}`;
    const webhook = stack.webhookPath(sessionId);
    await ask(`${path}?secret=canary`);
    await ask(hosted);
    await ask(webhook, { body: { event: 'test' } });
    await ask(`/v1/checkouts?id=${checkout}:0`);
    await ask(`/v1/checkouts/${checkout}/hints`, { body: { kind: 'shown' } });
    // Express does not mind the case.
    await ask(path.replace('/v1/return/', '/V1/RETURN/'));
    const log = () => proxy?.readLog() ?? '';
    await expect.poll(log).toContain('/V1/RETURN/-');
    const tokens = [path, hosted, webhook].map((address) => address.split('/').at(-1) ?? '');
    for (const secret of [...tokens, checkout, 'canary']) expect(log()).not.toContain(secret);
    for (const route of ['/v1/return/-', '/v1/pay/-', '/v1/webhooks/-', '/v1/checkouts']) {
      expect(log()).toContain(route);
    }
  });

  it('keep tokens out of the log of the proxy also while no server answers', async () => {
    await start(startProxy);
    const { sessionId = '', checkout } = await open('A1001');
    const paths = [
      `${stack.returnPath(sessionId, 'RedirectUrl')}?secret=canary`,
      `/v1/pay/teashop/${stack.token('A1001')}`,
      stack.webhookPath(sessionId),
      `/v1/checkouts?id=${checkout}:0`,
      `/v1/checkouts/${checkout}/leave`,
    ];
    await Promise.all([stack.server.close(), other.close()]);
    const statuses = new Set<number>();
    for (const path of paths) statuses.add((await ask(path)).status);
    expect([...statuses].filter((status) => status !== 503)).toEqual([502]);
    const log = () => proxy?.readLog() ?? '';
    await expect.poll(log).toContain('/v1/checkouts/-');
    const tokens = paths
      .slice(0, 3)
      .map((path) => path.split(/[/?]/)[path.includes('/pay/') ? 4 : 3]);
    for (const secret of [...tokens, checkout, 'canary']) expect(log()).not.toContain(secret);
  });

  it('ask a shopper who comes back while no server answers not to pay again, until one does', async () => {
    await start(startProxy);
    const { sessionId = '' } = await open('A1001');
    const path = stack.returnPath(sessionId, 'RedirectUrl');
    const { port } = other;
    await Promise.all([stack.server.close(), other.close()]);
    const away = await ask(path);
    expect(away).toMatchObject({
      refresh: '5',
      body: expect.stringContaining('not pay again') as unknown,
    });
    expect([502, 503]).toContain(away.status);
    other = await startSessionServer({ ...stack.config, port }, { clock: stack.clock });
    await expect.poll(() => ask(path).then(({ status }) => status)).toBe(200);
  });

  it('lose no request when one of them is stopped and started again', async () => {
    await start(startProxy);
    const opened = await Promise.all(
      Array.from({ length: SHOPPERS }, (_, at) => open(`A${String(at)}`)),
    );
    const waiting = Promise.all(opened.map(({ checkout }) => wait(checkout, 1)));
    let count = 0;
    let isOver = false;
    const refused: unknown[] = [];
    const load = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!isOver) {
          await open(`B${String((count += 1))}`).catch((error: unknown) => refused.push(error));
        }
      }),
    );
    await expect.poll(() => count).toBeGreaterThan(SHOPPERS);
    const { port } = other;
    const stoppedAt = performance.now();
    await other.closeBehindProxies();
    // Some shoppers waited there, and were cut off when its time to drain was over.
    expect(performance.now() - stoppedAt).toBeGreaterThan(4900);
    const countWhenStopped = count;
    other = await startSessionServer({ ...stack.config, port }, { clock: stack.clock });
    await expect.poll(() => count).toBeGreaterThan(countWhenStopped + SHOPPERS);
    isOver = true;
    await load;
    expect(refused).toEqual([]);
    for (const { sessionId } of opened) {
      await ask(stack.returnPath(sessionId ?? '', 'CancelUrl'));
    }
    for (const { checkouts } of await waiting) {
      expect(checkouts).toMatchObject([{ state: 'cancelled' }]);
    }
  });
});

function skipWithout(
  program: string,
  name: string,
  { task, skip }: Pick<TestContext, 'task' | 'skip'>,
): void {
  if (existsSync(program)) return;
  task.meta.notRun = `${name} is not installed`;
  skip(task.meta.notRun);
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  chmodSync(folder, 0o777);
  return folder;
}

function runProxy(url: string, child: ChildProcess, folder: string, readLog: () => string): Proxy {
  return {
    url,
    readLog,
    async close() {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

async function startCaddy(ports: readonly number[]): Promise<Proxy> {
  const folder = makeFolder();
  const url = `http://127.0.0.1:${String(await findFreePort())}`;
  const args = ['run', '--adapter', 'caddyfile', '--config', join(OPS, 'Caddyfile')];
  const child = spawn('/usr/bin/caddy', args, {
    ...asUnprivileged(),
    cwd: folder,
    env: {
      ...{ HOME: folder, PAY_SITE: url },
      PAY_SERVERS: ports.map((port) => `127.0.0.1:${String(port)}`).join(' '),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  return runProxy(url, child, folder, () => said);
}

async function startNginx(ports: readonly number[]): Promise<Proxy> {
  const folder = makeFolder();
  const port = String(await findFreePort());
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=pay.example'];
  execFileSync('openssl', [...words, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  chmodSync(key, 0o644);
  let site = readFileSync(join(OPS, 'nginx.conf'), 'utf8');
  const changes = {
    '443 ssl': `127.0.0.1:${port} ssl`,
    '/etc/ssl/pay.example.pem': certificate,
    '/etc/ssl/private/pay.example.key': key,
    '/var/log/nginx/pay.log': join(folder, 'pay.log'),
    '/var/log/nginx/pay-error.log': join(folder, 'pay-error.log'),
    '127.0.0.1:4200': `127.0.0.1:${String(ports[0])}`,
    '127.0.0.1:4201': `127.0.0.1:${String(ports[1])}`,
  };
  for (const [from, to] of Object.entries(changes)) {
    expect(site).toContain(from);
    site = site.replace(from, to);
  }
  writeFileSync(join(folder, 'site.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${join(folder, 'pid')}; events {} http {
      ${temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n')}
      include ${join(folder, 'site.conf')};
    }`,
  );
  const args = ['-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')];
  const child = spawn('/usr/sbin/nginx', args, { ...asUnprivileged(), stdio: 'ignore' });
  const logs = ['pay.log', 'pay-error.log', 'error.log'].map((name) => join(folder, name));
  const readLog = () => logs.map((path) => readFileSync(path, 'utf8')).join('\n');
  return runProxy(`https://127.0.0.1:${port}`, child, folder, readLog);
}
