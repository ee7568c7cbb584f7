import { z } from 'zod';
import type { ControlRoute } from './route.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** The control routes as paths of an OpenAPI document. */
export function describeControlRoutes(routes: readonly ControlRoute[]): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const each of routes) {
    const path = `/_sandbox${each.path.replaceAll(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [each.method]: describe(each) };
  }
  return paths;
}

function describe(route: ControlRoute): JsonObject {
  const { summary, body, answer, status = 200, mediaType } = route;
  const parameters = [...pathParameters(route), ...queryParameters(route)];
  const success =
    answer === undefined && mediaType === undefined
      ? { 204: { description: 'Done' } }
      : {
          [status]: {
            description: 'Done',
            content: answer ? contentOf(answer) : { [mediaType ?? '']: {} },
          },
        };
  return {
    tags: ['control routes of the sandbox'],
    summary,
    security: [],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { content: contentOf(body), required: !body.safeParse(undefined).success },
    }),
    responses: { ...success, '4XX': { $ref: '#/components/responses/Refusal' } },
  };
}

function pathParameters({ path }: ControlRoute): JsonObject[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: ControlRoute): JsonObject[] {
  const { properties = {} } = query ? toJsonSchema(query) : {};
  return Object.entries(properties as JsonObject).map(([name, schema]) => ({
    name,
    in: 'query',
    schema,
  }));
}

function contentOf(schema: z.ZodType): JsonObject {
  return { 'application/json': { schema: toJsonSchema(schema) } };
}

/** What a schema takes, as JSON Schema. */
export function toJsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _version, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema }) {
      delete jsonSchema.readOnly;
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      const { $ref } = jsonSchema;
      if ($ref === undefined) return;
      for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
      jsonSchema.$ref = $ref;
    },
  });
  return json;
}
