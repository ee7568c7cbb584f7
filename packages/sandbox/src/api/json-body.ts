import express, { type RequestHandler } from 'express';
import type { z } from 'zod';
import { ApiError, type FieldError } from './api-error.js';

const MAXIMUM_BODY = '64kb';

/** Reads a JSON body and refuses every other content type (spec 5.3). */
export function readJsonBody(body: 'required' | 'optional' = 'required'): RequestHandler[] {
  return [
    (request, _response, next) => {
      // `is` answers null when there is no body at all.
      const type = request.is('application/json');
      if (type === false || (type === null && body === 'required')) {
        throw new ApiError(415, 'Send the body as JSON, with Content-Type: application/json.');
      }
      next();
    },
    express.json({ limit: MAXIMUM_BODY }),
  ];
}

/** Turns whatever a route threw into a refusal that repeats none of the body. */
export function toApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.parse.failed') return new ApiError(400, 'The body is not valid JSON.');
  if (type === 'entity.too.large') {
    return new ApiError(413, `The body is larger than ${MAXIMUM_BODY}.`);
  }
  // Express and its parsers say by a status what the caller did wrong.
  const { status } = (error ?? {}) as { status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500
    ? new ApiError(status, 'The request could not be read.')
    : undefined;
}

/** Checks a body against a schema and names every field that is not good. */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  section: string,
): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw new ApiError(400, `The body is not what the interface describes (${section}).`, {
    fields: result.error.issues.flatMap((issue) => toFieldErrors(issue, section)),
  });
}

function toFieldErrors(issue: z.core.$ZodIssue, section: string): FieldError[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: [...path, key].join('.'),
      message: `is not a field of this operation (${section}). Leave it out.`,
    }));
  }
  return [{ field: path.join('.') || '(body)', message: issue.message }];
}
