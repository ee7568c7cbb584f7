/** The code of README.md and docs/quick-start.md, run as a merchant would. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { forwardTo } from './testing/flaky-proxy.js';
import { API_KEY, ORDER_TOKEN_SECRET, RealStack, SIGNING_SECRET } from './testing/real-stack.js';

const ROOT = join(import.meta.dirname, '../../..');
const PACKAGE = join(ROOT, 'packages/merchant');
const MAX_LINES = 23;

/** The snippet of a page in JavaScript that has `words` in it. */
function snippet(page: string, words: string): string {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const snippets = [...text.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code = '']) => code);
  const found = snippets.find((code) => code.includes(words));
  if (found === undefined) throw new Error(`${page} has no snippet with ${words}`);
  return found;
}

/** A shop in a process of its own, whose program is the very code of a page. */
class ShopOfPage {
  readonly #folder = mkdtempSync(join(tmpdir(), 'quick-start-'));
  readonly #messages: unknown[] = [];
  #child!: ChildProcess;
  url = '';

  static async start(program: string, stack: RealStack): Promise<ShopOfPage> {
    const shop = new ShopOfPage();
    const listen =
      "app.listen(0, '127.0.0.1', function () { process.send({ port: this.address().port }); });";
    const code = program
      .replace("'https://pay.example'", `'${stack.url}'`)
      .replace('console.log(`Order ${order} is paid: fulfil it.`)', 'process.send({ paid: order })')
      .replace('app.listen(3000);', listen);
    writeFileSync(join(shop.#folder, 'shop.mjs'), code);
    const modules = join(shop.#folder, 'node_modules');
    mkdirSync(join(modules, '@pay-checkout'), { recursive: true });
    symlinkSync(PACKAGE, join(modules, '@pay-checkout/merchant'));
    symlinkSync(join(PACKAGE, 'node_modules/express'), join(modules, 'express'));
    shop.#child = spawn(process.execPath, [join(shop.#folder, 'shop.mjs')], {
      env: {
        PAY_CHECKOUT_API_KEY: API_KEY,
        PAY_CHECKOUT_SIGNING_SECRET: SIGNING_SECRET,
        PAY_CHECKOUT_ORDER_TOKEN_SECRET: ORDER_TOKEN_SECRET,
        NODE_ENV: 'test',
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    shop.#child.on('message', (message) => shop.#messages.push(message));
    const { port } = (await shop.message('port')) as { port: number };
    shop.url = `http://127.0.0.1:${port}`;
    stack.shop = forwardTo(() => shop.url);
    return shop;
  }

  /** The next message that has this field. */
  async message(field: string): Promise<unknown> {
    for (;;) {
      const index = this.#messages.findIndex((message) => field in Object(message));
      if (index >= 0) return this.#messages.splice(index, 1)[0];
      await once(this.#child, 'message');
    }
  }

  async close(): Promise<void> {
    this.#child.kill();
    await once(this.#child, 'exit');
    rmSync(this.#folder, { recursive: true });
  }
}

let stack: RealStack | undefined;
let shop: ShopOfPage | undefined;

afterEach(async () => {
  await shop?.close();
  await stack?.close();
  shop = stack = undefined;
});

describe('the whole integration of a merchant', () => {
  const code = snippet('README.md', 'pay.orders.put');

  it('is the same in README.md and docs/quick-start.md, in one short file', () => {
    expect(snippet('docs/quick-start.md', 'pay.orders.put')).toBe(code);
    expect(code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(
      MAX_LINES,
    );
  });

  it('shows the tag, takes the payment and marks the order paid once', async () => {
    stack = await RealStack.start({ merchant: { orderLookup: undefined } });
    shop = await ShopOfPage.start(code, stack);
    const page = await (await fetch(`${shop.url}/pay/A1001`)).text();
    const tag = /<pay-checkout merchant="teashop" order="A1001" order-token="([^"]+)">/.exec(page);
    expect(page).toContain(`${stack.url}/v1/pay-checkout.js`);
    await stack.pay(await stack.openCheckout('A1001', tag?.[1] ?? ''));
    expect(await shop.message('paid')).toEqual({ paid: 'A1001' });
    const again = await fetch(`${shop.url}/pay/A1001`, { redirect: 'manual' });
    expect([again.status, await again.text()]).toEqual([200, 'This order is paid.']);
  });

  it('shows no tag for an order that the shop does not have, or for a name that is none', async () => {
    stack = await RealStack.start({ merchant: { orderLookup: undefined } });
    shop = await ShopOfPage.start(code, stack);
    for (const name of ['A404', '%22%3E%3Cscript%3E']) {
      const answer = await fetch(`${shop.url}/pay/${name}`);
      expect([answer.status, await answer.text()]).toEqual([404, 'Not Found']);
    }
  });
});

describe('the code of the quick start', () => {
  it('has types under strict, as shop.ts', () => {
    const folder = mkdtempSync(join(PACKAGE, 'src/quick-start-'));
    try {
      writeFileSync(join(folder, 'shop.ts'), snippet('docs/quick-start.md', 'pay.orders.put'));
      const config = {
        extends: '../../tsconfig.json',
        compilerOptions: { noEmit: true, strict: true },
        include: ['.'],
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const tsc = join(ROOT, 'node_modules/@typescript/native/bin/tsc');
      const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], {
        encoding: 'utf8',
      });
      expect([stdout, status]).toEqual(['', 0]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the order lookup of docs/quick-start.md', () => {
  it('is answered, and the order token is taken', async () => {
    stack = await RealStack.start();
    const program = `
      import express from 'express';
      import { PayCheckout } from '@pay-checkout/merchant';
      const pay = new PayCheckout({
        server: 'https://pay.example',
        merchant: 'teashop',
        apiKey: process.env.PAY_CHECKOUT_API_KEY,
        signingSecret: process.env.PAY_CHECKOUT_SIGNING_SECRET,
        orderTokenSecret: process.env.PAY_CHECKOUT_ORDER_TOKEN_SECRET,
      });
      const orders = new Map([['A1001', { amount: '9.99' }], ['A1002', { amount: '5.00', paid: true }]]);
      const app = express();
      ${snippet('docs/order-lookup.md', 'pay.orders.lookupHandler')}
      app.listen(3000);
      process.send({ orderToken });`;
    shop = await ShopOfPage.start(program, stack);
    const { orderToken } = (await shop.message('orderToken')) as { orderToken: string };
    const { sessionId } = await stack.openCheckout('A1001', orderToken);
    expect(sessionId).toMatch(/\w/);
    const pay = stack.client();
    expect(await pay.orders.get('A1001')).toMatchObject({ amount: '9.99', state: 'open' });
    const paid = stack.openCheckout('A1002', await pay.orderToken('A1002'));
    await expect(paid).rejects.toThrow('order_already_paid');
    const unknown = stack.openCheckout('A1003', await pay.orderToken('A1003'));
    await expect(unknown).rejects.toThrow('order_not_found');
  });
});
