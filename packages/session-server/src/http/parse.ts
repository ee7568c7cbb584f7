import { json, type RequestHandler } from 'express';
import type { z } from 'zod';
import { type AppError, type FieldError, invalidRequest } from '../errors.js';

/** What a schema makes of some input. @throws {AppError} 400 naming every wrong field */
export function parse<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalidRequest(toFieldErrors(parsed.error));
}

/** Every field that is wrong, as the caller spells it. */
export function toFieldErrors({ issues }: z.core.$ZodError): FieldError[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          field: [...issue.path, key].join('.'),
          message: 'not accepted here; leave it out',
        }))
      : [{ field: issue.path.join('.') || 'body', message: issue.message }],
  );
}

/** Reads a JSON body, and refuses any other. */
export function jsonBody(maxBytes: number): RequestHandler[] {
  return [
    json({ limit: maxBytes, type: 'application/json' }),
    (request, _response, next) => {
      if (request.body === undefined) throw notJson();
      next();
    },
  ];
}

export function notJson(): AppError {
  return invalidRequest([
    { field: 'body', message: 'is not JSON; send application/json in UTF-8' },
  ]);
}
