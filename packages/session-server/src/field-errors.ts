import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod';
import type { FieldError } from './errors.js';

/**
 * Every field that is wrong, as the caller spells it.
 *
 * @param whole what the input is called, where no field of it is to blame
 * @param schema of the input: an unknown name is compared with its fields, to suggest the right spelling
 */
export function toFieldErrors(
  { issues }: z.core.$ZodError,
  whole = 'body',
  schema?: z.ZodType,
): FieldError[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          field: [...issue.path, key].join('.'),
          message: describeUnknown(key, schema ? fieldsAt(schema, issue.path) : []),
        }))
      : [{ field: issue.path.join('.') || whole, message: messageOf(issue) }],
  );
}

function messageOf(issue: z.core.$ZodIssue): string {
  const [ofKey] = issue.code === 'invalid_key' ? issue.issues : [];
  return (ofKey ?? issue).message;
}

/** Edits from one of our names, up to which another name is a misspelling of it. */
const MISSPELLING_EDITS = 2;

/** The known name closest to a misspelt one. */
export function findMeant(name: string, names: readonly string[]): string | undefined {
  const isNear = (known: string): boolean => {
    const edits = distance(known.toLowerCase(), name.toLowerCase());
    return edits <= MISSPELLING_EDITS && edits < known.length / 2;
  };
  const near = names.filter(isNear);
  return near.length === 0 ? undefined : closest(name, near);
}

function describeUnknown(name: string, names: readonly string[]): string {
  const meant = findMeant(name, names);
  return meant === undefined
    ? 'not accepted here; leave it out'
    : `not accepted here; did you mean "${meant}"?`;
}

type JsonSchema = z.core.JSONSchema._JSONSchema;

const JSON_SCHEMA_OPTIONS = { io: 'input', unrepresentable: 'any', reused: 'inline' } as const;
const jsonSchemas = new WeakMap<z.ZodType, JsonSchema>();

/** The fields of the object at a place in what a schema takes. */
function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const json = jsonSchemas.get(schema) ?? z.toJSONSchema(schema, JSON_SCHEMA_OPTIONS);
  jsonSchemas.set(schema, json);
  let nodes = variantsOf(json);
  for (const step of path) {
    nodes = nodes.flatMap(({ items, properties, additionalProperties }) => {
      if (typeof step === 'number') return Array.isArray(items) ? [] : variantsOf(items);
      return variantsOf(properties?.[String(step)] ?? additionalProperties);
    });
  }
  return nodes.flatMap(({ properties = {} }) => Object.keys(properties));
}

function variantsOf(schema: JsonSchema | undefined): z.core.JSONSchema.BaseSchema[] {
  if (typeof schema !== 'object') return [];
  const { anyOf = [], oneOf = [], allOf = [] } = schema;
  return [schema, ...[...anyOf, ...oneOf, ...allOf].flatMap(variantsOf)];
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Words for a mistake whose schema has none of its own; hand it to `safeParse` as `error`. */
export const describeIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type': {
      const expected = `expected ${KINDS[issue.expected] ?? issue.expected}`;
      return issue.input === undefined ? `is missing; ${expected}` : expected;
    }
    case 'too_small':
      return `expected ${sizeOf(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'too_big':
      return `expected ${sizeOf(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'invalid_value':
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    default:
      return 'is not of the expected form';
  }
};

function sizeOf(origin: string, bound: string, size: number | bigint): string {
  const unit = { string: 'characters', array: 'items' }[origin];
  return `${bound} ${String(size)}${unit === undefined ? '' : ` ${unit}`}`;
}
