import * as z from 'zod';

import { OPERATIONS } from './client.js';
import type { BaseName, Operation } from './http/operation.js';
import { FIELDS_NOT_SHOWN } from './schemas.js';

type Json = Record<string, unknown>;

const SERVERS: Readonly<Record<BaseName, Json[]>> = {
  api: [{ url: '{base_url}', variables: { base_url: { default: 'https://api.example' } } }],
  merchants: [
    {
      url: '{merchants_sandbox_base_url}',
      description: 'Sandbox; ends in a path prefix.',
      variables: { merchants_sandbox_base_url: { default: 'https://sandbox.example/prefix' } },
    },
    {
      url: '{merchants_production_base_url}',
      description: 'Production; ends in a path prefix.',
      variables: { merchants_production_base_url: { default: 'https://merchants.example/prefix' } },
    },
  ],
  transfers: [
    {
      url: '{transfers_base_url}',
      description: 'The payments host of the sandbox.',
      variables: { transfers_base_url: { default: 'https://sandbox.example' } },
    },
  ],
};

const ERROR_BODY = { 'x-not-shown': 'Error codes and the shape of their bodies.' };

/** What our checks add to the provider's document. */
const OURS = [
  'minLength',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'format',
  'pattern',
  'readOnly',
];

const MERCHANT_PARAMETER = {
  name: 'mid',
  in: 'path',
  required: true,
  description: 'The merchant identifier.',
  schema: { type: 'string' },
};

/**
 * The provider's interface as OpenAPI 3.1, which unlike 3.0 can show a GET with a body. It is made
 * from the schemas of the client; `x-not-shown` marks what the provider's document leaves open.
 */
export const partnerApiContract: Json = renderDocument();

/** The request of each operation by its name, as JSON Schema: what a form needs to know of its fields. */
export const requestSchemas: Readonly<Record<string, Json>> = Object.fromEntries(
  OPERATIONS.map(({ name, request }) => [
    name,
    z.toJSONSchema(request, { target: 'draft-2020-12', io: 'input' }) as Json,
  ]),
);

function renderDocument(): Json {
  const components: Json = {};
  const paths = Object.fromEntries(
    OPERATIONS.map((operation) => [
      `/${operation.path.join('/')}`,
      { [operation.method.toLowerCase()]: renderOperation(operation, components) },
    ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payments Partner API',
      version: '0',
      description: 'Made from the schemas of the client. `x-not-shown` marks what is left open.',
      'x-not-shown': 'Deprecation and change policy. Rate limits. Issuing and expiry of keys.',
    },
    servers: SERVERS.api,
    paths,
    components: {
      schemas: components,
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'api_key' } },
    },
  };
}

function renderOperation(operation: Operation, components: Json): Json {
  const { name, summary, section, effect, base, method, key, refusals } = operation;
  const content = (schema: z.ZodType): Json => ({
    content: { 'application/json': { schema: renderSchema(schema, components) } },
  });
  return {
    operationId: name,
    summary,
    'x-section': section,
    'x-effect': effect,
    'x-not-shown': ['The success status.', ...(operation.notShown ?? [])],
    ...(base === 'api' ? {} : { servers: SERVERS[base] }),
    ...(method === 'GET' ? { parameters: [MERCHANT_PARAMETER] } : {}),
    security: key === 'apiKey' ? [{ apiKey: [] }] : [],
    requestBody: { required: method === 'POST', ...content(operation.request) },
    responses: {
      '2XX': { description: 'Success.', ...content(operation.reply) },
      ...(refusals?.has(403) === true
        ? { '403': { description: 'The partner name is unknown.', ...ERROR_BODY } }
        : {}),
      default: { description: 'Any other answer.', ...ERROR_BODY },
    },
  };
}

/** A schema in place, with the named ones moved to the components. */
function renderSchema(schema: z.ZodType, components: Json): Json {
  const json = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'output',
    override: ({ jsonSchema }) => {
      for (const name of OURS) Reflect.deleteProperty(jsonSchema, name);
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // The fields that our checks ask for.
      if (jsonSchema['x-not-shown'] === FIELDS_NOT_SHOWN['x-not-shown']) delete jsonSchema.required;
    },
  });
  const { $schema: _, $defs = {}, id, ...rest } = json as Json & { $defs?: Json };
  for (const [name, definition] of Object.entries($defs)) {
    const { id: __, ...inner } = definition as Json;
    components[name] = moveRefs(inner);
  }
  if (typeof id !== 'string') return moveRefs(rest);
  components[id] = moveRefs(rest);
  return { $ref: `#/components/schemas/${id}` };
}

function moveRefs(json: Json): Json {
  const text = JSON.stringify(json).replaceAll('#/$defs/', '#/components/schemas/');
  return JSON.parse(text) as Json;
}
