import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findFreePort } from './ports.js';
import { findPackageDirectory, perPort, shopEnv } from './settings.js';
import { startStack, type Stack, type StackOptions } from './stack.js';

const PROCESS_NAMES = ['sandbox', 'session-server', 'shop'] as const;

let dataDirectory: string;
let stack: Stack | undefined;

beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'stack-'));
});

afterEach(async () => {
  await stack?.stop();
  stack = undefined;
  rmSync(dataDirectory, { recursive: true, force: true });
});

async function start(options: StackOptions = {}): Promise<Stack> {
  stack = await startStack({ dataDirectory, ports: perPort(() => 0), ...options });
  return stack;
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

function isAnswering(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

describe('the stack', () => {
  it('joins the processes, and leaves none when it stops', async () => {
    const { addresses, child, stop } = await start();
    const pids = PROCESS_NAMES.map((name) => child(name).pid);
    expect(pids.every(isAlive)).toBe(true);
    const page = await fetch(`${addresses.shopApi}/pay`);
    expect(await page.text()).toContain(`src="${addresses.pay}/v1/pay-checkout.js"`);
    expect((await fetch(`${addresses.payApi}/v1/pay-checkout.js`)).status).toBe(200);
    expect((await fetch(`${addresses.sandboxApi}/sdk/checkout.js`)).status).toBe(200);
    await Promise.all([stop(), stop()]);
    expect(pids.some(isAlive)).toBe(false);
  });

  it('goes on after one process was killed and started again, on the same port', async () => {
    const { kill, restart, child, addresses } = await start();
    const before = child('session-server').pid;
    await kill('session-server');
    expect(isAlive(before)).toBe(false);
    await restart('session-server', { PAY_LOG_LEVEL: 'error' });
    expect(child('session-server').pid).not.toBe(before);
    expect((await fetch(`${addresses.payApi}/healthz`)).status).toBe(200);
  });

  it('has a merchant entry for every shape of the client SDK, and the shop knows them all', async () => {
    const { addresses } = await start();
    const listed = (await (await fetch(`${addresses.sandboxApi}/sdk/shapes`)).json()) as {
      shapes: { name: string; what: string; works: boolean; sdk: { global: string } }[];
    };
    expect(listed.shapes.length).toBeGreaterThan(10);
    const known = (await (await fetch(`${addresses.shopApi}/api/playground`)).json()) as object;
    expect(known).toEqual({
      merchants: listed.shapes.map(({ name, what, works }) => ({
        merchant: `playground-${name}`,
        shape: name,
        what,
        works,
      })),
    });
    for (const { name, sdk } of listed.shapes) {
      const asked = `${addresses.payApi}/v1/checkout-config?merchant=playground-${name}`;
      const config = (await (await fetch(asked)).json()) as { sdk: { url: string } };
      expect(config).toMatchObject({ sdk: { global: sdk.global } });
      // Browsers load it under the sandbox's own name, whatever this process calls it.
      expect(new URL(config.sdk.url).origin).toBe(addresses.sandbox);
    }
  });

  it('has a second shop and a partner console when it is whole, and gives the shop nothing of its API key', async () => {
    const { addresses, secrets } = await start({ isWhole: true });
    expect((await fetch(`${addresses.consoleApi}/healthz`)).status).toBe(200);
    expect(await (await fetch(addresses.roasteryApi)).text()).toContain(
      '<html lang="ar" dir="rtl">',
    );
    const page = await fetch(`${addresses.consoleApi}/api/transactions?limit=1`);
    expect(await page.json()).toMatchObject({ hasMore: true, rows: [{ source: 'payments' }] });
    const shopEnvironment = shopEnv('shop', addresses, secrets, join(dataDirectory, 'shop.sqlite'));
    expect(JSON.stringify(shopEnvironment)).not.toContain(secrets.providerApiKey);
  });

  it('keeps its secrets with its data', async () => {
    const first = await start();
    await first.stop();
    const second = await start();
    expect(second.secrets).toEqual(first.secrets);
  });

  it('refuses a folder that another stack has, says so, and changes nothing there', async () => {
    const { addresses } = await start();
    const file = join(dataDirectory, 'merchants.json');
    const merchants = readFileSync(file, 'utf8');
    const second = startStack({ dataDirectory, ports: perPort(() => 0) });
    await expect(second).rejects.toThrow(/Another npm start .*[^]*DEMO_DATA_DIRECTORY/);
    expect(readFileSync(file, 'utf8')).toBe(merchants);
    expect((await fetch(`${addresses.payApi}/healthz`)).status).toBe(200);
  });

  it('stops everything and says which process died', async () => {
    const onDeath = vi.fn();
    const died = new Promise<string>((resolve) => {
      onDeath.mockImplementation(resolve);
    });
    const { child } = await start({ onDeath });
    const pids = PROCESS_NAMES.map((name) => child(name).pid);
    child('sandbox').kill('SIGKILL');
    expect(await died).toContain('The sandbox ended by SIGKILL');
    expect(pids.some(isAlive)).toBe(false);
    expect(onDeath).toHaveBeenCalledTimes(1);
  });

  it('says in the process’s own words why it does not start, and leaves nothing', async () => {
    const starting = start({ env: { shop: { SHOP_BRAND: 'no-such-shop' } } });
    await expect(starting).rejects.toThrow(/The shop ended with code 1[^]*SHOP_BRAND/);
  });
});

describe('npm start', () => {
  const program = join(findPackageDirectory('@pay-checkout/demo'), 'dist/stack/start.js');
  let ports: number[];
  let running: ChildProcess;

  beforeEach(async () => {
    const taken = new Set<number>();
    for (let index = 0; index < 7; index += 1) taken.add((await findFreePort(0, taken)).port);
    ports = [...taken];
    running = spawn(process.execPath, [program], {
      env: {
        ...process.env,
        DEMO_DATA_DIRECTORY: dataDirectory,
        DEMO_SHOP_PORT: String(ports[0]),
        DEMO_PAY_PORT: String(ports[1]),
        DEMO_SANDBOX_PORT: String(ports[2]),
        DEMO_CONSOLE_PORT: String(ports[3]),
        DEMO_OPERATOR_PORT: String(ports[4]),
        DEMO_DASHBOARD_PORT: String(ports[5]),
        DEMO_ROASTERY_PORT: String(ports[6]),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  });

  afterEach(() => {
    running.kill('SIGKILL');
  });

  async function readBanner(): Promise<string> {
    if (running.stdout === null) throw new Error('npm start has no output.');
    const lines: string[] = [];
    for await (const line of createInterface({ input: running.stdout })) {
      lines.push(line);
      if (line.includes('Ctrl-C')) return lines.join('\n');
    }
    throw new Error('npm start ended before it said that the shop is open.');
  }

  it('prints where everything is and how to reach the sandbox, and ends cleanly on Ctrl-C', async () => {
    const banner = await readBanner();
    const shop = `http://shop.localhost:${ports[0]}`;
    const sandboxApi = `http://127.0.0.1:${ports[2]}`;
    expect(banner.match(/http:\S+/g)).toEqual([
      shop,
      `http://roastery.localhost:${ports[6]}`,
      `${shop}/playground`,
      `http://partner.localhost:${ports[3]}`,
      `http://operator.localhost:${ports[4]}`,
      `http://dashboard.localhost:${ports[5]}`,
      `http://sandbox.localhost:${ports[2]}`,
      sandboxApi,
      `${sandboxApi}/merchants-sandbox`,
      sandboxApi,
    ]);
    running.kill('SIGINT');
    const [code] = (await once(running, 'exit')) as [number | null];
    expect(code).toBe(0);
    expect(await Promise.all(ports.map(isAnswering))).toEqual(ports.map(() => false));
  });

  it('leaves no process when it dies without a word', async () => {
    await readBanner();
    running.kill('SIGKILL');
    await vi.waitFor(
      async () => {
        expect(await Promise.all(ports.map(isAnswering))).toEqual(ports.map(() => false));
      },
      { timeout: 60_000 },
    );
  });
});
