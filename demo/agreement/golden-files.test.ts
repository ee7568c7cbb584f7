/**
 * The golden files were taken from the specification by hand, and the sandbox is tested against
 * them. Here the client is: what it sends, and what it makes of the reply.
 */
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PartnerClient } from '@pay-checkout/partner-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPackageDirectory } from '../stack/settings.js';

interface GoldenFile {
  readonly operation: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: Readonly<Record<string, unknown>>;
  };
  readonly reply: unknown;
}

const FOLDER = join(findPackageDirectory('@pay-checkout/sandbox'), 'src/testing/golden');
const FILES = readdirSync(FOLDER).map(
  (name) => [name, JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as GoldenFile] as const,
);
const API_KEY = '<API_KEY>';

let golden: GoldenFile;
let sent: { method?: string; url?: string; headers: IncomingHttpHeaders; body: string };
const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { method, url, headers } = request;
    sent = { headers, body, ...(method && { method }), ...(url && { url }) };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(golden.reply));
  });
});
let origin: string;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

describe('the client, held to the golden files', () => {
  it.each(FILES)('sends and reads %s as the specification spells it', async (_name, file) => {
    golden = file;
    const bases: Readonly<Record<string, string>> = {
      base_url: `${origin}/base`,
      merchants_sandbox_base_url: `${origin}/merchants/prefix`,
      transfers_base_url: `${origin}/transfers`,
    };
    const client = new PartnerClient({
      apiKey: API_KEY,
      baseUrl: bases['base_url'] ?? '',
      merchantsBaseUrl: bases['merchants_sandbox_base_url'] ?? '',
      transfersBaseUrl: bases['transfers_base_url'] ?? '',
      validation: 'strict',
    });
    const reply = await call(client, file);
    client.close();

    const { request } = file;
    const url = request.path.replace(/^\{(\w+)\}/, (_match, name: string) => bases[name] ?? '');
    expect([sent.method, `${origin}${sent.url ?? ''}`]).toEqual([request.method, url]);
    expect(sent.body === '' ? undefined : JSON.parse(sent.body)).toEqual(request.body);
    expect(sent.headers['api_key']).toBe(request.headers['api_key']);
    expect(sent.headers['content-type']).toBe(request.headers['Content-Type']?.toLowerCase());
    expect(JSON.parse(JSON.stringify(reply))).toEqual(withoutKeys(file.reply));
  });
});

/** Calls what a golden file names, with its body as the arguments. */
function call(client: PartnerClient, { operation, request }: GoldenFile): Promise<unknown> {
  const body = (request.body ?? {}) as never;
  switch (operation) {
    case 'transactions-list':
      return client.transactions.list(body);
    case 'update-schedule':
      return client.reports.updateSchedule(body);
    case 'merchant-association':
      return client.merchants.associate(body);
    case 'scheduled-transfers':
      return client.scheduledTransfers.list('1001', request.body);
    case 'partner-analytics':
      return client.analytics.partner(body);
    case 'create-session':
      return client.checkoutSessions.create(body);
    case 'create-webhook':
      return client.webhooks.create(body, { storeKey: () => Promise.resolve() });
    case 'test-webhook':
      return client.webhooks.test(body);
    default:
      throw new Error(`no call is known for ${operation}`);
  }
}

/** The reply as it is printed: the client hides keys. */
function withoutKeys(reply: unknown): unknown {
  const text = JSON.stringify(reply, (name, value: unknown) =>
    name === 'hmac_key' ? '[secret]' : value,
  );
  return JSON.parse(text);
}
