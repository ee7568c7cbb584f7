import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { merchantEntry } from '../testing/test-merchant.js';
import { OWN_FIELDS } from './file-parts.js';
import { merchantsFileSchema } from './merchant.js';
import { mapSecrets, SECRET_PLACES } from './secret-references.js';

const PACKAGE = join(import.meta.dirname, '../..');
const SCHEMA = join(PACKAGE, 'merchants.schema.json');
const example = JSON.parse(readFileSync(join(PACKAGE, 'merchants.example.json'), 'utf8')) as {
  merchants: Record<string, unknown>[];
};

interface JsonSchema {
  description?: string;
  type?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  additionalProperties?: JsonSchema | false;
  required?: string[];
  anyOf?: JsonSchema[];
}

const reference = (name: string, description: string): JsonSchema => ({
  description,
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
  additionalProperties: false,
});
const REFERENCES = [
  reference('file', 'Path of a file with the secret, relative to the folder of this file'),
  reference('env', 'Name of an environment variable with the secret'),
];

/** A schema that takes references in a place of secrets. */
function addReferences(schema: JsonSchema, place: readonly string[]): JsonSchema {
  const [step, ...rest] = place;
  if (step === undefined) return { anyOf: [schema, ...REFERENCES] };
  const { items, additionalProperties: values, properties = {} } = schema;
  if (step === '*' && items) return { ...schema, items: addReferences(items, rest) };
  if (step === '*' && values) {
    return { ...schema, additionalProperties: addReferences(values, rest) };
  }
  const property = properties[step];
  if (!property) throw new Error(`the schema has no ${place.join('.')}`);
  return { ...schema, properties: { ...properties, [step]: addReferences(property, rest) } };
}

/** What editors check a merchants file against: the server's own schema, with references for secrets. */
function makeSchema(): JsonSchema {
  const schema = z.toJSONSchema(merchantsFileSchema, { io: 'input' }) as JsonSchema;
  // An editor does not know what `defaults` of another file have.
  const entry = schema.properties?.['merchants']?.items;
  if (entry) entry.required = entry.required?.filter((name) => OWN_FIELDS.includes(name)) ?? [];
  return SECRET_PLACES.reduce<JsonSchema>((made, place) => addReferences(made, place.split('.')), {
    ...schema,
    description: 'The merchants file of Pay Checkout: see docs/merchants-file.md',
  });
}

describe('merchants.schema.json', () => {
  // After a change of the schema: vitest run --update with this file.
  it('is the schema that the server checks the merchants file with', async () => {
    await expect(`${JSON.stringify(makeSchema(), undefined, 2)}\n`).toMatchFileSnapshot(SCHEMA);
  });

  const check = (file: unknown) =>
    z.fromJSONSchema(JSON.parse(readFileSync(SCHEMA, 'utf8')) as never).safeParse(file).success;
  const withEntry = (changes: object) => ({ merchants: [merchantEntry({ ...changes })] });

  it.each<[string, unknown, boolean]>([
    ['the example', example, true],
    ['secrets as text', withEntry({}), true],
    ['a reference to a variable', withEntry({ signingSecret: [{ env: 'SIGNING' }] }), true],
    ['a reference with a mistake', withEntry({ signingSecret: [{ fiel: 'x' }] }), false],
    ['a misspelt field', withEntry({ orgins: [] }), false],
    ['a currency in words', withEntry({ currency: 'pounds' }), false],
    ['a name that is missing', withEntry({ name: undefined }), false],
    ['no merchants', { merchants: [] }, false],
  ])('judges %s as the server does', (_what, file, isGood) => {
    const plain: unknown = JSON.parse(JSON.stringify(file));
    expect(check(plain)).toBe(isGood);
    const resolved = mapSecrets(plain, (secret, field) => {
      if (typeof secret !== 'object' || secret === null || 'fiel' in secret) return secret;
      return field.includes('signing') ? `whsec_${'A'.repeat(32)}` : 'x'.repeat(32);
    });
    expect(merchantsFileSchema.safeParse(resolved).success).toBe(isGood);
  });
});

it('an entry may lack what defaults have, and no one else', () => {
  const { currency, sdk, ...entry } = merchantEntry();
  const check = (file: unknown) =>
    z.fromJSONSchema(JSON.parse(readFileSync(SCHEMA, 'utf8')) as never).safeParse(file).success;
  const merchants = [entry];
  expect(check({ defaults: { currency, sdk, openBy: 'token' }, merchants })).toBe(true);
  expect(check({ defaults: { currency, sdk, id: 'x' }, merchants })).toBe(false);
  expect(check({ defaults: { curency: 'GBP' }, merchants })).toBe(false);
});

describe('merchants.example.json', () => {
  it('has keys that no one has, and no secret', () => {
    for (const { apiKeyHash } of example.merchants) {
      expect(JSON.stringify(apiKeyHash)).toMatch(/^\["sha256:(\d)\1{63}"\]$/);
    }
    const secrets: unknown[] = [];
    mapSecrets(example, (secret) => secrets.push(secret));
    expect(secrets.map((secret) => typeof secret)).toEqual([
      'object',
      'object',
      'object',
      'object',
    ]);
  });
});
