/** Errors that a caller may see, and the one handler that writes them (RFC 9457 problem JSON). */
import type { NextFunction, Request, Response } from 'express';
import type { z } from 'zod';

/** One field of the request that is wrong, and what was expected of it. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** An answer that is an error: a status, a stable code and a sentence for a person. */
export class ShopError extends Error {
  override readonly name = 'ShopError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly fields: readonly FieldError[] = [],
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** The same answer for an order that is not there and for one of another browser. */
export function orderNotFound(): ShopError {
  return new ShopError(404, 'order_not_found', 'This browser has no such order.');
}

/** Last middleware: writes the error, and logs only what is our own fault. */
export function handleError(
  error: unknown,
  _request: Request,
  response: Response,
  next: NextFunction,
): void {
  if (response.headersSent) {
    next(error);
    return;
  }
  const problem = toShopError(error);
  if (problem.code === 'internal_error') console.error(error);
  response
    .status(problem.status)
    .type('application/problem+json')
    .set('Cache-Control', 'no-store')
    .json({
      type: 'about:blank',
      title: problem.code.replaceAll('_', ' '),
      status: problem.status,
      detail: problem.message,
      code: problem.code,
      ...(problem.fields.length > 0 && { errors: problem.fields }),
    });
}

function toShopError(error: unknown): ShopError {
  if (error instanceof ShopError) return error;
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.parse.failed') {
    return new ShopError(400, 'bad_json', 'The body must be JSON.');
  }
  if (type === 'entity.too.large') {
    return new ShopError(413, 'body_too_large', 'The body is too large.');
  }
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ShopError(status, 'bad_request', 'We cannot read this request.');
  }
  return new ShopError(500, 'internal_error', 'Something went wrong on our side.');
}

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
    'Please check the marked fields.',
    result.error.issues.map((issue) => ({
      field: issue.path.join('.') || 'body',
      message: issue.message,
    })),
  );
}
