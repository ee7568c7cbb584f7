import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Problem } from '../contract.js';
import { AppError } from '../errors.js';
import { describeError, type Logger } from '../logger.js';
import { requestIdOf } from './headers.js';
import { notJson } from './parse.js';

/** 404 `not_found` for an address that no route answers. */
export const notFoundHandler: RequestHandler = () => {
  throw new AppError(404, 'not_found', 'There is nothing at this address.');
};

/** Answers an error as RFC 9457 problem JSON. What is not an `AppError` is a plain 500. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const known = toAppError(error);
    const id = requestIdOf(response);
    if (known.status >= 500) {
      const { code, merchant } = known;
      const fields = { requestId: id, method: request.method, code, merchant };
      logger.error({ ...fields, ...describeError(known.cause ?? error) }, 'a request failed');
    }
    if (known.retryAfterSeconds !== undefined) {
      response.set('retry-after', String(known.retryAfterSeconds));
    }
    response.status(known.status).type('application/problem+json').json(toProblem(known, id));
  };
}

function toProblem(error: AppError, id: string): Problem {
  return {
    type: `urn:pay-checkout:error:${error.code}`,
    title: error.code.replaceAll('_', ' '),
    status: error.status,
    detail: error.message,
    code: error.code,
    requestId: id,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
  };
}

/** What the router and the body parsers throw has a status of its own. */
function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  if (status === 413) return new AppError(413, 'body_too_large', 'The body is too large.');
  if (error instanceof URIError) {
    return new AppError(400, 'invalid_request', 'The address is not percent-encoded UTF-8.');
  }
  if (status >= 400 && status < 500) return notJson();
  const text = 'Something went wrong on our side. Try again shortly.';
  return new AppError(500, 'internal_error', text, { cause: error });
}
