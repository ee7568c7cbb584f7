import { json, type RequestHandler } from 'express';
import { z } from 'zod';
import { type AppError, invalidRequest } from '../errors.js';
import { describeIssue, toFieldErrors } from '../field-errors.js';

/** PostgreSQL takes no text with a NUL, and no id of ours has a control character. */
export const wordOf = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^\P{Cc}+$/u, 'expected no control characters');

export const word = wordOf(200);

/** What a schema makes of some input. @throws {AppError} 400 naming every wrong field */
export function parse<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input, { error: describeIssue });
  if (parsed.success) return parsed.data;
  throw invalidRequest(toFieldErrors(parsed.error, 'body', schema));
}

/** Reads a JSON body that is sent as one of the `types`, and refuses any other. */
export function jsonBody(maxBytes: number, types = ['application/json']): RequestHandler[] {
  return [
    json({ limit: maxBytes, type: types }),
    (request, _response, next) => {
      if (request.body === undefined) throw notJson();
      next();
    },
  ];
}

/** The key of an `Authorization: Bearer`, whose name may be written in any case (RFC 9110, section 11.1). */
export function readBearerKey(authorization = ''): string | undefined {
  return /^Bearer +(\S.*)$/i.exec(authorization)?.[1];
}

export function notJson(): AppError {
  return invalidRequest([
    { field: 'body', message: 'is not JSON; send application/json in UTF-8' },
  ]);
}
