import fc from 'fast-check';
import type { Coding, Field, Packing } from './hostile-request.ts';
import type { Schema } from './routes.ts';
import { hostileJson, hostileText, mostly, RIGHT } from './values.ts';

function rightValue(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  const known = RIGHT[name];
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (known) return fc.constantFrom<unknown>(...known);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => rightValue(choice, name)));
  switch (schema.type) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {});
      return fc.record(
        Object.fromEntries(fields.map(([key, value]) => [key, rightValue(value, key)])),
        { requiredKeys: [...(schema.required ?? [])] },
      );
    }
    case 'array':
      return fc.array(rightValue(schema.items ?? {}), { maxLength: 3 });
    case 'integer':
    case 'number':
      return fc.constantFrom(1, 60, 501, 3600);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return mostly<unknown>(fc.constantFrom('7', 'Flat 2', 'Some text'), hostileText);
  }
}

/** The body that a route takes, as JSON whose fields may be wrong, missing or too many. */
export function jsonBody(schema: Schema): fc.Arbitrary<string> {
  const object = fc
    .record({
      right: rightValue(schema),
      wrong: fc.array(
        fc.record({ at: fc.nat(12), name: fc.option(hostileText), value: hostileJson }),
        { maxLength: 2 },
      ),
      isRight: mostly(fc.constant(true), fc.constant(false)),
    })
    .map(({ right, wrong, isRight }) => {
      const fields = Object.entries(right as object).map(([name, value]): Field => [
        name,
        JSON.stringify(value),
      ]);
      for (const { at, name, value } of isRight ? [] : wrong) {
        const replaced = fields[at]?.[0];
        fields.splice(at, 1, [name ?? replaced ?? 'extra', value]);
      }
      return `{${fields.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
    });
  return fc.oneof(
    { weight: 12, arbitrary: object },
    { weight: 1, arbitrary: hostileJson },
    {
      weight: 1,
      arbitrary: fc
        .record({ text: object, at: fc.nat(60), add: hostileText })
        .map(({ text, at, add }) => text.slice(0, at) + add + text.slice(at + 1)),
    },
    { weight: 1, arbitrary: fc.tuple(object, fc.nat(60)).map(([text, at]) => text.slice(0, at)) },
  );
}

export const freeBody = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 3, arbitrary: hostileJson },
  {
    weight: 3,
    arbitrary: fc
      .dictionary(fc.constantFrom('order_id', 'reference', 'event', 'status'), hostileText)
      .map((fields) => JSON.stringify(fields)),
  },
  { weight: 1, arbitrary: hostileText },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['{"all":true}', '{"event":"test"}', 'reference=A1&reference=B2'],
      ...['{"note":"Checked"}', '{"note":"Checked","attention":[]}', '{"key":"«operatorKey»"}'],
    ),
  },
);

const coding = fc.constantFrom<Coding>('gzip', 'br', 'deflate');

/** How a body is written: mostly as its text. */
export const packing = mostly<Packing>(
  fc.constant({ kind: 'plain' }),
  fc.oneof(
    fc.record({ kind: fc.constant('encoded' as const), by: fc.constantFrom('utf16le', 'latin1') }),
    fc.record({
      kind: fc.constantFrom('packed' as const, 'bomb' as const, 'cut' as const),
      by: coding,
    }),
    fc.record({ kind: fc.constant('long' as const), kilobytes: fc.constantFrom(17, 65, 257) }),
  ),
);
