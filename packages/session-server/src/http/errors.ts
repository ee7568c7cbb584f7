import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Problem } from '../contract.js';
import { AppError, type FieldError } from '../errors.js';
import { describeError, type LogFields, type Logger } from '../logger.js';
import { routeOf } from './observe-requests.js';
import { requestFields, requestIdOf } from './headers.js';
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
    logError(logger, known, request, response);
    if (known.retryAfterSeconds !== undefined) {
      response.set('retry-after', String(known.retryAfterSeconds));
    }
    response.status(known.status).type('application/problem+json').json(toProblem(known, id));
  };
}

/** A refusal in one line, with the reason that the caller is given. */
export function logError(
  logger: Logger,
  error: AppError,
  request: Request,
  response: Response,
): void {
  const { status, code, merchant, cause } = error;
  const detail = error.errors?.map(describeField).join('; ') ?? error.message;
  if (status < 500) {
    logRefusal(logger, request, response, { status, code, detail });
    return;
  }
  const fields: LogFields = {
    ...requestFields(response),
    method: request.method,
    route: routeOf(request),
  };
  // What was answered, and what it follows from, under names of their own.
  const {
    status: providerStatus,
    detail: causeDetail,
    ...why
  } = cause === undefined ? {} : describeError(cause);
  logger.error(
    { ...fields, ...why, providerStatus, causeDetail, status, code, merchant, detail },
    'a request failed',
  );
}

/** A page that refuses a shopper, in one line. */
export function logRefusal(
  logger: Logger,
  request: Request,
  response: Response,
  refusal: { readonly status: number; readonly code: string; readonly detail: string },
): void {
  const { method } = request;
  const fields: LogFields = {
    ...requestFields(response),
    method,
    route: routeOf(request),
    ...refusal,
  };
  logger.info(fields, 'a request was refused');
}

/** A field that we do not know may be called anything, also by the name of a person. */
function describeField({ field, message }: FieldError): string {
  return `${/^[a-z][A-Za-z0-9_.]*$/.test(field) ? field : 'a field'}: ${message}`;
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
    ...(error.state === undefined ? {} : { state: error.state }),
    ...(error.unpaid && { unpaid: true }),
  };
}

/** What the router and the body parsers throw has a status of its own. */
export function toAppError(error: unknown): AppError {
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
