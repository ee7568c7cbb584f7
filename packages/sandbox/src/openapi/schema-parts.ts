/** The few JSON Schema shapes that the provider's specification speaks of. */

export type JsonSchema = Readonly<Record<string, unknown>>;

export function text(description?: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'string', ...(description === undefined ? {} : { description }), ...more };
}

export function integer(description?: string): JsonSchema {
  return { type: 'integer', ...(description === undefined ? {} : { description }) };
}

export function number(description?: string): JsonSchema {
  return { type: 'number', ...(description === undefined ? {} : { description }) };
}

export function flag(): JsonSchema {
  return { type: 'boolean' };
}

export function day(description?: string): JsonSchema {
  return text(description, { format: 'date' });
}

/** A timestamp whose exact form is not shown, unless a format is given. */
export function timestamp(): JsonSchema {
  return text(undefined, { 'x-not-shown': 'form of the timestamp' });
}

/** An open set of words: those that were seen are examples, others may come. */
export function openWord(seen: readonly string[]): JsonSchema {
  return text(undefined, {
    ...(seen.length === 0 ? {} : { examples: seen }),
    'x-not-shown': 'complete set of values',
  });
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** An object whose required fields are not shown, unless they are given. */
export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    'x-not-shown': 'required or optional flags',
  };
}

export function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
