import { describe, expect, it } from 'vitest';

import { OPERATIONS } from './client.js';
import { partnerApiContract } from './openapi.js';
import { answerJson, clientOf, failureOf, startServer } from './testing/test-server.js';

type Json = Record<string, unknown>;

const paths = partnerApiContract['paths'] as Readonly<Record<string, Json>>;

describe('the OpenAPI document', () => {
  it('shows all eight operations where the client sends them', async () => {
    await using server = await startServer((response) => answerJson(response, {}, 400));
    const client = clientOf(server.url, {
      merchantsBaseUrl: server.url,
      transfersBaseUrl: server.url,
    });
    const storeKey = (): void => undefined;
    const calls: readonly Promise<unknown>[] = [
      client.transactions.list(),
      client.reports.updateSchedule({ id: 'a', status: 'active' }),
      client.merchants.associate({ action: 'reactivate', merchantId: 1 }),
      client.scheduledTransfers.list('{mid}'),
      client.analytics.partner({ partner_name: 'a' }),
      client.checkoutSessions.create({ merchant_id: 1, order_id: 2 }),
      client.webhooks.create({ url: 'https://a.example' }, { storeKey }),
      client.webhooks.test({ webhookId: 'a' }),
    ];
    await Promise.all(calls.map((call) => failureOf(call)));
    const sent = server.requests.map(
      ({ method, url }) => `${method.toLowerCase()} ${decodeURIComponent(url)}`,
    );
    const shown = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(shown.sort()).toEqual(sent.sort());
    expect(shown).toHaveLength(8);
  });

  it('asks for the key wherever the client sends it, and not at the scheduled transfers', () => {
    for (const facts of OPERATIONS) {
      const operation = paths[`/${facts.path.join('/')}`]?.[facts.method.toLowerCase()] as Json;
      expect(operation['security']).toEqual(facts.key === 'apiKey' ? [{ apiKey: [] }] : []);
      expect(operation['operationId']).toBe(facts.name);
    }
  });

  it('is 3.1 and shows a GET with an optional body, under an address of its own', () => {
    expect(partnerApiContract['openapi']).toBe('3.1.0');
    expect(paths['/api/v1/schedule-transfer/{mid}']?.['get']).toMatchObject({
      requestBody: {
        required: false,
        content: { 'application/json': { schema: { properties: { data: { type: 'array' } } } } },
      },
      servers: [{ url: '{transfers_base_url}' }],
    });
  });

  it('marks what the document leaves open', () => {
    expect(partnerApiContract['components']).toMatchObject({
      schemas: {
        Transaction: { 'x-not-shown': expect.stringContaining('variant') as string },
        SplitFee: { properties: { value_type: { 'x-not-shown': 'Other values.' } } },
      },
    });
    const text = JSON.stringify(partnerApiContract);
    expect(text.match(/"x-not-shown"/g)?.length).toBeGreaterThan(30);
  });

  it('has every reference that it makes', () => {
    const text = JSON.stringify(partnerApiContract);
    const names = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(3);
    for (const name of names as string[]) {
      expect(partnerApiContract).toHaveProperty(['components', 'schemas', name]);
    }
    expect(text).not.toContain('#/$defs');
  });

  it('holds nothing that only our own checks ask for', () => {
    const text = JSON.stringify(partnerApiContract);
    expect(text).not.toMatch(/"(minLength|minimum|exclusiveMinimum|maximum|format|pattern)":/);
    expect(text).not.toContain('"required":["merchant_id"');
  });
});
