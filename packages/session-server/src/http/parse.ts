import type { z } from 'zod';
import { type FieldError, invalidRequest } from '../errors.js';

/** What a schema makes of some input. @throws {AppError} 400 naming every wrong field */
export function parse<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalidRequest(parsed.error.issues.flatMap(toFieldErrors));
}

function toFieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: [...issue.path, key].join('.'),
      message: 'not accepted here; leave it out',
    }));
  }
  return [{ field: issue.path.join('.') || 'body', message: issue.message }];
}
