import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OPERATIONS } from '../operation.js';
import { partnerAnalyticsBody } from '../resources/analytics.js';
import { createSessionBody } from '../resources/create-session-request.js';
import { merchantAssociationBody } from '../resources/merchants.js';
import { SCHEDULE_FIELDS } from '../resources/report-schedule.js';
import { updateScheduleBody } from '../resources/reports.js';
import { scheduledTransfersBody } from '../resources/scheduled-transfers.js';
import { listBody } from '../resources/transactions.js';
import { createWebhookBody, testWebhookBody } from '../resources/webhooks.js';
import { GOLDEN_FILES } from '../testing/golden-files.js';
import { startSandbox } from '../testing/test-sandbox.js';
import { makeOpenapiDocument } from './openapi-document.js';
import { OPENAPI_SCHEMAS } from './openapi-schemas.js';

interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
}

const CHECKED = {
  TransactionListRequest: listBody,
  UpdateScheduleRequest: updateScheduleBody,
  MerchantAssociationRequest: merchantAssociationBody,
  ScheduledTransfersRequest: scheduledTransfersBody,
  PartnerAnalyticsRequest: partnerAnalyticsBody,
  CreateSessionRequest: createSessionBody,
  CreateWebhookRequest: createWebhookBody,
  TestWebhookRequest: testWebhookBody,
};

function resolve(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (OPENAPI_SCHEMAS[name] ?? {});
}

/** Names and types alone: what the document and the checks must agree on. */
function outline(given: Schema): unknown {
  const schema = resolve(given);
  if (schema.items !== undefined) return [outline(schema.items)];
  if (schema.properties === undefined) return schema.type;
  return Object.fromEntries(
    Object.entries(schema.properties)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, outline(field)]),
  );
}

/** Where a value is not what a schema says; an object may have no field that is not described. */
function mistakes(value: unknown, given: Schema, path: string): string[] {
  const schema = resolve(given);
  if (schema.type === 'array') {
    if (!Array.isArray(value)) return [path];
    return value.flatMap((item) => mistakes(item, schema.items ?? {}, `${path}[]`));
  }
  if (schema.type === 'object') {
    if (typeof value !== 'object' || value === null) return [path];
    if (schema.properties === undefined) return [];
    return Object.entries(value).flatMap(([name, field]) => {
      const described = schema.properties?.[name];
      return described === undefined
        ? [`${path}.${name}`]
        : mistakes(field, described, `${path}.${name}`);
    });
  }
  const type = schema.type === 'integer' ? 'number' : schema.type;
  const isWhole = schema.type !== 'integer' || Number.isInteger(value);
  return typeof value === type && isWhole ? [] : [path];
}

describe('/openapi.json', () => {
  it('describes all eight operations in OpenAPI 3.1, each at its own base address', async () => {
    const test = await startSandbox({ merchantsPrefix: '/m', transfersPrefix: '/t' });
    const { body } = await test.send('GET', '/openapi.json');
    expect(body['openapi']).toBe('3.1.0');
    const paths = body['paths'] as Record<
      string,
      Record<string, { operationId?: string; security?: unknown }> & { servers?: unknown }
    >;
    const operations = Object.values(paths).map((path) => path['post'] ?? path['get']);
    expect(operations.map((operation) => operation?.operationId)).toEqual(OPERATIONS);
    expect(paths['/api/v1/merchants/merchant-association']?.servers).toEqual([{ url: '/m' }]);
    expect(paths['/api/v1/schedule-transfer/{mid}']).toMatchObject({
      servers: [{ url: '/t' }],
      get: { security: [] },
    });
  });

  it('refers to nothing that is not there', () => {
    const text = JSON.stringify(makeOpenapiDocument({ merchantsPrefix: '', transfersPrefix: '' }));
    const names = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map((match) => match[1]);
    expect(new Set(names)).toEqual(new Set(Object.keys(OPENAPI_SCHEMAS)));
  });

  it.each(Object.entries(CHECKED))('agrees with what is checked about %s', (name, schema) => {
    const described = OPENAPI_SCHEMAS[name] ?? {};
    expect(outline(described)).toEqual(outline(z.toJSONSchema(schema, { io: 'input' }) as Schema));
  });

  it('has the 27 fields of a report schedule', () => {
    expect(Object.keys((OPENAPI_SCHEMAS['ReportSchedule'] as Schema).properties ?? {})).toEqual(
      SCHEDULE_FIELDS,
    );
  });

  it.each(GOLDEN_FILES)('describes the request and the reply of $name', (golden) => {
    const document = makeOpenapiDocument({ merchantsPrefix: '', transfersPrefix: '' });
    const operations = Object.values(document['paths'] as object).flatMap(
      (path: object) => Object.values(path) as Record<string, unknown>[],
    );
    const operation = operations.find(({ operationId }) => operationId === golden.operation);
    const schemaIn = (part: unknown) =>
      (part as { content: Record<string, { schema: Schema }> }).content['application/json']
        ?.schema ?? {};
    const responses = operation?.['responses'] as Record<string, unknown>;
    expect(mistakes(golden.reply, schemaIn(responses['200']), 'reply')).toEqual([]);
    expect(
      mistakes(golden.request.body ?? {}, schemaIn(operation?.['requestBody']), 'request'),
    ).toEqual([]);
  });
});
