import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { orderLookupReply } from '../contract-schemas.js';

const PAGE = join(import.meta.dirname, '../../../../docs/order-lookup.md');
const page = readFileSync(PAGE, 'utf8');

describe('docs/order-lookup.md', () => {
  it('lists every field that the answer to the order lookup may have, and no other', () => {
    const rows = [...page.matchAll(/^\| (`[^|]+) \|/gm)].map(([, names = '']) => names);
    const listed = rows.flatMap((names) => [...names.matchAll(/`([\w.]+)`/g)].map(([, n]) => n));
    const expected = namesOf(z.toJSONSchema(orderLookupReply, { io: 'input' }) as JsonSchema);
    expect(listed.toSorted()).toEqual(expected.toSorted());
  });
});

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
}

/** The fields of an object, as dotted paths. */
function namesOf({ properties, anyOf = [] }: JsonSchema): string[] {
  if (!properties) return anyOf.flatMap(namesOf);
  return Object.entries(properties).flatMap(([name, schema]) => {
    const parts = namesOf(schema);
    return parts.length === 0 ? [name] : parts.map((part) => `${name}.${part}`);
  });
}
