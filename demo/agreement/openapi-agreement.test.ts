import { partnerApiContract } from '@pay-checkout/partner-api/openapi';
import { createSandbox } from '@pay-checkout/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const sandbox = createSandbox({ apiKey: 'sandbox-key' });
let ofSandbox: OperationSkeleton[];
beforeAll(async () => {
  const { url } = await sandbox.listen();
  const response = await fetch(`${url}/openapi.json`);
  ofSandbox = skeletonOf((await response.json()) as Record<string, unknown>);
});
afterAll(() => sandbox.close());

const ofClient = skeletonOf(partnerApiContract);

describe('the client and the sandbox, which read the specification apart', () => {
  it('know the same eight operations', () => {
    const names = (skeletons: readonly OperationSkeleton[]): string[] =>
      skeletons.map(({ operation }) => operation);
    expect(names(ofClient)).toHaveLength(8);
    expect(names(ofSandbox)).toEqual(names(ofClient));
  });

  it.each(ofClient.map((skeleton) => [skeleton.operation, skeleton] as const))(
    'agree on every field and type of %s',
    (operation, skeleton) => {
      const other = ofSandbox.find((candidate) => candidate.operation === operation);
      expect(other?.request).toEqual(skeleton.request);
      expect(other?.reply).toEqual(skeleton.reply);
    },
  );
});

/** What an OpenAPI document says of an operation when words, codes and flags are left out. */
type Json = Readonly<Record<string, unknown>>;

export interface OperationSkeleton {
  /** Method and path. */
  readonly operation: string;
  readonly request: unknown;
  readonly reply: unknown;
}

/** The provider's operations in a document, in the order of their paths. */
export function skeletonOf(document: Json): OperationSkeleton[] {
  const paths = document['paths'] as Record<string, Record<string, Json>>;
  return Object.entries(paths)
    .filter(([path]) => !path.startsWith('/_sandbox'))
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method === 'get' || method === 'post')
        .map(([method, operation]) => ({
          operation: `${method} ${path}`,
          request: fieldsOf(contentOf(operation['requestBody']), document),
          reply: fieldsOf(contentOf(successOf(operation)), document),
        })),
    )
    .sort((a, b) => (a.operation < b.operation ? -1 : 1));
}

function successOf(operation: Json): unknown {
  const responses = operation['responses'] as Record<string, unknown>;
  return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
}

function contentOf(part: unknown): unknown {
  const content = (part as { content?: Record<string, { schema?: unknown }> } | undefined)?.content;
  return content?.['application/json']?.schema;
}

/** Names and types only: `{"id": "string", "rows": [{"x": "number"}]}`. */
function fieldsOf(schema: unknown, document: Json): unknown {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { $ref, type, properties, items, additionalProperties } = schema as Record<string, unknown>;
  if (typeof $ref === 'string') return fieldsOf(resolve($ref, document), document);
  if (type === 'array') return [fieldsOf(items, document)];
  if (typeof properties === 'object' && properties !== null) {
    return Object.fromEntries(
      Object.entries(properties)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, field]) => [name, fieldsOf(field, document)]),
    );
  }
  const values = fieldsOf(additionalProperties, document);
  return values === undefined || values === 'anything' ? (type ?? 'anything') : { '*': values };
}

function resolve(reference: string, document: Json): unknown {
  return reference
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document);
}
