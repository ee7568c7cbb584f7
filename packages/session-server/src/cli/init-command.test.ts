import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
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
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../config.js';
import type { CheckoutStatusReply, CreateCheckoutReply } from '../contract.js';
import { runInit } from './init-command.js';

const PROGRAM = fileURLToPath(new URL('../../dist/bin.js', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url));

let parent: string;
let folder: string;
const running: ChildProcess[] = [];
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'init-'));
  folder = join(parent, 'pay');
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
  }
  rmSync(parent, { recursive: true });
});

const init = (...words: string[]) =>
  spawnSync(process.execPath, [PROGRAM, 'init', ...words], { cwd: parent, encoding: 'utf8' });
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
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: object };
  mkdirSync(join(folder, 'node_modules/@pay-checkout'), { recursive: true });
  for (const name of Object.keys(dependencies)) {
    symlinkSync(join(PACKAGES, name.split('/')[1] ?? ''), join(folder, 'node_modules', name));
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

describe('pay-session-server init', () => {
  it('writes a folder in which the printed steps lead to a paid order', async () => {
    const [port, sandboxPort, shopPort] = [await freePort(), await freePort(), await freePort()];
    const ports = ['--port', port, '--sandbox-port', sandboxPort, '--shop-port', shopPort];
    const { status, stdout, stderr } = init('pay', ...ports);
    expect([status, stderr]).toEqual([0, '']);
    const steps = [...stdout.matchAll(/^ {2}((?:cd|npm) .*?)(?: {2,}.*)?$/gm)].map(([, s]) => s);
    expect(steps).toEqual(['cd pay', 'npm install', 'npm start']);
    // docs/operations/deploy.md has the same steps.
    const guide = readFileSync(join(PACKAGES, '../docs/operations/deploy.md'), 'utf8');
    const [, block = ''] = /```sh\n([^]*?)```/.exec(guide) ?? [];
    const commands = block.split('\n').map((line) => line.replace(/ *#.*/, ''));
    expect(commands).toEqual(['npx @pay-checkout/session-server init pay', ...steps, '']);
    install();
    const all = start('start');
    await all.said(new RegExp(`The shop is at http://127.0.0.1:${shopPort}`));
    for (const address of [`${port}/readyz`, `${sandboxPort}/`]) {
      const isUp = () => fetch(`http://127.0.0.1:${address}`).then(({ ok }) => ok, String);
      await expect.poll(isUp).toBe(true);
    }
    const [, origin = ''] = /Open (\S+),/.exec(stdout) ?? [];
    const server = `http://127.0.0.1:${port}`;
    const page = await (await fetch(origin)).text();
    const [, merchant, order, orderToken] =
      /<pay-checkout merchant="(.*)" order="(.*)" order-token="(.*)">/.exec(page) ?? [];
    expect((await fetch(`${server}/v1/pay/my-shop/${orderToken ?? ''}`)).status).toBe(200);
    const request = { merchant, order, orderToken };
    const opened = await post<CreateCheckoutReply>(`${server}/v1/checkouts`, request, origin);
    const [card = ''] = /(?:\d{4} ){3}\d{4}/.exec(stdout) ?? [];
    await post(
      `http://127.0.0.1:${sandboxPort}/pages/sessions/${opened.sessionId ?? ''}/payments`,
      { number: card, expiry: '12/39', securityCode: '123', name: 'Test Shopper' },
      origin,
    );
    await post(`${server}/v1/checkouts/${opened.checkout}/hints`, { kind: 'submitted' }, origin);
    const path = `/v1/checkouts?id=${opened.checkout}:${String(opened.revision)}&wait=20`;
    const { checkouts } = (await (await fetch(server + path)).json()) as CheckoutStatusReply;
    expect(checkouts[0]).toMatchObject({ state: 'paid', certain: true });
    await fetch(`${origin}/result?order=A1001&checkout=${opened.checkout}&kind=return`);
    await all.said(/Order A1001 is paid\./);
    expect(run('server', 'merchants', 'list')).toMatch(/^my-shop +My Shop .* active$/m);
    await all.stop();
    await expect(fetch(server)).rejects.toThrow();
  });

  it('fills in every value of its templates', () => {
    runInit([folder]);
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => statSync(join(folder, name)).isFile());
    expect(files.filter((name) => /\{\{|undefined/.test(read(name)))).toEqual([]);
    expect(JSON.parse(read('package.json'))).toMatchObject({ private: true });
  });

  it('prints no secret, and keeps those in its files to their owner', () => {
    const printed = runInit([folder]).join('\n');
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

  it('describes the SDK as the sandbox does', () => {
    runInit([folder]);
    const { merchants } = JSON.parse(read('merchants.json')) as { merchants: { sdk: unknown }[] };
    expect(merchants[0]?.sdk).toEqual(describeSdk('http://127.0.0.1:4300'));
  });

  it('starts the same programs in containers, with settings that the server takes', () => {
    runInit([folder, '--port', '4201', '--sandbox-port', '4301']);
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
    ['a folder that holds anything', ['.'], 'the folder is not empty; nothing was written'],
    ['a file', ['kept'], 'the folder cannot be made (EEXIST)'],
    ['no folder', [], 'expected: init <folder>'],
    ['two folders', ['a', 'b'], 'expected: init <folder>'],
    ['a port in words', ['a', '--port', 'http'], 'expected: init <folder>'],
    ['an option that there is not', ['a', '--force'], 'expected: init <folder>'],
  ])('refuses %s', (_what, [first, ...more], why) => {
    writeFileSync(join(parent, 'kept'), 'as it is');
    expect(() => runInit(first === undefined ? [] : [join(parent, first), ...more])).toThrow(why);
    expect(readdirSync(parent)).toEqual(['kept']);
  });
});
