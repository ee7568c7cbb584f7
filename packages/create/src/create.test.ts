import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { describeSdk } from '@pay-checkout/sandbox';
import { parseConfig } from '@pay-checkout/session-server';
import type {
  CheckoutStatusReply,
  CreateCheckoutReply,
} from '@pay-checkout/session-server/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { create } from './create.js';

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../', import.meta.url));

let parent: string;
let folder: string;
const running: ChildProcess[] = [];
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'create-'));
  folder = join(parent, 'pay');
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
  }
  rmSync(parent, { recursive: true });
});

const write = (...words: string[]) => create([folder, '--no-install', ...words]);
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

/** What `npm install` leaves behind, from this repository. */
function install(): void {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as {
    dependencies: object;
    devDependencies?: object;
  };
  const modules = join(folder, 'node_modules');
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const ofShop = join(PACKAGES, 'merchant/node_modules', name);
    const target = name.startsWith('@pay-checkout/')
      ? join(PACKAGES, name.split('/')[1] ?? '')
      : existsSync(ofShop)
        ? ofShop
        : join(PACKAGES, '../node_modules', name);
    mkdirSync(join(modules, name, '..'), { recursive: true });
    symlinkSync(target, join(modules, name));
  }
}

/** The words of `npm run <name> -- <words>`, without npm around them: it is slow to start. */
function scriptOf(name: string, ...words: string[]): string[] {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const [node, ...args] = scripts[name]?.split(' ') ?? [];
  expect(node).toBe('node');
  return [...args, ...words];
}

/** With no setting of the shell that the tests run in. */
const env = { PATH: process.env['PATH'] };

/** A script that goes on running, and what it has said. */
function start(name: string) {
  const child = spawn(process.execPath, scriptOf(name), {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return {
    async stop(): Promise<void> {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
    },
    async said(words: RegExp): Promise<string> {
      while (!words.test(output)) {
        await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
        if (child.exitCode !== null) throw new Error(`${name} ended: ${output}`);
      }
      return output;
    },
  };
}

function run(name: string, ...words: string[]): string {
  const options = { cwd: folder, env, encoding: 'utf8' } as const;
  return execFileSync(process.execPath, scriptOf(name, ...words), options).trim();
}

async function post<T>(url: string, body: unknown, origin: string): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify(body),
  });
  expect(response.ok, url).toBe(true);
  return (await response.json()) as T;
}

describe('npm create @pay-checkout', () => {
  it.each([
    ['JavaScript', []],
    ['TypeScript', ['--typescript']],
  ])('writes a shop in %s that pays and receives the event', async (_language, options) => {
    const [port, sandboxPort, shopPort] = [await freePort(), await freePort(), await freePort()];
    const dashboardPort = await freePort();
    const ports = [
      ...['--port', port, '--sandbox-port', sandboxPort, '--shop-port', shopPort],
      ...['--dashboard-port', dashboardPort],
    ];
    const words = [PROGRAM, 'pay', '--no-install', ...ports, ...options];
    const created = spawnSync(process.execPath, words, { cwd: parent, encoding: 'utf8' });
    expect([created.status, created.stderr]).toEqual([0, '']);
    const steps = [...created.stdout.matchAll(/^ {2}((?:cd|npm) .*)$/gm)].map(([, step]) => step);
    expect(steps).toEqual(['cd pay', 'npm install', 'npm start']);
    install();
    if (options.length > 0) {
      const tsc = join(PACKAGES, '../node_modules/.bin/tsc');
      execFileSync(tsc, { cwd: folder, encoding: 'utf8' });
    }
    const all = start('start');
    const printed = await all.said(/Ctrl-C stops it/);
    const [, origin = ''] = /The shop is at (\S+)/.exec(printed) ?? [];
    expect(created.stdout).toContain(`open ${origin},`);
    const server = `http://127.0.0.1:${port}`;
    const home = await (await fetch(origin)).text();
    expect(home).toContain('A1001</a>, 9.99 GBP, not paid');
    const page = await (await fetch(`${origin}/pay/A1001`)).text();
    const [, merchant, order, orderToken] =
      /<pay-checkout merchant="(.*)" order="(.*)" order-token="(.*)">/.exec(page) ?? [];
    expect((await fetch(`${server}/v1/pay/my-shop/${orderToken ?? ''}`)).status).toBe(200);
    const request = { merchant, order, orderToken };
    const opened = await post<CreateCheckoutReply>(`${server}/v1/checkouts`, request, origin);
    const [card = ''] = /(?:\d{4} ){3}\d{4}/.exec(printed) ?? [];
    await post(
      `http://127.0.0.1:${sandboxPort}/pages/sessions/${opened.sessionId ?? ''}/payments`,
      { number: card, expiry: '12/39', securityCode: '123', name: 'Test Shopper' },
      origin,
    );
    await post(`${server}/v1/checkouts/${opened.checkout}/hints`, { kind: 'submitted' }, origin);
    const path = `/v1/checkouts?id=${opened.checkout}:${String(opened.revision)}&wait=20`;
    const { checkouts } = (await (await fetch(server + path)).json()) as CheckoutStatusReply;
    expect(checkouts[0]).toMatchObject({ state: 'paid', certain: true });
    await all.said(/Order A1001 is paid: fulfil it\./);
    expect(await (await fetch(origin)).text()).toContain('A1001</a>, 9.99 GBP, paid');
    const result = `${origin}/result?order=A1001&checkout=${opened.checkout}`;
    expect(await (await fetch(result)).text()).toContain('<pay-checkout merchant="my-shop"');
    for (const unknown of ['/pay/B1', '/result?order=B1']) {
      expect((await fetch(origin + unknown)).status, unknown).toBe(404);
    }
    const [, dashboard = ''] = /The dashboard is at (\S+):/.exec(printed) ?? [];
    const { PAY_CHECKOUT_API_KEY: key } = parseEnv(read('shop.env'));
    const signedIn = await fetch(`${dashboard}/page/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-pay-page': '1', origin: dashboard },
      body: JSON.stringify({ key }),
    });
    expect(await signedIn.json()).toMatchObject({ merchant: 'my-shop' });
    expect(run('server', 'merchants', 'list')).toMatch(/^my-shop +My Shop .* active$/m);
    await all.stop();
    await expect(fetch(server)).rejects.toThrow();
  });

  it('has the steps of the documents', () => {
    for (const page of [
      'docs/quick-start.md',
      'docs/operations/deploy.md',
      'packages/create/README.md',
    ]) {
      const [, block = ''] =
        /```sh\n([^]*?)```/.exec(readFileSync(join(PACKAGES, '..', page), 'utf8')) ?? [];
      const commands = block.split('\n').map((line) => line.replace(/ *#.*/, ''));
      expect(commands).toEqual(['npm create @pay-checkout my-shop', 'cd my-shop', 'npm start', '']);
    }
  });

  it('has the code of the quick start, but for the page and the addresses', async () => {
    await write();
    const squeeze = (text: string) => text.replace(/\s+/g, ' ');
    const guide = readFileSync(join(PACKAGES, '../docs/quick-start.md'), 'utf8');
    const [, code = ''] = /```js\n([^]*?)```/.exec(guide) ?? [];
    const shop = squeeze(read('shop.mjs'));
    const shared = [
      'new PayCheckout({ server, merchant',
      'await pay.orders.put(order, price);',
      'expectedAmount: (order) => orders.get(order),',
      "app.post('/events', events);",
    ];
    expect(shared.filter((line) => !squeeze(code).includes(line))).toEqual([]);
    expect(shared.filter((line) => !shop.includes(line))).toEqual([]);
  });

  it('takes the next free ports when others listen at its own', async () => {
    const taken = createServer().listen(3000, '127.0.0.1');
    await Promise.race([once(taken, 'listening'), once(taken, 'error')]);
    try {
      const lines = await write();
      const [, port] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(lines.join('\n')) ?? [];
      expect(Number(port)).toBeGreaterThan(3000);
      expect(read('shop.env')).toContain(`SHOP_PORT=${String(port)}\n`);
      expect(read('merchants.json')).toContain(`"origins": ["http://127.0.0.1:${String(port)}"]`);
    } finally {
      taken.close();
    }
  });

  it('leaves a port that another part was given to that part', async () => {
    await write('--port', '3000');
    const [, port] = /SHOP_PORT=(\d+)/.exec(read('shop.env')) ?? [];
    expect(Number(port)).toBeGreaterThan(3000);
  });

  it('installs with the package manager that started it, and says where that failed', () => {
    const bin = join(parent, 'bin');
    mkdirSync(bin);
    const fake = (name: string, text: string) => {
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    };
    fake('npm', 'exit 1');
    fake('pnpm', 'pwd > installed; echo "$@" >> installed');
    const install = (agent: string, name: string) =>
      spawnSync(process.execPath, [PROGRAM, name], {
        cwd: parent,
        encoding: 'utf8',
        env: { PATH: bin, npm_config_user_agent: agent },
      });
    const failed = install('npm/11.0.0 node/v24', 'first');
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain('first is written, but `npm install` failed: run it there');
    const missing = install('yarn/4.0.0 npm/? node/v24', 'second');
    expect([missing.status, missing.stderr]).toEqual([
      1,
      'create-pay-checkout: second is written, but `yarn install` failed: run it there again\n',
    ]);
    const done = install('pnpm/10.0.0 npm/? node/v24', 'pay');
    expect([done.status, done.stderr]).toEqual([0, '']);
    expect(read('installed')).toBe(`${realpathSync(folder)}\ninstall\n`);
    expect(done.stdout).not.toContain('install');
  });

  it.each([[], ['--typescript']])(
    'fills in every value of its templates %s',
    async (...options) => {
      await write(...options);
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      const files = names.filter((name) => statSync(join(folder, name)).isFile());
      expect(files.filter((name) => /\{\{|undefined/.test(read(name)))).toEqual([]);
      expect(files).toContain(options.length > 0 ? 'shop.ts' : 'shop.mjs');
      expect(JSON.parse(read('package.json'))).toMatchObject({ private: true });
      expect(read('README.md').split('\n').length).toBeLessThanOrEqual(11);
    },
  );

  it('prints no secret, and keeps those in its files to their owner', async () => {
    const printed = (await write()).join('\n');
    const { PAY_CHECKOUT_API_KEY: key = '', PAY_CHECKOUT_SIGNING_SECRET: signing = '' } = parseEnv(
      read('shop.env'),
    );
    const { SANDBOX_API_KEY: provider = '' } = parseEnv(read('.env'));
    const encryption = read('secrets/encryption-key').trim();
    const secrets = [key, signing, provider, encryption.split(':')[1] ?? ''];
    expect(new Set(secrets.map((secret) => secret.length > 40))).toEqual(new Set([true]));
    expect(secrets.filter((secret) => printed.includes(secret))).toEqual([]);
    expect(read('secrets/provider-api-key').trim()).toBe(provider);
    const holders = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(folder, name)).isFile())
      .filter((name) => secrets.some((secret) => read(name).includes(secret)));
    expect(holders.toSorted()).toEqual([
      '.env',
      'merchants.json',
      'secrets/encryption-key',
      'secrets/provider-api-key',
      'shop.env',
    ]);
    const modeOf = (name: string) => (statSync(join(folder, name)).mode & 0o777).toString(8);
    expect(new Set(holders.map(modeOf))).toEqual(new Set(['600']));
    expect(['secrets', 'data'].map(modeOf)).toEqual(['700', '700']);
    const ignored = read('.gitignore').split('\n');
    expect(ignored).toEqual(
      expect.arrayContaining(['.env', 'shop.env', 'merchants.json', 'secrets/']),
    );
  });

  it('describes the SDK as the sandbox does', async () => {
    await write('--sandbox-port', '4300');
    const { merchants } = JSON.parse(read('merchants.json')) as { merchants: { sdk: unknown }[] };
    expect(merchants[0]?.sdk).toEqual(describeSdk('http://127.0.0.1:4300'));
  });

  it('starts the same programs in containers, with settings that the server takes', async () => {
    await write('--port', '4201', '--sandbox-port', '4301');
    const text = read('compose.yaml');
    const commands = [...text.matchAll(/command: (.*)/g)].map(([, list = '']) => list);
    expect(commands.map((list) => list.match(/[^[\]', ]+/g)?.slice(1))).toEqual([
      scriptOf('sandbox'),
      scriptOf('server'),
    ]);
    const given = [...text.matchAll(/^ {6}(\w+): (\S+)$/gm)].map(([, name, value]) => [
      name,
      value,
    ]);
    const inside = (name: string) => join(folder, name);
    const config = parseConfig({
      ...parseEnv(read('.env')),
      PAY_PARTNER_API_KEY_FILE: inside('secrets/provider-api-key'),
      PAY_ENCRYPTION_KEY_FILE: inside('secrets/encryption-key'),
      ...(Object.fromEntries(given) as object),
    });
    expect(config).toMatchObject({
      host: '0.0.0.0',
      port: 4201,
      publicUrl: 'http://127.0.0.1:4201',
      webhookBaseUrl: 'http://server:4201',
      partnerApiUrl: 'http://sandbox:4301',
      databaseFile: '/data/pay.sqlite',
      unknownVariables: [],
    });
  });

  it.each<[string, string[], string]>([
    ['a folder that holds anything', ['.'], 'is not empty; nothing was written'],
    ['a file', ['kept'], 'cannot be made (EEXIST)'],
    ['two folders', ['a', 'b'], 'expected one folder'],
    ['a port in words', ['a', '--port', 'http'], '--port: expected a number from 1 to 65535'],
    ['a port that there is not', ['a', '--shop-port', '65536'], '--shop-port: expected a number'],
    ['one port for two', ['a', '--port', '3000', '--shop-port', '3000'], 'a port of its own'],
    ['an option that there is not', ['a', '--force'], "Unknown option '--force'"],
  ])('refuses %s', async (_what, [first = '', ...more], why) => {
    writeFileSync(join(parent, 'kept'), 'as it is');
    await expect(create([join(parent, first), '--no-install', ...more])).rejects.toThrow(why);
    expect(readdirSync(parent)).toEqual(['kept']);
  });
});
