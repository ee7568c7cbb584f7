/** Errors of the partner console that its pages see, and the handler that writes them. */
import type { Secret } from '@pay-checkout/partner-api';
import type { NextFunction, Request, Response } from 'express';
import type { z } from 'zod';
import type { ConsoleProblem } from './console-view.js';

/** An answer that is an error: what happened, what is known, and what to do (RFC 9457). */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';

  constructor(readonly problem: ConsoleProblem) {
    super(problem.title);
  }
}

/** A request that cannot be right; nothing was sent to the provider. */
export function refuseRequest(
  status: number,
  code: string,
  title: string,
  next: string,
  errors?: ConsoleProblem['errors'],
): ConsoleError {
  return new ConsoleError({
    ...{ status, code, title, next, outcome: 'not_sent' },
    detail: 'The console refused this, and sent nothing to the provider.',
    ...(errors !== undefined && { errors }),
  });
}

/** Fields to correct, each named. */
export function refuseFields(errors: NonNullable<ConsoleProblem['errors']>): ConsoleError {
  const next = 'Correct the marked fields and send the form again.';
  return refuseRequest(400, 'invalid_request', 'Please check the marked fields.', next, errors);
}

/** The parsed value, or an error that names every wrong field. Empty texts count as not given. */
export function parseFields<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const result = schema.safeParse(dropEmpty(given));
  if (result.success) return result.data;
  throw refuseFields(
    result.error.issues.flatMap((issue) => {
      const names = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path[0] ?? 'body'];
      return names.map((name) => ({ field: String(name), message: issue.message }));
    }),
  );
}

function dropEmpty(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

/** Last middleware: writes the error. Only what is our own fault is logged, without the key. */
export function handleConsoleErrors(apiKey: Secret) {
  return (error: unknown, _request: Request, response: Response, next: NextFunction): void => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const problem = toProblem(error);
    if (problem.code === 'internal_error') {
      const trace = error instanceof Error ? error.stack : String(error);
      console.error(hideSecret(trace ?? 'no stack', apiKey));
    }
    if (problem.retryAfterSeconds !== undefined) {
      response.set('Retry-After', String(Math.ceil(problem.retryAfterSeconds)));
    }
    response
      .status(problem.status)
      .type('application/problem+json')
      .json({ type: 'about:blank', ...problem });
  };
}

/** A text with the secret taken out, wherever it came from. */
export function hideSecret(text: string, secret: Secret): string {
  return text.replaceAll(secret.reveal(), String(secret));
}

function toProblem(error: unknown): ConsoleProblem {
  if (error instanceof ConsoleError) return error.problem;
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const next = 'Send JSON, or use the pages of the console.';
    return refuseRequest(status, 'bad_request', 'The console cannot read this request.', next)
      .problem;
  }
  return {
    status: 500,
    code: 'internal_error',
    title: 'Something went wrong in the console.',
    detail: 'The log of its process has the details.',
    next: 'Check whether it happened before you send it again.',
    outcome: 'unknown',
  };
}
