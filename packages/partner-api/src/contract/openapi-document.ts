import * as z from 'zod';

import { OPERATIONS, type BaseName } from '../http/operation-facts.js';
import { CONTRACT } from './contract.js';

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

/** The provider's interface as OpenAPI 3.1, which unlike 3.0 can show a GET with a body. */
export function renderOpenApiDocument(): Json {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  for (const [id, facts] of Object.entries(OPERATIONS)) {
    const path = `/${facts.path.join('/')}`;
    paths[path] = {
      [facts.method.toLowerCase()]: renderOperation(id as keyof typeof OPERATIONS, components),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payments Partner API',
      version: '0',
      description: 'Made from the contract of the client. `x-not-shown` marks what is left open.',
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

function renderOperation(id: keyof typeof OPERATIONS, components: Json): Json {
  const facts = OPERATIONS[id];
  const { request, reply, summary, notShown = [] } = CONTRACT[id];
  const open = ['The success status.', ...notShown];
  return {
    operationId: facts.name,
    summary,
    'x-section': facts.section,
    'x-effect': facts.effect,
    'x-not-shown': open,
    ...(facts.base === 'api' ? {} : { servers: SERVERS[facts.base] }),
    ...(facts.method === 'GET' ? { parameters: [MERCHANT_PARAMETER] } : {}),
    security: facts.key === 'apiKey' ? [{ apiKey: [] }] : [],
    requestBody: {
      required: facts.method === 'POST',
      content: { 'application/json': { schema: renderSchema(request, components) } },
    },
    responses: {
      '2XX': {
        description: 'Success.',
        content: { 'application/json': { schema: renderSchema(reply, components) } },
      },
      ...(id === 'partnerAnalytics'
        ? { '403': { description: 'The partner name is unknown.', ...ERROR_BODY } }
        : {}),
      default: { description: 'Any other answer.', ...ERROR_BODY },
    },
  };
}

const MERCHANT_PARAMETER = {
  name: 'mid',
  in: 'path',
  required: true,
  description: 'The merchant identifier.',
  schema: { type: 'string' },
};

/** A schema in place, with the named ones moved to the components. */
function renderSchema(schema: z.ZodType, components: Json): Json {
  const json = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'output',
    override: ({ jsonSchema }) => {
      // The bounds of JavaScript's whole numbers are not the provider's.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  const { $schema: _, $defs = {}, id, ...rest } = json as Json & { $defs?: Json };
  for (const [name, definition] of Object.entries($defs)) {
    components[name] = moveRefs(withoutId(definition as Json));
  }
  if (typeof id !== 'string') return moveRefs(rest);
  components[id] = moveRefs(rest);
  return { $ref: `#/components/schemas/${id}` };
}

function withoutId({ id: _, ...rest }: Json): Json {
  return rest;
}

function moveRefs(json: Json): Json {
  const text = JSON.stringify(json).replaceAll('#/$defs/', '#/components/schemas/');
  return JSON.parse(text) as Json;
}
