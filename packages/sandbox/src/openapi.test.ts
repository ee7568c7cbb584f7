import { describe, expect, it } from 'vitest';
import { controlRoutes } from './control/control-routes.js';
import { makeOpenapiDocument } from './openapi.js';
import { OPERATIONS } from './logged-request.js';
import { GOLDEN_FILES } from './testing/golden-files.js';
import { startSandbox } from './testing/test-sandbox.js';

interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
}

const DOCUMENT = makeOpenapiDocument({ merchantsPrefix: '', transfersPrefix: '' });
const { schemas: SCHEMAS } = DOCUMENT['components'] as { schemas: Record<string, Schema> };

function resolve(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (SCHEMAS[name] ?? {});
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
    expect(operations.flatMap((operation) => operation?.operationId ?? [])).toEqual(OPERATIONS);
    expect(paths['/api/v1/merchants/merchant-association']?.servers).toEqual([{ url: '/m' }]);
    expect(paths['/api/v1/schedule-transfer/{mid}']).toMatchObject({
      servers: [{ url: '/t' }],
      get: { security: [] },
    });
  });

  it('refers to every schema, and to nothing that is missing', () => {
    const text = JSON.stringify(DOCUMENT);
    const names = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map((match) => match[1]);
    expect(new Set(names)).toEqual(new Set(Object.keys(SCHEMAS)));
  });

  it('describes each control route that is registered, and no other', async () => {
    const { sandbox } = await startSandbox();
    const registered = controlRoutes(sandbox.control).stack.flatMap(({ route }) =>
      (route?.stack ?? []).map(({ method }) => `${method} /_sandbox${route?.path ?? ''}`),
    );
    const described = Object.entries(DOCUMENT['paths'] as Record<string, object>)
      .filter(([path]) => path.startsWith('/_sandbox'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
    expect(described.length).toBeGreaterThan(30);
    expect(described.toSorted()).toEqual(
      registered.map((route) => route.replaceAll(/:(\w+)/g, '{$1}')).toSorted(),
    );
  });

  it('says what a control route takes and answers', () => {
    const paths = DOCUMENT['paths'] as Record<string, Record<string, object>>;
    const json = (schema: object) => ({ content: { 'application/json': { schema } } });
    expect(paths['/_sandbox/sessions/{id}/pay']?.['post']).toMatchObject({
      summary: expect.stringContaining('card of a scenario') as string,
      security: [],
      parameters: [{ name: 'id', in: 'path', required: true }],
      requestBody: {
        required: false,
        ...json({ properties: { scenario: { type: 'string' }, visit: { type: 'boolean' } } }),
      },
      responses: { 200: json({ properties: { outcome: {} }, required: ['outcome'] }) },
    });
    expect(paths['/_sandbox/events']?.['get']).toMatchObject({
      responses: { 200: { content: { 'text/event-stream': {} } } },
    });
    expect(paths['/_sandbox/reset']?.['post']).toHaveProperty(['responses', '204']);
  });

  it('leaves open what the specification leaves open', () => {
    const { properties, ...request } = SCHEMAS['CreateSessionRequest'] ?? {};
    expect(request).toEqual({ type: 'object', 'x-not-shown': 'required or optional flags' });
    expect(properties).toMatchObject({ host: { type: 'string', format: 'uri' } });
    expect(SCHEMAS['TransactionListRequest']?.properties?.['limit']).toEqual({
      type: 'integer',
      description: 'Page size',
      'x-not-shown': 'default and maximum',
    });
  });

  it('has the 22 fields of a session and the 27 of a report schedule', () => {
    expect(Object.keys(SCHEMAS['CreateSessionRequest']?.properties ?? {})).toHaveLength(22);
    expect(Object.keys(SCHEMAS['ReportSchedule']?.properties ?? {})).toHaveLength(27);
  });

  it.each(GOLDEN_FILES)('describes the request and the reply of $name', (golden) => {
    const operations = Object.values(DOCUMENT['paths'] as object).flatMap(
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
