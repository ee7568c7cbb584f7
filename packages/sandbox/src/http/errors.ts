/**
 * How the sandbox refuses a call. The spec does not show an error body (section 7), so this is plain
 * JSON, and this file is the only one to change when the real shape is known.
 */
import type { ErrorRequestHandler, Response } from 'express';
import type { z } from 'zod';

/** An invalid field and what to do about it. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** A refusal with its HTTP status. Messages name fields. They never repeat a value. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly fields: readonly FieldError[];
  /** The `Retry-After` header: seconds or an HTTP date. */
  readonly retryAfter: string | undefined;

  constructor(
    status: number,
    message: string,
    options: { fields?: readonly FieldError[]; retryAfter?: string } = {},
  ) {
    super(message);
    this.status = status;
    this.fields = options.fields ?? [];
    this.retryAfter = options.retryAfter;
  }
}

/** The refusal of a body with invalid fields. `section`: where the spec describes the body. */
export function invalidBody(section: string, ...fields: readonly FieldError[]): ApiError {
  return new ApiError(400, `The body does not match the interface (${section}).`, { fields });
}

/** Checks a body against a schema and names every invalid field. */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  section: string,
): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw invalidBody(
    section,
    ...result.error.issues.flatMap((issue) => toFieldErrors(issue, section)),
  );
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

/** Writes `{ "message": "…", "errors": [{ "field": "…", "message": "…" }] }`. */
export const handleError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) return next(error);
  const { status, message, fields, retryAfter } = toApiError(error);
  if (status === 500 && !(error instanceof ApiError)) console.error(error);
  if (retryAfter !== undefined) response.set('Retry-After', retryAfter);
  response.status(status).json({ message, ...(fields.length > 0 && { errors: fields }) });
};

/** Turns any error of a route into a refusal that repeats nothing of the body. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // Express and its body parser set `status`, and the parser `type`, for the caller's mistakes.
  const { status, type } = (error ?? {}) as { status?: unknown; type?: unknown };
  if (type === 'entity.parse.failed') return new ApiError(400, 'The body is not valid JSON.');
  if (type === 'entity.too.large') return new ApiError(413, 'The body is too large.');
  return typeof status === 'number' && status >= 400 && status < 500
    ? new ApiError(status, 'The request could not be read.')
    : new ApiError(500, 'The sandbox itself failed.');
}

/** Answers as a gateway in front of the provider would: a web page where JSON was expected. */
export function sendGatewayPage(response: Response, status: number): void {
  response
    .status(status)
    .type('html')
    .send(
      `<!doctype html>\n<html lang="en">\n<head><title>${status}</title></head>\n` +
        `<body><h1>${status}</h1><hr><address>sandbox gateway</address></body>\n</html>\n`,
    );
}
