import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { orderLookupReply } from '../contract-schemas.js';
import type { ShopEndpoint } from '../merchants/merchant.js';
import { ShopClient } from '../provider/shop-client.js';
import { testMerchant } from '../testing/test-merchant.js';
import { createOrderLookup, type ShopOrder } from './order-lookup.js';
import { signOrderToken } from './order-token.js';

const ROOT = join(import.meta.dirname, '../../../..');
const MODULES = join(import.meta.dirname, '../../node_modules');
const quickStart = readFileSync(join(ROOT, 'docs/quick-start.md'), 'utf8');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The snippet of a page in JavaScript that has `words` in it. */
function snippet(page: string, words: string): string {
  const snippets = [...page.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, text = '']) => text);
  const found = snippets.find((text) => text.includes(words));
  if (found === undefined) throw new Error(`no snippet with ${words}`);
  return found;
}

/** A shop in a process of its own, whose handlers are the very code of a page. */
class ShopOfPage {
  readonly merchant = testMerchant();
  readonly client = new ShopClient();
  readonly #folder = mkdtempSync(join(tmpdir(), 'quick-start-'));
  #child!: ChildProcess;
  #url = '';

  static async start(program: string): Promise<ShopOfPage> {
    const shop = new ShopOfPage();
    const file = join(shop.#folder, 'shop.mjs');
    const start = "app.listen(0, '127.0.0.1', function () { process.send(this.address().port); });";
    writeFileSync(file, `${program}\n${start}`);
    symlinkSync(MODULES, join(shop.#folder, 'node_modules'));
    shop.#child = spawn(process.execPath, [file], {
      env: { SIGNING_SECRET: shop.merchant.signingSecret[0]?.reveal(), NODE_ENV: 'test' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    shop.#url = `http://127.0.0.1:${String(await shop.nextMessage())}`;
    return shop;
  }

  async nextMessage(): Promise<unknown> {
    const [message] = (await once(this.#child, 'message')) as unknown[];
    return message;
  }

  endpoint(path: string): ShopEndpoint {
    return { url: `${this.#url}${path}`, allowPrivateAddress: true };
  }

  lookUp(order: string): Promise<ShopOrder | undefined> {
    const orderLookup = this.endpoint('/api/order-lookup');
    return createOrderLookup(this.client)({ ...this.merchant, orderLookup }, order);
  }

  async close(): Promise<void> {
    this.#child.kill();
    await once(this.#child, 'exit');
    await this.client.close();
    rmSync(this.#folder, { recursive: true });
  }
}

describe('the shop of README.md', () => {
  let shop: ShopOfPage;
  beforeAll(async () => {
    shop = await ShopOfPage.start(`
      import express from 'express';
      import { Webhook } from 'standardwebhooks';
      const SIGNING_SECRET = process.env.SIGNING_SECRET;
      const markPaid = (order) => process.send({ paid: order });
      const app = express();
      ${snippet(readme, '/api/events')}`);
  });
  afterAll(() => shop.close());

  it('answers the order lookup', async () => {
    const answer = { order: 'A1001', amount: '9.99', currency: 'GBP', status: 'payable' };
    expect(await shop.lookUp('A1001')).toEqual(answer);
  });

  it('marks an order paid by the event that says so', async () => {
    const data = { order: 'A1001', state: 'paid', certain: true, refund: 'none' };
    const body = JSON.stringify({ type: 'checkout.paid', data });
    const message = shop.nextMessage();
    const { client, merchant } = shop;
    const events = shop.endpoint('/api/events');
    expect(await client.deliver(merchant, events, { id: 'msg_1', body }, 15)).toBe(204);
    expect(await message).toEqual({ paid: 'A1001' });
  });
});

describe('the shop of docs/quick-start.md', () => {
  let shop: ShopOfPage;
  beforeAll(async () => {
    const known = [
      ['A1001', { amount: '9.99' }],
      ['A1002', { amount: '5.00', paid: true }],
    ];
    shop = await ShopOfPage.start(`
      import express from 'express';
      const app = express();
      const orders = new Map(${JSON.stringify(known)});
      ${snippet(quickStart, '/api/order-lookup')}`);
  });
  afterAll(() => shop.close());

  it('answers the order lookup: what is to be paid, what is paid, and what is no order', async () => {
    const answer = { order: 'A1001', amount: '9.99', currency: 'GBP', status: 'payable' };
    expect(await shop.lookUp('A1001')).toMatchObject(answer);
    expect((await shop.lookUp('A1002'))?.status).toBe('paid');
    expect(await shop.lookUp('A1003')).toBeUndefined();
  });
});

describe('docs/quick-start.md', () => {
  it('makes the order token that the server takes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quick-start-'));
    writeFileSync(join(folder, 'token.mjs'), snippet(quickStart, 'createHmac'));
    const { orderToken } = (await import(/* @vite-ignore */ join(folder, 'token.mjs'))) as {
      orderToken(secret: string, merchant: string, order: string): string;
    };
    const token = orderToken('a-secret', 'teashop', 'A1001');
    const expiresAt = Number(token.split('.')[1]);
    expect(token).toBe(
      signOrderToken('a-secret', { merchant: 'teashop', order: 'A1001', expiresAt }),
    );
    expect(expiresAt).toBeGreaterThan(Date.now() / 1000 + 3500);
    rmSync(folder, { recursive: true });
  });

  it('lists every field that the answer to the order lookup may have, and no other', () => {
    const [, section = ''] = quickStart.split('## 3. The order lookup');
    const [text = ''] = section.split('\n## ');
    const rows = [...text.matchAll(/^\| (`[^|]+) \|/gm)].map(([, names = '']) => names);
    const listed = rows.flatMap((names) => [...names.matchAll(/`([\w.]+)`/g)].map(([, n]) => n));
    const expected = namesOf(z.toJSONSchema(orderLookupReply, { io: 'input' }) as JsonSchema);
    expect(listed.toSorted()).toEqual(expected.toSorted());
  });
});

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
}

/** The fields of an object, as dotted paths. */
function namesOf({ properties, anyOf = [] }: JsonSchema): string[] {
  if (!properties) return anyOf.flatMap(namesOf);
  return Object.entries(properties).flatMap(([name, schema]) => {
    const parts = namesOf(schema);
    return parts.length === 0 ? [name] : parts.map((part) => `${name}.${part}`);
  });
}
