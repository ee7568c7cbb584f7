/**
 * What the sandbox answers when it refuses. The spec does not show an error body (section 7), so
 * this is plain JSON, and this file is the only one to change when the real shape is known.
 */
import type { Response } from 'express';

/** One field that was not good, and what to do about it. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** A refusal with its HTTP status. Messages name fields; they never repeat a value. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly fields: readonly FieldError[];
  /** Written as the `Retry-After` header: seconds, or an HTTP date. */
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

/** Writes a refusal: `{ "message": "…", "errors": [{ "field": "…", "message": "…" }] }`. */
export function writeApiError(response: Response, error: ApiError): void {
  if (error.retryAfter !== undefined) response.set('Retry-After', error.retryAfter);
  response.status(error.status).json({
    message: error.message,
    ...(error.fields.length > 0 ? { errors: error.fields } : {}),
  });
}
