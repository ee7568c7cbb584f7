/** Checks a value against a schema; what is wrong becomes one error that names every field. */
import type { z } from 'zod';
import { ShopError } from './problem.js';

/** The parsed value, or a 400 with one entry for each wrong field. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ShopError(
    400,
    'invalid_request',
    'Some fields need another look.',
    result.error.issues.map((issue) => ({
      field: issue.path.join('.') || 'body',
      message: issue.message,
    })),
  );
}
