/** The folders of `examples`, as a merchant would install and run them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createSandbox, describeSdk, type Sandbox } from '@pay-checkout/sandbox';
import { parseConfig, type RunningServer, startSessionServer } from '@pay-checkout/session-server';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findBrowser } from '../../scripts/browsers.mjs';
import { CARDS, PAID, Shopper } from '../journey/shopper.js';
import { startBrowser } from '../journey/start-browser.js';
import { findFreePort } from '../stack/ports.js';
import { addressesOf, perPort, type StackAddresses } from '../stack/settings.js';

const ROOT = join(import.meta.dirname, '../..');
const PROVIDER_KEY = 'key-at-the-provider-0123456789';
const API_KEY = 'key-of-the-merchant-0123456789';
const SIGNING_SECRET = `whsec_${Buffer.alloc(32, 'signing').toString('base64')}`;

/** `npm test` has time for two. */
const EXAMPLES = [
  ...['html', 'react-vite', 'react-router', 'vue', 'svelte'],
  ...['commonjs', 'fastify', 'hono', 'nestjs', 'next', 'astro', 'angular'],
].slice(0, process.env['ALL_EXAMPLES'] ? undefined : 2);
const INSTALL_TIMEOUT_MS = 180_000;

interface Manifest {
  dependencies?: Record<string, string>;
}

/** Runs a command to its end and returns what it printed; so does the error, if it fails. */
async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  try {
    return (await promisify(execFile)(command, args, { cwd, env: { ...process.env, ...env } }))
      .stdout;
  } catch (cause) {
    const { stdout } = cause as { stdout?: string };
    throw new Error(`${command} ${args.join(' ')} failed: ${stdout ?? ''}`, { cause });
  }
}

const folder = mkdtempSync(join(tmpdir(), 'pay-checkout-examples-'));
/** Our packed packages, by name. */
const packed = new Map<string, string>();

async function pack(name: string): Promise<void> {
  const args = ['pack', '--json', '--pack-destination', folder];
  const stdout = await run('pnpm', args, join(ROOT, 'packages', name));
  const { filename } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { filename: string };
  packed.set(`@pay-checkout/${name}`, `file:${filename}`);
}

/** Copies an example out of the repository and installs it, with our packages from their tarballs. */
async function install(example: string): Promise<string> {
  const copy = join(folder, example);
  cpSync(join(ROOT, 'examples', example), copy, { recursive: true });
  await installIn(copy);
  return copy;
}

async function installIn(copy: string): Promise<void> {
  const file = join(copy, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const tarball = packed.get(name);
    if (tarball !== undefined)
      manifest.dependencies = { ...manifest.dependencies, [name]: tarball };
  }
  const overrides = Object.fromEntries(packed);
  writeFileSync(file, JSON.stringify({ ...manifest, overrides }));
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], copy);
}

describe('an example', () => {
  let browser: Browser;
  let sandbox: Sandbox;
  let server: RunningServer;
  let shopPort: number;
  let payUrl: string;
  let addresses: StackAddresses;
  let example: ChildProcess | undefined;

  beforeAll(async () => {
    await Promise.all(['widget', 'react', 'merchant'].map(pack));
    await install('back-end');
    browser = await startBrowser({ keepsPages: false });
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    const taken = new Set<number>();
    const freePort = async () => {
      const { port } = await findFreePort(0, taken);
      taken.add(port);
      return port;
    };
    const payPort = await freePort();
    shopPort = await freePort();
    sandbox = createSandbox({
      apiKey: PROVIDER_KEY,
      merchants: [{ id: 1001, name: 'Tea Shop', currency: 'GBP' }],
    });
    const { url, port } = await sandbox.listen();
    addresses = addressesOf({
      ...perPort(() => 0),
      sandbox: port,
      'session-server': payPort,
      shop: shopPort,
    });
    payUrl = `http://127.0.0.1:${payPort}`;
    const shopUrl = `http://127.0.0.1:${shopPort}`;
    const merchants = join(folder, 'merchants.json');
    const teashop = {
      id: 'teashop',
      name: 'Tea Shop',
      providerMerchantId: 1001,
      currency: 'GBP',
      origins: [shopUrl],
      returnUrl: `${shopUrl}/result?order={order}&checkout={checkout}`,
      events: { url: `${shopUrl}/events`, allowPrivateAddress: true },
      sdk: describeSdk(url),
      apiKeyHash: [`sha256:${createHash('sha256').update(API_KEY).digest('hex')}`],
      orderTokenSecret: ['order-token-secret-0123456789-0123456789'],
      signingSecret: [SIGNING_SECRET],
    };
    writeFileSync(merchants, JSON.stringify({ merchants: [teashop] }), { mode: 0o600 });
    const data = mkdtempSync(join(folder, 'data-'));
    server = await startSessionServer(
      parseConfig({
        PAY_ENVIRONMENT: 'sandbox',
        PAY_PORT: String(payPort),
        PAY_PUBLIC_URL: payUrl,
        PAY_DATABASE_FILE: join(data, 'data.sqlite'),
        PAY_MERCHANTS_FILE: merchants,
        PAY_WIDGET_SCRIPT: join(ROOT, 'packages/widget/dist/pay-checkout.js'),
        PAY_PARTNER_API_URL: url,
        PAY_PARTNER_API_KEY: PROVIDER_KEY,
        PAY_LOG_LEVEL: 'silent',
      }),
    );
  });
  afterEach(async () => {
    if (example?.kill()) await once(example, 'exit');
    await server.close();
    await sandbox.close();
  });

  /** Builds the example if it has to be built, and starts it as its `npm start` does. */
  async function start(name: string): Promise<void> {
    const cwd = await install(name);
    const { scripts } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as {
      scripts: { build?: string; start: string };
    };
    if (scripts.build) await run('npm', ['run', 'build'], cwd);
    const [command = '', ...args] = scripts.start.split(' ');
    example = spawn(command, args, {
      cwd,
      env: {
        ...process.env,
        PATH: `${join(cwd, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
        PORT: String(shopPort),
        PAY_CHECKOUT_SERVER: payUrl,
        PAY_CHECKOUT_API_KEY: API_KEY,
        PAY_CHECKOUT_SIGNING_SECRET: SIGNING_SECRET,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await expect.poll(() => shopGet('/orders/A1001')).toEqual({ paid: false });
  }

  const shopGet = async (path: string): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${shopPort}${path}`)).json();

  it.each(EXAMPLES)(
    '%s takes a payment, thanks the shopper, and its back end knows that the order is paid',
    async (name) => {
      await start(name);
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on('pageerror', ({ message }) => errors.push(message));
      await page.goto(`http://127.0.0.1:${shopPort}/pay/A1001`);
      const shopper = new Shopper(page, addresses);
      await shopper.button('Pay').click();
      await shopper.payWith(CARDS.approved);
      await shopper.reads(PAID);
      await page.getByText('See you soon!').waitFor();
      await expect.poll(() => shopGet('/orders/A1001')).toEqual({ paid: true });
      expect(errors).toEqual([]);
      await page.close();
    },
    INSTALL_TIMEOUT_MS,
  );

  it(
    'the quick start, word for word, takes a payment and learns of it',
    async () => {
      const text = readFileSync(join(ROOT, 'docs/quick-start.md'), 'utf8');
      const [, words = ''] = /^```sh\nnpm install (.*)$/m.exec(text) ?? [];
      const [, code = ''] = /^```js\n([^]*?)^```$/m.exec(text) ?? [];
      const cwd = mkdtempSync(join(folder, 'quick-start-'));
      const names = words.split(' ').map((name) => packed.get(name) ?? name);
      await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...names], cwd);
      // What the platform gives, and a free port.
      writeFileSync(
        join(cwd, 'shop.mjs'),
        code.replace('https://pay.example', payUrl).replace('3000', String(shopPort)),
      );
      example = spawn(process.execPath, ['shop.mjs'], {
        cwd,
        env: { PAY_CHECKOUT_API_KEY: API_KEY, PAY_CHECKOUT_SIGNING_SECRET: SIGNING_SECRET },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let printed = '';
      example.stdout?.on('data', (data: Buffer) => (printed += data.toString()));
      const address = `http://127.0.0.1:${shopPort}/pay`;
      const status = () => fetch(`${address}/A404`).then((answer) => answer.status, String);
      await expect.poll(status).toBe(404);
      const page = await browser.newPage();
      await page.goto(`${address}/A1001`);
      const shopper = new Shopper(page, addresses);
      await shopper.button(/^Pay/).click();
      await shopper.payWith(CARDS.approved);
      await shopper.reads(PAID);
      await expect.poll(() => printed).toBe('Order A1001 is paid: fulfil it.\n');
      await page.close();
    },
    INSTALL_TIMEOUT_MS,
  );

  it.runIf(process.env['ALL_EXAMPLES'])(
    'what npm create writes is installed, started, paid in, and knows of it',
    async () => {
      await Promise.all(
        ['create', 'operator', 'partner-api', 'session-server', 'sandbox'].map(pack),
      );
      await run(
        'npm',
        ['install', '--no-audit', '--no-fund', packed.get('@pay-checkout/create') ?? ''],
        folder,
      );
      const cwd = join(folder, 'created');
      const program = join(folder, 'node_modules/.bin/create-pay-checkout');
      const taken = new Set<number>();
      const options = ['--shop-port', '--port', '--sandbox-port', '--dashboard-port'].map(
        async (name) => {
          const { port } = await findFreePort(0, taken);
          taken.add(port);
          return [name, String(port)];
        },
      );
      const words = (await Promise.all(options)).flat();
      await run(program, [cwd, '--typescript', '--no-install', ...words], folder);
      await installIn(cwd);
      await run('npm', ['run', 'check'], cwd);
      example = spawn(process.execPath, ['start.mjs'], {
        cwd,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let printed = '';
      example.stdout?.on('data', (data: Buffer) => (printed += data.toString()));
      const shop = () => /The shop is at (\S+)/.exec(printed)?.[1];
      await expect.poll(shop, { timeout: 30_000 }).toBeDefined();
      const page = await browser.newPage();
      await page.goto(shop() ?? '');
      await page.getByRole('link', { name: 'Order A1001' }).click();
      const [, , sandboxPort = ''] = [...words.filter((word) => /^\d+$/.test(word))];
      const shopper = new Shopper(page, {
        ...addresses,
        sandbox: `http://127.0.0.1:${sandboxPort}`,
      });
      await shopper.button(/^Pay/).click();
      await shopper.payWith(CARDS.approved);
      await shopper.reads(PAID);
      await expect.poll(() => printed).toContain('Order A1001 is paid: fulfil it.');
      await page.close();
    },
    INSTALL_TIMEOUT_MS,
  );

  it.runIf(process.env['ALL_EXAMPLES'])(
    'playwright pays at a shop',
    async () => {
      await start('html');
      const cwd = await install('playwright');
      const { executablePath, args, env } = await findBrowser();
      await run('npm', ['test'], cwd, {
        ...env,
        SHOP: `http://127.0.0.1:${shopPort}`,
        CHROMIUM: executablePath,
        CHROMIUM_ARGS: args.join(' '),
      });
      expect(await shopGet('/orders/A1001')).toEqual({ paid: true });
    },
    INSTALL_TIMEOUT_MS,
  );

  it.runIf(process.env['ALL_EXAMPLES'])(
    'unit-tests tests pages with the tag in happy-dom, jsdom and React, by Vitest and by Jest',
    async () => {
      const cwd = await install('unit-tests');
      await run('npm', ['test'], cwd);
    },
    INSTALL_TIMEOUT_MS,
  );
});
