import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { answerJson, pageOf, startServer } from './testing/test-server.js';

const run = promisify(execFile);
const dist = new URL('../dist/', import.meta.url);
const cwd = fileURLToPath(new URL('..', import.meta.url));

async function readBuilt(): Promise<(readonly [string, string])[]> {
  const names = await readdir(dist, { recursive: true });
  const scripts = names.filter((name) => name.endsWith('.js'));
  return Promise.all(
    scripts.map(async (name) => [name, await readFile(new URL(name, dist), 'utf8')] as const),
  );
}

describe('the built package', () => {
  it('is usable from CommonJS by require', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf({ id: 'a' })));
    const script = `
      const { PartnerClient } = require('@pay-checkout/partner-api');
      const { partnerApiContract } = require('@pay-checkout/partner-api/openapi');
      const json = require('@pay-checkout/partner-api/openapi.json');
      require('node:assert').deepStrictEqual(json, partnerApiContract);
      const baseUrl = process.argv[1];
      const client = new PartnerClient({ apiKey: 'k', baseUrl });
      client.transactions.list().then(({ data }) => console.log(data.transactions[0].id));
    `;
    const { stdout } = await run(process.execPath, ['--eval', script, server.url], { cwd });
    expect(stdout.trim()).toBe('a');
  });

  it('imports nothing but zod, and undici and Node itself only in the transport for Node', async () => {
    for (const [name, text] of await readBuilt()) {
      const imports = [...text.matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)/g)].map(
        ([, static_, dynamic]) => static_ ?? dynamic ?? '',
      );
      const foreign = imports.filter((specifier) => !/^(\.|zod$)/.test(specifier));
      const allowed = name === 'http/undici-transport.js';
      if (name.startsWith('cli/')) continue;
      expect([name, allowed ? [] : foreign]).toEqual([name, []]);
      // The global one; `getBuiltinModule` asks first whether there is one.
      if (!allowed) expect([name, /(?<!\.)\bBuffer\b/.test(text)]).toEqual([name, false]);
      expect(foreign.every((specifier) => /^(undici$|node:)/.test(specifier))).toBe(true);
    }
  });

  it('works where there is no Node, but for a GET with a body', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf({ id: 'a' })));
    const script = `
      const { log } = console;
      delete globalThis.process;
      const { PartnerClient } = await import('@pay-checkout/partner-api');
      const url = ${JSON.stringify(server.url)};
      const client = new PartnerClient({ apiKey: 'k', baseUrl: url, transfersBaseUrl: url });
      for await (const row of client.transactions.iterate()) log(row.id);
      const withBody = client.scheduledTransfers.list(1, { request_id: 'r' });
      await withBody.catch(({ field, outcome }) => log(field, outcome));
    `;
    const args = ['--input-type=module', '--eval', script];
    const { stdout } = await run(process.execPath, args, { cwd });
    // `fetch` forbids a GET with a body.
    expect(stdout.trim()).toBe('a\ntransport not_sent');
    expect(server.requests).toHaveLength(1);
  });
});
