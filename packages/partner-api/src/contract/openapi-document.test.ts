import { describe, expect, it } from 'vitest';

import { partnerApiContract } from '../generated/openapi.js';
import { OPERATIONS } from '../http/operation-facts.js';
import { answerJson, clientOf, failureOf, startServer } from '../testing/test-server.js';

type Json = Record<string, unknown>;

const paths = partnerApiContract.paths as Readonly<Record<string, Json>>;

describe('the OpenAPI document', () => {
  it('shows all eight operations where the client sends them', async () => {
    await using server = await startServer((response) => answerJson(response, {}, 400));
    const client = clientOf(server.url, {
      merchantsBaseUrl: server.url,
      transfersBaseUrl: server.url,
    });
    const storeKey = (): void => undefined;
    for (const call of [
      client.transactions.list(),
      client.reports.updateSchedule({ id: 'a' }),
      client.merchants.associate({ action: 'reactivate', merchantId: 1 }),
      client.scheduledTransfers.list('{mid}'),
      client.analytics.partner({ partner_name: 'a' }),
      client.checkoutSessions.create({ merchant_id: 1, order_id: 2 }),
      client.webhooks.create({ url: 'https://a.example' }, { storeKey }),
      client.webhooks.test({ webhookId: 'a' }),
    ]) {
      await failureOf(call);
    }
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
    for (const facts of Object.values(OPERATIONS)) {
      const operation = paths[`/${facts.path.join('/')}`]?.[facts.method.toLowerCase()] as Json;
      expect(operation['security']).toEqual(facts.key === 'apiKey' ? [{ apiKey: [] }] : []);
      expect(operation['operationId']).toBe(facts.name);
    }
  });

  it('is 3.1 and shows a GET with an optional body, under an address of its own', () => {
    expect(partnerApiContract.openapi).toBe('3.1.0');
    const { get } = partnerApiContract.paths['/api/v1/schedule-transfer/{mid}'];
    expect(get.requestBody.required).toBe(false);
    expect(get.requestBody.content['application/json'].schema.properties).toHaveProperty('data');
    expect(get.servers[0].url).toBe('{transfers_base_url}');
  });

  it('marks what the document leaves open', () => {
    const { schemas } = partnerApiContract.components;
    expect(schemas.Transaction['x-not-shown']).toContain('variant');
    expect(schemas.SplitFee.properties.value_type['x-not-shown']).toBe('Other values.');
    const text = JSON.stringify(partnerApiContract);
    expect(text.match(/"x-not-shown"/g)?.length).toBeGreaterThan(30);
  });

  it('has every reference that it makes', () => {
    const text = JSON.stringify(partnerApiContract);
    const names = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(partnerApiContract.components.schemas)).toEqual(
      expect.arrayContaining(names),
    );
    expect(text).not.toContain('#/$defs');
  });
});
