import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../config.js';
import { runInventory } from '../cli/inventory-command.js';
import { TestStack } from '../testing/test-stack.js';
import type { InventoryScript } from './script-inventory.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.close());

async function readInventory(): Promise<InventoryScript[]> {
  const lines = await runInventory(parseConfig(stack.env), ['--json']);
  return JSON.parse(lines.join('\n')) as InventoryScript[];
}

const publicUrl = 'http://pay.localhost:4200';

/** Addresses of the scripts of a page of ours, as a browser resolves them. */
async function scriptsOf(path: string): Promise<string[]> {
  const { text } = await stack.fetch(path);
  expect(text.match(/<script\b/g)?.length).toBe(text.match(/<script [^>]*src="/g)?.length);
  return [...text.matchAll(/<script[^>]* src="([^"]+)"/g)].map(
    ([, src = '']) => new URL(src, publicUrl).href,
  );
}

describe('the script inventory', () => {
  it('says of each script where, why, whose, by whom allowed and how assured', async () => {
    for (const script of await readInventory()) {
      const { name, pages, url, assurance, owner, purpose, authorisedBy } = script;
      expect(pages.length).toBeGreaterThan(0);
      expect(URL.canParse(url)).toBe(true);
      for (const text of [name, assurance, owner, purpose, authorisedBy]) expect(text).not.toBe('');
    }
  });

  it('has the hash of what the server really sends, under both names', async () => {
    const ours = (await readInventory()).filter(({ owner }) => owner === 'platform');
    expect(ours).toHaveLength(3);
    for (const { url, pinnedUrl, integrity } of ours) {
      for (const address of [url, pinnedUrl ?? url]) {
        const { status, text } = await stack.fetch(new URL(address).pathname);
        expect(status).toBe(200);
        const hash = createHash('sha384').update(text).digest('base64');
        expect(integrity).toBe(`sha384-${hash}`);
      }
    }
  });

  it('lists every script that the hosted and the return page load, and no other', async () => {
    const { body } = await stack.open('I1', { amount: '9.99' });
    const onPage = async (page: string) =>
      (await readInventory())
        .filter(({ pages, owner }) => owner === 'platform' && pages.some((name) => name === page))
        .map(({ url }) => url)
        .sort();
    const hosted = await scriptsOf(`/v1/pay/teashop/${stack.token('I1')}`);
    expect(await onPage('hosted')).toEqual(hosted.sort());
    const path = stack.returnPath(body.sessionId ?? '', 'RedirectUrl');
    expect(await onPage('return')).toEqual(await scriptsOf(path));
  });

  it('says that an SDK without a hash is not pinned, and whom to ask', async () => {
    const sdk = (await readInventory()).find(({ owner }) => owner === 'provider');
    expect(sdk).toMatchObject({
      url: 'http://sandbox.localhost:4300/sdk/checkout.js',
      merchants: ['teashop'],
      assurance: expect.stringContaining('not pinned: ask the provider') as string,
    });
    expect(sdk).not.toHaveProperty('integrity');
  });

  it('has the hash of an SDK that the merchants file pins', async () => {
    const pinned = await TestStack.start();
    try {
      const integrity = `sha384-${createHash('sha384').update('sdk').digest('base64')}`;
      const origins = { script: ['https://sdk.example'], frame: [], connect: [] };
      const sdk = {
        url: 'https://sdk.example/1.js',
        integrity,
        global: 'A',
        argument: 'object',
        origins,
      };
      pinned.changeMerchant({ sdk });
      const lines = await runInventory(parseConfig(pinned.env), ['--json']);
      const scripts = JSON.parse(lines.join('\n')) as InventoryScript[];
      expect(scripts.at(-1)).toMatchObject({ integrity, url: 'https://sdk.example/1.js' });
    } finally {
      await pinned.close();
    }
  });

  it('has the earlier versions that are still served, for pages that have pinned them', async () => {
    const earlier = join(stack.folder, 'earlier.js');
    writeFileSync(earlier, '/* the element of last month */');
    const upgraded = await TestStack.start({
      env: { PAY_EARLIER_WIDGET_SCRIPTS: ` ${earlier} ,` },
    });
    try {
      const lines = await runInventory(parseConfig(upgraded.env), ['--json']);
      const scripts = JSON.parse(lines.join('\n')) as InventoryScript[];
      const script = scripts.find(({ name }) => name.includes('earlier'));
      const { text, headers } = await upgraded.fetch(new URL(script?.url ?? '').pathname);
      expect(text).toBe('/* the element of last month */');
      expect(headers.get('cache-control')).toContain('immutable');
      const hash = createHash('sha384').update(text).digest('base64');
      expect(script?.integrity).toBe(`sha384-${hash}`);
      const now = await upgraded.fetch<{ script: string }>('/v1/pay-checkout.json');
      expect(script?.url).not.toContain(now.body.script);
    } finally {
      await upgraded.close();
    }
  });

  it('names an earlier version that cannot be read', async () => {
    const env = { ...stack.env, PAY_EARLIER_WIDGET_SCRIPTS: join(stack.folder, 'gone.js') };
    const run = runInventory(parseConfig(env), []);
    await expect(run).rejects.toThrow(/PAY_EARLIER_WIDGET_SCRIPTS: expected the path/);
  });

  it('is a table of as many rows as scripts', async () => {
    const [table = ''] = await runInventory(parseConfig(stack.env), []);
    const rows = table.split('\n');
    expect(rows).toHaveLength((await readInventory()).length + 2);
    for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(9);
    // A tag would vanish where the table is shown.
    expect(table).toContain('&lt;pay-checkout>');
  });

  it.each([[['--xml']], [['--json', 'x']], [['--check']], [['--check', 'file:///etc/hosts']]])(
    'is not printed for words like %j',
    async (words) => {
      const run = runInventory(parseConfig(stack.env), words);
      await expect(run).rejects.toThrow(/expected: inventory/);
    },
  );
});
